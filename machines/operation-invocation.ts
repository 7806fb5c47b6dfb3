/**
 * One invocation of an operation; the actor's id is the invocation's. Its approval, if it needs one, follows the same
 * transitions. Source: requirement 5.8, 6; contract 6, `OperationInvocation`, `OperationApproval`.
 * Each execution has a unique number, which its report carries: a report of an abandoned execution is ignored.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, effect, type Stamp, type StateMeta } from './words.ts'

/** From the configuration; never from a request. */
export interface InvocationLimits {
  /** The time after which a pending approval expires, in milliseconds. */
  approvalTtlMs: number
}

/** Contract 6: "Approvals expire after 72 h." */
const defaultInvocationLimits: InvocationLimits = { approvalTtlMs: 259_200_000 }

export const invocationStates = ['pending_approval', 'running', 'succeeded', 'failed', 'rejected', 'unknown'] as const
export type InvocationState = (typeof invocationStates)[number]

export const approvalStatuses = ['pending', 'approved', 'rejected', 'expired', 'canceled'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export interface InvocationContext {
  /** Whether the operation is idempotent. */
  repeatable: boolean
  /** Whether a run or a workflow must be notified of the outcome. */
  awaited: boolean
  /** The process that executes it. */
  performer: string | null
  /** Executions so far. */
  performances: number
  /**
   * The execution that has sent nothing: its process announces what it sends. null: there is none, or the operation is
   * repeatable; omitted by earlier versions, which announce nothing.
   */
  unsent?: number | null
  /** The caller was canceled during the execution: it is aborted and not repeated. */
  canceled: boolean
  /** null: no approval is needed. */
  approval: ApprovalStatus | null
  decidedAt: number | null
  /** Why it has no output. */
  cause: Cause | null
  /** The state in which its target refused it. */
  conflict: string | null
}

interface InvocationInput {
  repeatable: boolean
  awaited: boolean
  /** The process that executes it if no approval is needed. */
  performer: string
}

/** A report with the number of its execution. */
type Report = Stamp & { performance: number }

export type InvocationEvent =
  | (Stamp & { type: 'approve'; performer: string; note?: string })
  | (Stamp & { type: 'reject'; note?: string })
  /** The caller no longer needs it. */
  | (Stamp & { type: 'withdraw' })
  /** The caller was canceled: a waiting invocation never starts, a running one is aborted. */
  | (Stamp & { type: 'cancel' })
  /** A call that must not be repeated is about to be sent. */
  | (Report & { type: 'sending' })
  | (Report & { type: 'performed'; output: unknown })
  | (Report & { type: 'failed'; cause: Cause; conflict: string | null })
  /** The outcome is unknown. */
  | (Report & { type: 'lost'; cause: Cause })
  /** A person resolves a call whose outcome was unknown. `ofStep`: a step of a workflow run waits for it. */
  | (Stamp & { type: 'resolve'; outcome: 'succeeded' | 'failed'; note?: string; ofStep?: boolean })
  /** The executing process (`gone`; omitted: any) has died; another process repeats an execution that is idempotent or has sent nothing. */
  | (Stamp & { type: 'performerLost'; performer: string; gone?: string })

/** The causes of invocations that ended while waiting for approval. */
const refusals = {
  reject: { code: 'approval_rejected', message: 'The call was not approved.' },
  cancel: { code: 'call_canceled', message: 'The call was not made because its caller was canceled.' },
  withdraw: { code: 'approval_canceled', message: 'The call was not approved before its caller continued without it.' },
  approvalDeadline: { code: 'approval_expired', message: 'The call was not approved in time.' },
} as const satisfies Record<string, Cause>

/** The cause with the note of the person who rejected it. */
const rejection = (note: string | undefined): Cause => {
  const { code, message } = refusals.reject
  return { code, message: note ? `${message.slice(0, -1)}: ${note}` : message }
}

const outcomeUnknown: Cause = {
  code: 'outcome_unknown',
  message: 'Outcome unknown: the server stopped. The call may or may not have taken effect; it was not repeated.',
}

const foundFailed = (note: string | undefined): Cause => ({
  code: 'found_failed',
  message: note ? `The call had no effect: ${note}` : 'The call had no effect, according to its resolution.',
})

const isCurrent = ({ performances }: InvocationContext, event: InvocationEvent): boolean =>
  'performance' in event && event.performance === performances

const isGone = ({ performer }: InvocationContext, event: InvocationEvent): boolean =>
  event.type === 'performerLost' && event.performer !== performer && (event.gone ?? performer) === performer

/** Of a process of an earlier version, which takes an execution on without announcing what it sends, nothing is known. */
const isUnsent = ({ performances, unsent }: InvocationContext): boolean => unsent === performances

type Resolution = Extract<InvocationEvent, { type: 'resolve' }>

const isOfNoStep = (event: InvocationEvent): event is Resolution => event.type === 'resolve' && event.ofStep !== true

const resolvedWithItsRun: StateMeta = {
  refuses: {
    resolve: {
      status: 409,
      code: 'invalid_transition',
      message: 'A step of a workflow run waits for the outcome: resolve the step there (resolve-unknown).',
    },
  },
}

/** The statechart of an invocation that needs an approval, or of one that starts at once. */
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
      performerGoneAndUnsent: ({ context, event }) => isGone(context, event) && isUnsent(context),
      performerGoneAndAwaited: ({ context, event }) => isGone(context, event) && context.awaited,
      performerGone: ({ context, event }) => isGone(context, event),
      tookEffectAndOfNoStep: ({ event }) => isOfNoStep(event) && event.outcome === 'succeeded',
      ofNoStep: ({ event }) => isOfNoStep(event),
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
        unsent: context.repeatable ? null : context.performances + 1,
      })),
      noteSending: assign({ unsent: null }),
      noteFailure: assign(({ event }) => ({
        cause: 'cause' in event ? event.cause : outcomeUnknown,
        conflict: event.type === 'failed' ? event.conflict : null,
      })),
      noteCancel: assign({ canceled: true }),
      noteEffect: assign({ cause: null, conflict: null }),
      noteNoEffect: assign(({ event }) => ({ cause: foundFailed('note' in event ? event.note : undefined) })),
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
      unsent: initial === 'running' && !input.repeatable ? 1 : null,
      canceled: false,
      approval: initial === 'running' ? null : 'pending',
      decidedAt: null,
      cause: null,
      conflict: null,
    }),
    meta: { creations: { invoke: {} } },
    initial,
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      'pending_approval': { on:    { approve:           { target: 'running', actions: ['noteApproval', 'takeOn', 'tellOrigin'] },
                                     reject:            { target: '#rejected', actions: ['noteRejection', 'tellOrigin'] },
                                     withdraw:          { target: '#rejected', actions: ['noteWithdrawal', 'tellOrigin'] },
                                     cancel:            { target: '#rejected', actions: ['noteCancellation', 'tellOrigin'] } },
                            after: { approvalDeadline:  { target: '#rejected', actions: ['noteExpiry', 'tellOrigin'] } } },
      'running':          { entry: [{ type: 'perform', params: ({ context }) => ({ performance: context.performances }) }],
                            on:    { sending:           { target: 'running', guard: 'ofThisPerformance', actions: 'noteSending' },
                                     performed:        [{ target: '#succeeded', guard: 'ofThisPerformanceAndAwaited', actions: 'tellOrigin' },
                                                        { target: '#succeeded', guard: 'ofThisPerformance' }],
                                     failed:           [{ target: '#failed', guard: 'ofThisPerformanceAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#failed', guard: 'ofThisPerformance', actions: 'noteFailure' }],
                                     lost:             [{ target: '#unknown', guard: 'ofThisPerformanceAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#unknown', guard: 'ofThisPerformance', actions: 'noteFailure' }],
                                     cancel:            { target: 'running', actions: ['noteCancel', 'breakOff'] },
                                     performerLost:    [{ target: 'running', guard: 'performerGoneAndRepeatable', actions: 'takeOn', reenter: true },
                                                        { target: 'running', guard: 'performerGoneAndUnsent', actions: 'takeOn', reenter: true },
                                                        { target: '#unknown', guard: 'performerGoneAndAwaited', actions: ['noteFailure', 'tellOrigin'] },
                                                        { target: '#unknown', guard: 'performerGone', actions: 'noteFailure' }] } },
      terminal: { initial: 'succeeded', states: {
        'succeeded':      { id: 'succeeded' },
        'failed':         { id: 'failed' },
        'rejected':       { id: 'rejected' },
        'unknown':        { id: 'unknown', meta: resolvedWithItsRun,
                            on: { resolve:             [{ target: '#succeeded', guard: 'tookEffectAndOfNoStep', actions: 'noteEffect' },
                                                        { target: '#failed', guard: 'ofNoStep', actions: 'noteNoEffect' }] } },
      } },
    },
  })

/** Descriptions of the invocation's statechart. Source: contract 6. */
export const operationInvocationChart = {
  title: 'Operation invocation',
  about:
    'One call of an operation: by a request, by the tool call of a run, or by the step of a workflow. A call that needs ' +
    'an approval starts in `pending_approval`, any other in `running`. An invocation without an output is `failed`. An ' +
    'invocation whose outcome was lost, so that it may have taken effect, is `unknown` and is not repeated; a person who ' +
    'knows the outcome resolves it. A call that had not been sent when its process died is sent by another one.',
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
    withdraw: { by: 'server', says: 'The calling run or workflow no longer needs it.' },
    cancel: {
      by: 'server',
      says: 'The calling run was canceled or has expired: the invocation does not start, or is aborted, unless it has sent a write that must not be repeated.',
    },
    sending: {
      by: 'report',
      says: 'The handler is about to send a call that must not be repeated. Until this is stored, nothing is sent.',
    },
    performed: { by: 'report', says: 'The handler returned an output.' },
    failed: { by: 'report', says: 'The handler failed, or its target refused the call.' },
    lost: { by: 'report', says: 'The outcome is unknown.' },
    resolve: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/operation-invocations/{invocationId}/resolve`; the step of a workflow run is resolved with its run, unless that was canceled.',
    },
    performerLost: { by: 'server', says: 'The process that executed it has died.' },
  },
  guards: {
    ofThisPerformance: 'The report is for the current execution.',
    ofThisPerformanceAndAwaited: 'The report is for the current execution, and the caller waits for it.',
    performerGoneAndRepeatable: 'The executing process has died, and the operation is idempotent.',
    performerGoneAndUnsent: 'The executing process has died before it sent the call.',
    performerGoneAndAwaited: 'The executing process has died, and the caller waits for the outcome.',
    performerGone: 'The executing process has died.',
    tookEffectAndOfNoStep: 'The call has taken effect, and no step of a workflow run waits for the outcome.',
    ofNoStep: 'No step of a workflow run waits for the outcome.',
  },
  deadlines: {
    approvalDeadline: { limits: 'Waiting for the decision.', setting: 'TROUPE_APPROVAL_TTL_MS' },
  },
  effects: {
    perform: 'Calls the handler of the operation and reports the outcome.',
    breakOff: 'Aborts the handler, unless it has sent a write that must not be repeated. It reports the outcome.',
    tellOrigin: 'Reports the outcome to the waiting run or workflow.',
  },
} satisfies ChartOf<ReturnType<typeof createInvocationMachine>>
