/**
 * One invocation of an operation; the actor's id is the invocation's. Its approval, where it needs one, is told by the same
 * moves. Source: requirement 5.8, 6; contract 6, `OperationInvocation`, `OperationApproval`.
 *
 * Each performance has a number that never comes again. Whoever performs reports with the number of the performance: what
 * comes from one that was given up counts for nothing.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, type Stamp } from './words.ts'

/** From the configuration; never from a request. */
export interface InvocationLimits {
  /** An approval that is pending for so long expires; in milliseconds. */
  approvalTtlMs: number
}

/** Contract 6: "Approvals expire after 72 h." */
export const defaultInvocationLimits: InvocationLimits = { approvalTtlMs: 259_200_000 }

export const invocationStates = ['pending_approval', 'running', 'succeeded', 'failed', 'rejected', 'unknown'] as const
export type InvocationState = (typeof invocationStates)[number]

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'canceled'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export interface InvocationContext {
  /** Whether twice is as good as once. */
  repeatable: boolean
  /** Whether somebody who does not hear of it otherwise is told how it ends. */
  awaited: boolean
  /** The process that performs it. */
  performer: string | null
  /** Performances so far. */
  performances: number
  /** Whoever asked for it was canceled while it was performed: it is aborted, and not performed again. */
  canceled: boolean
  /** null: it needs no approval. */
  approval: ApprovalStatus | null
  decidedAt: number | null
  /** Why it gave nothing. */
  cause: Cause | null
  /** The state in which what it acts on has refused it. */
  conflict: string | null
}

export interface InvocationInput {
  repeatable: boolean
  awaited: boolean
  /** The process that performs it where no approval is needed. */
  performer: string
}

/** Who reports, and of which performance. */
type Report = Stamp & { performance: number }

export type InvocationEvent =
  | (Stamp & { type: 'approve'; performer: string; note?: string })
  | (Stamp & { type: 'reject'; note?: string })
  /** Whoever asked for it does not want it any more. */
  | (Stamp & { type: 'withdraw' })
  /** Whoever asked for it was canceled: what has not begun never does, what is under way is aborted. */
  | (Stamp & { type: 'cancel' })
  | (Report & { type: 'performed'; output: unknown })
  | (Report & { type: 'failed'; cause: Cause; conflict: string | null })
  /** It may or may not have taken effect. */
  | (Report & { type: 'lost'; cause: Cause })
  /** The process that performed it is gone; another one takes over what may be done twice. */
  | (Stamp & { type: 'performerLost'; performer: string })

/** Why an invocation that waited for its approval never ran. */
const refusals = {
  reject: { code: 'approval_rejected', message: 'The call was not approved.' },
  cancel: { code: 'call_canceled', message: 'The call was not made: whoever asked for it was canceled.' },
  withdraw: { code: 'approval_canceled', message: 'The call was not approved: whoever made it went on without it.' },
  approvalDeadline: { code: 'approval_expired', message: 'The call was not approved in time.' },
} as const satisfies Record<string, Cause>

/** With what the person who rejected it has said. */
const rejection = (note: string | undefined): Cause => {
  const { code, message } = refusals.reject
  return { code, message: note ? `${message.slice(0, -1)}: ${note}` : message }
}

const outcomeUnknown: Cause = {
  code: 'outcome_unknown',
  message: 'Outcome unknown: the server stopped. The call may or may not have taken effect; it was not repeated.',
}

const isCurrent = ({ performances }: InvocationContext, event: InvocationEvent): boolean =>
  'performance' in event && event.performance === performances

const isGone = ({ performer }: InvocationContext, event: InvocationEvent): boolean =>
  event.type === 'performerLost' && event.performer !== performer

/** The statechart of an invocation under these limits: of one that needs an approval, or of one that begins at once. */
export const createInvocationMachine = (
  limits: InvocationLimits = defaultInvocationLimits,
  initial: 'pending_approval' | 'running' = 'pending_approval',
) =>
  setup({
    types: {
      input: {} as InvocationInput,
      context: {} as InvocationContext,
      events: {} as InvocationEvent,
    },
    guards: {
      ofThisPerformance: ({ context, event }) => isCurrent(context, event),
      ofThisPerformanceAndAwaited: ({ context, event }) => isCurrent(context, event) && context.awaited,
      performerGoneAndRepeatable: ({ context, event }) => isGone(context, event) && context.repeatable,
      performerGoneAndAwaited: ({ context, event }) => isGone(context, event) && context.awaited,
      performerGone: ({ context, event }) => isGone(context, event),
    },
    delays: {
      approvalDeadline: limits.approvalTtlMs,
    },
    actions: {
      noteApproval: assign(({ event }) => ({ approval: 'approved' as const, decidedAt: event.at })),
      noteRejection: assign(({ event }) => ({
        approval: 'rejected' as const,
        decidedAt: event.at,
        cause: rejection('note' in event ? event.note : undefined),
      })),
      noteWithdrawal: assign(({ event }) => ({
        approval: 'canceled' as const,
        decidedAt: event.at,
        cause: refusals.withdraw as Cause,
      })),
      noteCancellation: assign(({ event }) => ({
        approval: 'canceled' as const,
        decidedAt: event.at,
        cause: refusals.cancel as Cause,
      })),
      noteExpiry: assign(({ event }) => ({
        approval: 'expired' as const,
        decidedAt: event.at,
        cause: refusals.approvalDeadline as Cause,
      })),
      takeOn: assign(({ context, event }) => ({
        performer: 'performer' in event ? event.performer : context.performer,
        performances: context.performances + 1,
      })),
      noteFailure: assign(({ event }) => ({
        cause: 'cause' in event ? event.cause : outcomeUnknown,
        conflict: event.type === 'failed' ? event.conflict : null,
      })),
      noteCancel: assign({ canceled: true }),
      perform: (_, _params: { performance: number }) => {},
      breakOff: effect,
      tellOrigin: effect,
    },
  }).createMachine({
    id: 'operation-invocation',
    version: '1',
    context: ({ input }) => ({
      repeatable: input.repeatable,
      awaited: input.awaited,
      performer: initial === 'running' ? input.performer : null,
      performances: initial === 'running' ? 1 : 0,
      canceled: false,
      approval: initial === 'running' ? null : 'pending',
      decidedAt: null,
      cause: null,
      conflict: null,
    }),
    meta: { births: { invoke: {} } },
    initial,
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      'pending_approval': { on:    { approve:           { target: 'running', actions: ['noteApproval', 'takeOn', 'tellOrigin'] },
                                     reject:            { target: '#rejected', actions: ['noteRejection', 'tellOrigin'] },
                                     withdraw:          { target: '#rejected', actions: ['noteWithdrawal', 'tellOrigin'] },
                                     cancel:            { target: '#rejected', actions: ['noteCancellation', 'tellOrigin'] } },
                            after: { approvalDeadline:  { target: '#rejected', actions: ['noteExpiry', 'tellOrigin'] } } },
      'running':          { entry: [{ type: 'perform', params: ({ context }) => ({ performance: context.performances }) }],
                            on:    { performed:        [{ target: '#succeeded', guard: 'ofThisPerformanceAndAwaited', actions: 'tellOrigin' },
                                                        { target: '#succeeded', guard: 'ofThisPerformance' }],
                                     failed:           [{ target: '#failed', guard: 'ofThisPerformanceAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#failed', guard: 'ofThisPerformance', actions: 'noteFailure' }],
                                     lost:             [{ target: '#unknown', guard: 'ofThisPerformanceAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#unknown', guard: 'ofThisPerformance', actions: 'noteFailure' }],
                                     cancel:            { target: 'running', actions: ['noteCancel', 'breakOff'] },
                                     performerLost:    [{ target: 'running', guard: 'performerGoneAndRepeatable', actions: 'takeOn', reenter: true },
                                                        { target: '#unknown', guard: 'performerGoneAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#unknown', guard: 'performerGone', actions: 'noteFailure' }] } },
      terminal: { initial: 'succeeded', states: {
        'succeeded':      { id: 'succeeded' },
        'failed':         { id: 'failed' },
        'rejected':       { id: 'rejected' },
        'unknown':        { id: 'unknown' },
      } },
    },
  })

/** The statechart of an invocation of an operation, in words. Source: contract 6. */
export const operationInvocationChart = {
  title: 'Operation invocation',
  about:
    'One call of an operation: by a request, by the tool call of a run, or by the step of a workflow. One that needs an ' +
    'approval begins in `pending_approval`, and the decision is its approval; any other begins in `running`. What has ' +
    'given nothing is `failed`; what may or may not have taken effect, because nobody knows how the call ended, is ' +
    '`unknown`, and is not repeated.',
  machine: createInvocationMachine(),
  input: { repeatable: false, awaited: false, performer: '' },
  events: {
    invoke: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/agents/{agentId}/operations/{operation}/invoke`; also by the tool call of a run, and by the step of a workflow.',
    },
    approve: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/approve`.',
    },
    reject: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-approvals/{approvalId}/reject`.',
    },
    withdraw: { by: 'server', says: 'The run or the workflow that asked for it does not want it any more.' },
    cancel: {
      by: 'server',
      says: 'The run that asked for it is canceled or has expired: it does not begin, or is broken off.',
    },
    performed: { by: 'report', says: 'The handler has given an output.' },
    failed: { by: 'report', says: 'The handler has failed, or what it acts on has refused.' },
    lost: { by: 'report', says: 'Nobody knows whether it took effect.' },
    performerLost: { by: 'server', says: 'A server that starts finds it begun by a process that is gone.' },
  },
  guards: {
    ofThisPerformance: 'The report comes from the performance that is under way.',
    ofThisPerformanceAndAwaited: 'The same, and somebody waits to be told.',
    performerGoneAndRepeatable: 'The process that performed it is gone, and it may be done twice.',
    performerGoneAndAwaited: 'The process that performed it is gone, and somebody waits to be told.',
    performerGone: 'The process that performed it is gone.',
  },
  deadlines: {
    approvalDeadline: { limits: 'Waiting for the decision.', setting: 'TROUPE_APPROVAL_TTL_MS' },
  },
  effects: {
    perform: 'Has the handler of the operation carry the call out, and reports how that ended.',
    breakOff: 'Breaks off what the handler is doing; how that ended is reported.',
    tellOrigin: 'Tells the run or the workflow that waits for it.',
  },
} satisfies ChartOf<ReturnType<typeof createInvocationMachine>>
