/** How an invocation has ended, for those who hear of it. Pure. Source: contract 5, 6. */
import type { Cause } from '../../../../machines/words.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import { closings } from '../../../runs/runner/conversation/messages.ts'
import { type CallOutcome, isCallFailure } from '../../../runs/runner/protocol/protocol.ts'
import type { InvocationProgress } from './invocation.ts'

const parsed = (json: string | null): unknown => (json === null ? null : JSON.parse(json))

export const progressOf = ({
  id,
  state,
  output,
  error,
  approval_id,
}: Pick<InvocationRow, 'id' | 'state' | 'output' | 'error' | 'approval_id'>): InvocationProgress => ({
  id,
  state,
  output: parsed(output),
  error: parsed(error) as Cause | null,
  approvalId: approval_id,
})

const failed = ({ error }: InvocationProgress): CallOutcome => {
  const { code, message } = error ?? closings.unknown.error
  return { error: isCallFailure({ code, message }) ? { code, message } : { code: 'tool_error', message } }
}

/** By state: what the model of the run is told. */
const outcomes: Partial<Record<InvocationProgress['state'], (progress: InvocationProgress) => CallOutcome>> = {
  succeeded: ({ output }) => ({ result: output }),
  failed,
  rejected: failed,
  unknown: failed,
}

/** What the model of the run is told; undefined while there is nothing to tell. */
export const callOutcomeOf = (progress: InvocationProgress): CallOutcome | undefined =>
  outcomes[progress.state]?.(progress)
