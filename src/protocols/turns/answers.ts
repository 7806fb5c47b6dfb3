/** The answers that a run waits for: results of the client's tools, and decisions on approvals. Source: contract 12. */
import type { Approvals } from '../../automation/approvals/service.ts'
import {
  ApiError,
  invalid,
  notFound,
  permissionDenied,
  serviceUnavailable,
  targetNotFound,
} from '../../platform/http/answers/errors.ts'
import type { KeyedContext } from '../../platform/http/changes/idempotency.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { isWithinScope } from '../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { systemClock } from '../../platform/time/clock.ts'
import { pause } from '../../platform/time/pause.ts'
import type { PendingCall } from './events.ts'
import type { Seat } from './seat.ts'
import { endsByItself } from './summary.ts'
import type { Begun, CallResult, Turn, Turns } from './turns.ts'

interface Decision {
  toolCallId: string
  approvalId: string
  approved: boolean
  /** The person's answer. */
  note?: string
}

export interface Answers {
  results: CallResult[]
  decisions: Decision[]
  /** Calls without an answer. */
  open: PendingCall[]
}

interface Answering {
  turns: Turns
  approvals: Approvals
  context: KeyedContext
  /** Records a decision: those of one request are several changes before the turn. */
  record: RequestRecord
  caller: Caller
  seat: Seat
  /** The turn that waits. */
  turn: Turn
  signal: AbortSignal
}

/** For answers to calls in a conversation that has no run. */
export const noConversation = () =>
  targetNotFound('This conversation has no run that waits for an answer: send a message first.')

const notAwaited = (currentState: string) =>
  new ApiError(
    409,
    'invalid_transition',
    `The run is ${currentState} and waits for no answer: its calls were answered before, or it went on without them.`,
    { details: { currentState } },
  )

const noteMax = 1_000
const lookEveryMs = 100

/**
 * Decides the approvals, then gives the results, with which the run continues, once other calls have ended. Throws 422
 * if nothing is answered, or only some of the client's tools, `permission_denied` (403) unless the caller may decide,
 * and the errors of a decision and a continue.
 */
export async function answerAll(answering: Answering, { results, decisions, open }: Answers): Promise<Begun> {
  const { turns, context, caller, seat, turn } = answering
  const left = open.filter(({ kind }) => !endsByItself.has(kind))
  if (results.length + decisions.length === 0) {
    if (!turn.run.awaiting) throw notAwaited(turn.run.state)
    throw invalid([{ path: '/body/messages', message: 'The run waits for calls that are not answered.' }])
  }
  if (results.length > 0 && left.length > 0) {
    const names = left.map(({ toolCallId }) => toolCallId).join(', ')
    throw invalid([{ path: '/body/messages', message: `Answer all calls of the run at once; not answered: ${names}.` }])
  }
  const after = await turns.position(caller, turn, seat)
  if (decisions.length > 0) await decide(answering, decisions)
  const denied = decisions.flatMap(({ approved, toolCallId }) => (approved ? [] : [toolCallId]))
  if (results.length === 0) return { turn, after, denied, ...(left.length > 0 && { waiting: left }) }
  if (decisions.length > 0 || open.length > 0) await settled(answering, results)
  return { turn: await turns.answer(context, caller, turn, results) }
}

async function decide({ approvals, caller, turn, record }: Answering, decisions: readonly Decision[]): Promise<void> {
  const { projectId, environmentId, agentId } = turn.run
  if (projectId === null || environmentId === null) throw notFound()
  for (const { approved } of decisions) {
    const permission = approved ? 'operation-approvals:approve' : 'operation-approvals:reject'
    if (!isWithinScope(caller, permission, { projectId, environmentId, agentId })) throw permissionDenied(permission)
  }
  for (const { approvalId, approved, note } of decisions) {
    const path = { projectId, environmentId, approvalId }
    const body = note ? { note: note.slice(0, noteMax) } : {}
    if (approved) await approvals.approve(caller, path, body, record)
    else await approvals.reject(caller, path, body, record)
  }
}

/**
 * Waits until the run waits only for these: a continue would cancel an operation in progress. Throws 503 if the client
 * leaves before: it may answer again.
 */
async function settled({ turns, caller, turn, signal }: Answering, results: readonly CallResult[]): Promise<void> {
  const own = new Set(results.map(({ toolCallId }) => toolCallId))
  while (!signal.aborted) {
    const { run } = await turns.latest(caller, turn.run.id)
    if ((run.awaiting?.pending ?? []).every(({ toolCallId }) => own.has(toolCallId))) return
    await pause(systemClock, lookEveryMs, signal)
  }
  throw serviceUnavailable('The connection closed before the other calls of the run had ended.')
}
