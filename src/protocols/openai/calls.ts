/**
 * Ids for OpenAI's clients that contain the run, so that no mapping needs to be stored: of responses, messages,
 * completions and calls.
 */
import type { PendingCall } from '../turns/events.ts'
import type { Turn } from '../turns/turns.ts'

const suffix = '[0-9a-hjkmnp-tv-z]{26}'
const responseId = new RegExp(`^resp_(${suffix})_(\\d{1,9})(b?)(j?)$`)
const callId = new RegExp(`^call_(${suffix})_(.*)$`, 's')

export const suffixOf = (runId: string): string => runId.slice('run_'.length)

export interface NamedResponse {
  runId: string
  turn: number
  /** It was created in the background, and may be canceled. */
  background: boolean
  /** Its client asked for JSON only. */
  json: boolean
}

export const responseIdOf = ({ run, number }: Turn, { background, json }: Partial<NamedResponse> = {}): string =>
  `resp_${suffixOf(run.id)}_${number}${background ? 'b' : ''}${json ? 'j' : ''}`

/** undefined for any other id. */
export function readResponseId(id: string): NamedResponse | undefined {
  const [, run, turn, background, json] = responseId.exec(id) ?? []
  if (run === undefined) return undefined
  return { runId: `run_${run}`, turn: Math.max(1, Number(turn)), background: background === 'b', json: json === 'j' }
}

export const callIdOf = (runId: string, { toolCallId }: Pick<PendingCall, 'toolCallId'>): string =>
  `call_${suffixOf(runId)}_${toolCallId}`

/** undefined for a call that no run has made. */
export function readCallId(id: string): { runId: string; toolCallId: string } | undefined {
  const [, run, toolCallId] = callId.exec(id) ?? []
  return run === undefined || toolCallId === undefined ? undefined : { runId: `run_${run}`, toolCallId }
}
