/**
 * The guards of a run's statechart that do not depend on time limits. Source: contract 5, "Statechart"; contract 13.
 */
import { isMissed } from '../words.ts'
import { budgetEnd } from './budget.ts'
import { isNextInput, isPlaceLeft } from './inputs.ts'
import { startDelayMs } from './times.ts'
import { type Admission, type PendingInput, type RunContext, type RunEvent, reportedBy } from './words.ts'

interface Given {
  context: RunContext
  event: RunEvent
}

/** Whether the run may start or continue: permission, minutes and limits. */
const isAdmitted = ({ authorized, budgetLeft, roomLeft, conversationFits }: Admission) =>
  authorized === true && budgetLeft === true && roomLeft === true && conversationFits === true

export const unanswered = (awaiting: PendingInput[], answered: readonly string[]) =>
  awaiting.filter((pending) => !answered.includes(pending.toolCallId))

/** Whether the event is the approval that the call waits for. */
export const isApproved = ({ toolCallId, invocationId, approvalId }: PendingInput, event: RunEvent): boolean =>
  event.type === 'callApproved' &&
  approvalId !== undefined &&
  event.toolCallId === toolCallId &&
  event.invocationId === invocationId

const isCurrent = ({ context, event }: Given): boolean =>
  'fencingToken' in event && context.lease?.fencingToken === event.fencingToken

/** Why the model step must not begin; undefined if it may. */
export const budgetEndOf = ({ context: { budget, spent }, event }: Given): string | undefined =>
  event.type === 'progressed' && event.begins && budget && spent
    ? budgetEnd(budget, spent, event.begins.currency)
    : undefined

const isCounted = ({ context, event }: Given): boolean =>
  context.spent !== undefined && 'used' in event && event.used !== undefined

export const guards = {
  current: isCurrent,
  currentBeyondBudget: (given: Given) => isCurrent(given) && budgetEndOf(given) !== undefined,
  currentWithUsage: (given: Given) => isCurrent(given) && isCounted(given),
  counted: isCounted,
  // Another server may have given out an attempt, and got it back, while this one was prepared.
  asPrepared: ({ context, event }: Given) =>
    event.type === 'leaseRequested' &&
    (!event.next || (event.next.attempt === context.attempt + 1 && event.next.chain === context.chain)),
  // A lease granted after its attempt was given up must not serve the next one.
  requested: ({ context, event }: Given) => event.type === 'leased' && context.lease?.attemptId === event.attemptId,
  currentAndRetriesLeft: ({ context, event }: Given) => isCurrent({ context, event }) && context.retriesLeft > 0,
  retriesLeft: ({ context }: Given) => context.retriesLeft > 0,
  // A server that shuts down hands its attempts back, which uses up no retry.
  drained: ({ context, event }: Given) =>
    event.type === 'attemptLost' && event.drained === true && context.lease?.fencingToken === event.fencingToken,
  admitted: ({ event }: Given) => isAdmitted(event as Admission),
  admittedWithAll: ({ context, event }: Given) =>
    event.type === 'continue' && isAdmitted(event) && unanswered(context.awaiting, event.answered ?? []).length === 0,
  admittedWithSome: ({ context, event }: Given) =>
    event.type === 'continue' &&
    isAdmitted(event) &&
    unanswered(context.awaiting, event.answered ?? []).length < context.awaiting.length,
  currentWithApprovals: ({ context, event }: Given) =>
    event.type === 'toolResultNeeded' &&
    context.lease?.fencingToken === event.fencingToken &&
    event.awaiting.some((call) => reportedBy(call) !== undefined),
  // one that goes first interrupts the turn, by a cancel: the run had ended when it was sent as an enqueue
  placeLeftBehind: ({ context, event }: Given) =>
    event.type === 'enqueue' && event.first !== true && isPlaceLeft(context),
  // a cancel that interrupts brings a message along
  placeIfFirst: ({ context, event }: Given) => event.type === 'cancel' && (!event.first || isPlaceLeft(context)),
  forced: ({ event }: Given) => event.type === 'cancel' && event.force === true,
  putOff: ({ context, event }: Given) => startDelayMs(context) > 0 && context.availableAt > event.at,
  due: ({ context, event }: Given) => context.availableAt <= event.at,
  othersWait: ({ context }: Given) => (context.queuedInputs?.length ?? 0) > 0 && isPlaceLeft(context),
  deadlineMissed: ({ event }: Given) => isMissed(event),
  // a run that was canceled with the call that started it stays canceled
  admittedToContent: ({ context, event }: Given) =>
    event.type === 'continue' &&
    isAdmitted(event) &&
    !context.contentRemoved &&
    !context.callCanceled &&
    isNextInput(context, event),
  lastTool: ({ context, event }: Given) =>
    event.type === 'toolResult' &&
    context.awaiting.length === 1 &&
    context.awaiting[0]?.toolCallId === event.toolCallId,
  knownTool: ({ context, event }: Given) =>
    event.type === 'toolResult' && context.awaiting.some(({ toolCallId }) => toolCallId === event.toolCallId),
  knownApproval: ({ context, event }: Given) => context.awaiting.some((call) => isApproved(call, event)),
  lastDelegate: ({ context, event }: Given) =>
    event.type === 'delegateResult' &&
    context.awaiting.length === 1 &&
    context.awaiting[0]?.toolCallId === event.toolCallId,
  knownDelegate: ({ context, event }: Given) =>
    event.type === 'delegateResult' && context.awaiting.some(({ toolCallId }) => toolCallId === event.toolCallId),
}
