/** Parses a request as a new message, or as outputs of the calls that a run waits for, and begins a turn with it. */
import { ApiError, invalid } from '../../platform/http/answers/errors.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { ReachedAgent } from '../agents.ts'
import { resultOf } from '../content.ts'
import type { Message, Turn, Turns } from '../turns/turns.ts'
import { callIdOf, readCallId } from './calls.ts'

export interface CallOutput {
  /** As `callIdOf` wrote it. */
  callId: string
  output: string
  hasFiles: boolean
  /** Its place in the request. */
  path: string
}

/** Either a message or outputs. */
export interface TurnInput {
  message?: Message
  /** The client sent outputs of calls just before the message. */
  followsOutputs?: boolean
  outputs?: CallOutput[]
}

/** Answers the calls. Throws 400 unless the outputs are exactly those that one run of the agent waits for. */
export async function answerCalls(
  turns: Turns,
  context: KeyedContext,
  caller: Caller,
  agent: ReachedAgent,
  outputs: readonly CallOutput[],
): Promise<Turn> {
  const [first] = outputs
  const unknown = (path = '/body') => invalid([{ path, message: 'No run of this Agent waits for this call.' }])
  const runId = readCallId(first?.callId ?? '')?.runId
  if (!first || runId === undefined) throw unknown(first?.path)
  const turn = await turns.latest(caller, runId).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? unknown(first.path) : error
  })
  assertOfAgent(turn, agent, first.path)
  const awaited = (turn.run.awaiting?.pending ?? []).filter(({ kind }) => kind === 'tool')
  const given = new Map(outputs.map((output) => [output.callId, output]))
  const another = outputs.find((output) => given.get(output.callId) !== output)
  if (another) throw invalid([{ path: another.path, message: 'The request has another output of this call.' }])
  const missing = awaited.find((call) => !given.has(callIdOf(runId, call)))
  if (missing) {
    throw invalid([
      { path: first.path, message: `No tool output found for function call ${callIdOf(runId, missing)}.` },
    ])
  }
  const open = new Set(awaited.map((call) => callIdOf(runId, call)))
  const lossy = outputs.find(({ hasFiles }) => hasFiles)
  if (lossy) throw invalid([{ path: lossy.path, message: 'The output of a call is text: files are not taken.' }])
  const stray = outputs.find(({ callId }) => !open.has(callId))
  if (stray) throw unknown(stray.path)
  const results = awaited.map((call) => ({
    toolCallId: call.toolCallId,
    result: resultOf(given.get(callIdOf(runId, call))?.output ?? ''),
  }))
  return turns.answer(context, caller, turn, results)
}

/** Throws 400 for a run of another agent. */
export function assertOfAgent({ run }: Turn, { agentId, environmentId, address }: ReachedAgent, path: string): void {
  if (run.agentId === agentId && run.environmentId === environmentId) return
  throw invalid([{ path, message: `Belongs to a run of another Agent than ${address}.` }])
}
