/**
 * One call of an operation that a worker executes: it waits in a queue, is leased by a worker that renews its lease by
 * heartbeats, and only that worker may answer it. The actor's id is the invocation's. Source: contract 11, "Workers". A
 * report has the digest of its lease; a report with a lost lease is refused.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Cause, type DeadlineStamp, effect, isMissed, type Refusal, type Stamp } from './words.ts'

/** From the configuration; never from a request. */
export interface WorkerCallLimits {
  /** The time without a heartbeat after which a lease expires, in milliseconds. */
  leaseMs: number
}

const defaultWorkerCallLimits: WorkerCallLimits = { leaseMs: 30_000 }

const workerCallEnds = ['succeeded', 'failed', 'unknown', 'canceled'] as const
export const workerCallStates = ['queued', 'leased', 'retrying', ...workerCallEnds] as const
export type WorkerCallState = (typeof workerCallStates)[number]

export const isWorkerCallEnd = (state: string): boolean => (workerCallEnds as readonly string[]).includes(state)

/**
 * The fate of a call whose caller was canceled: it is never made, it may take effect, its worker decides (a write that
 * must not be repeated finishes), or it had ended before.
 */
export type CanceledFate = 'unmade' | 'begun' | 'held' | 'ended'

/** By asking for a retry, a worker states that nothing took effect; a repeatable call may have been lost before. */
export function fateOfCanceled({
  state,
  context: { attempts, repeatable },
}: {
  state: string
  context: Pick<WorkerCallContext, 'attempts' | 'repeatable'>
}): CanceledFate {
  if (state === 'canceled') return attempts === 0 || !repeatable ? 'unmade' : 'begun'
  if (isWorkerCallEnd(state)) return 'ended'
  return repeatable ? 'begun' : 'held'
}

/** The most leases of a call. */
export const workerAttemptsMax = 5

export interface WorkerCallContext {
  /** Whether the operation may be repeated. */
  repeatable: boolean
  /** When the call was made and when it times out, in epoch milliseconds. */
  createdAt: number
  deadlineAt: number
  /** The number of leases so far. */
  attempts: number
  /** The digest of the latest lease's token. */
  lease: string | null
  /** The name of the worker with the latest lease. */
  worker: string | null
  /** Whether a heartbeat has shown that the worker received the lease; omitted: it has not. */
  received?: boolean
  /** When the lease expires without a heartbeat. */
  leaseEndsAt: number | null
  /** The caller was canceled: the worker learns of it with its next heartbeat. */
  canceled: boolean
  cause: Cause | null
  /** The digest of its output if the call succeeded; omitted also by earlier versions. */
  answer?: string
}

/** A report with the digest of its lease. */
type Report = Stamp & { lease: string }

export type WorkerCallEvent =
  | (Report & { type: 'leased'; worker: string })
  /** The worker sends a new request, and has not received the lease. */
  | (Report & { type: 'leasedAgain'; worker: string })
  /** The worker had disconnected before the lease was sent. */
  | (Report & { type: 'returned' })
  | (Report & { type: 'heartbeat' })
  | (Report & { type: 'completed'; output: unknown; answer: string })
  | (Report & { type: 'refused'; cause: Cause; retryable: boolean })
  /** The caller was canceled. */
  | (Stamp & { type: 'cancel' })

type Given = { context: WorkerCallContext; event: WorkerCallEvent & DeadlineStamp }

const isCurrent = ({ context, event }: Given): boolean => 'lease' in event && event.lease === context.lease
/** Whether the call succeeded with this output, or failed with this error. */
const isSameAnswer = ({ context: { answer, cause }, event }: Given): boolean =>
  event.type === 'completed'
    ? answer === undefined || answer === event.answer
    : event.type === 'refused' && cause?.code === event.cause.code && cause.message === event.cause.message
const isUnreceived = ({ context, event }: Given): boolean =>
  event.type === 'leasedAgain' && event.worker === context.worker && !context.received
const isLeft = ({ attempts }: WorkerCallContext): boolean => attempts < workerAttemptsMax

const isOverdue = ({ context, event }: Given): boolean => event.at >= context.deadlineAt

const backOffMs = 1_000
const backOffMsMax = 60_000

const noWorker: Cause = { code: 'no_worker', message: 'No worker took the call in time.' }
const timedOut: Cause = { code: 'timeout', message: 'The worker did not answer in time.' }
const workerLost: Cause = { code: 'worker_lost', message: 'The worker was lost.' }
const outcomeUnknown = (message: string): Cause => ({
  code: 'outcome_unknown',
  message: `Outcome unknown: ${message} The call may or may not have taken effect; it was not repeated.`,
})

const staleLease: Refusal = {
  status: 409,
  code: 'stale_lease',
  message: 'This lease of the call is lost, or the call has ended: stop working on it.',
}
const reports = { refuses: { heartbeat: staleLease, completed: staleLease, refused: staleLease } }

export const createWorkerCallMachine = ({ leaseMs }: WorkerCallLimits = defaultWorkerCallLimits) =>
  setup({
    types: {
      input: {} as { repeatable: boolean; at: number; timeoutMs: number },
      context: {} as WorkerCallContext,
      events: {} as WorkerCallEvent,
    },
    guards: {
      ofThisLease: isCurrent,
      ofThisLeaseAndAnswer: (given) => isCurrent(given) && isSameAnswer(given),
      ofThisLeaseAndCanceled: (given) => isCurrent(given) && given.context.canceled,
      ofThisWorkerAndUnreceived: isUnreceived,
      ofThisLeaseAndRetryable: (given) =>
        isCurrent(given) &&
        given.event.type === 'refused' &&
        given.event.retryable &&
        !given.context.canceled &&
        isLeft(given.context),
      deadlineMissed: (given) => isMissed(given.event) && !isOverdue(given),
      canceledAndRepeatable: ({ context }) => context.canceled && context.repeatable,
      overdueAndRepeatable: (given) => isOverdue(given) && given.context.repeatable,
      overdue: isOverdue,
      repeatable: ({ context }) => context.repeatable && isLeft(context),
      repeatableButNoneLeft: ({ context }) => context.repeatable,
    },
    delays: {
      // only the creation precedes its first wait
      callDeadline: ({ context, event }) => Math.max(0, context.deadlineAt - (event.at ?? context.createdAt)),
      leaseExpired: ({ context, event }) => Math.max(0, Math.min(leaseMs, context.deadlineAt - event.at)),
      backOff: ({ context }) => Math.min(backOffMsMax, backOffMs * 2 ** (context.attempts - 1)),
    },
    actions: {
      takeOn: assign(({ context, event }) =>
        event.type === 'leased'
          ? { attempts: context.attempts + 1, lease: event.lease, worker: event.worker, received: false, cause: null }
          : {},
      ),
      takeAgain: assign(({ event }) => (event.type === 'leasedAgain' ? { lease: event.lease } : {})),
      giveBack: assign(({ context }) => ({
        attempts: context.attempts - 1,
        lease: null,
        worker: null,
        leaseEndsAt: null,
      })),
      noteReceipt: assign({ received: true }),
      prolong: assign(({ context, event }) => ({ leaseEndsAt: Math.min(event.at + leaseMs, context.deadlineAt) })),
      endLease: assign({ leaseEndsAt: null }),
      noteRefusal: assign(({ event }) => (event.type === 'refused' ? { cause: event.cause } : {})),
      noteAnswer: assign(({ event }) => (event.type === 'completed' ? { answer: event.answer } : {})),
      noteCancel: assign({ canceled: true }),
      noteNoWorker: assign(({ context }) => ({
        cause: context.attempts > 0 ? (context.cause ?? workerLost) : noWorker,
      })),
      noteLateness: assign({ cause: timedOut }),
      noteLoss: assign({ cause: workerLost }),
      noteUnknownLateness: assign({ cause: outcomeUnknown('the worker did not answer in time.') }),
      noteUnknown: assign({ cause: outcomeUnknown('the worker was lost.') }),
      offer: effect,
    },
  }).createMachine({
    id: 'worker-call',
    version: '1',
    context: ({ input }) => ({
      repeatable: input.repeatable,
      createdAt: input.at,
      deadlineAt: input.at + input.timeoutMs,
      attempts: 0,
      lease: null,
      worker: null,
      received: false,
      leaseEndsAt: null,
      canceled: false,
      cause: null,
    }),
    initial: 'queued',
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      'queued':   { entry: 'offer', meta: reports,
                    on:    { leased:       { target: 'leased', actions: 'takeOn' },
                             cancel:       { target: '#canceled', actions: 'noteCancel' } },
                    after: { callDeadline: { target: '#failed', actions: 'noteNoWorker' } } },
      'leased':   { entry: 'prolong', meta: reports,
                    on:    { heartbeat:    { target: 'leased', guard: 'ofThisLease', actions: 'noteReceipt', reenter: true },
                             leasedAgain:  { target: 'leased', guard: 'ofThisWorkerAndUnreceived', actions: 'takeAgain', reenter: true },
                             returned:    [{ target: '#canceled', guard: 'ofThisLeaseAndCanceled' },
                                           { target: 'queued', guard: 'ofThisLease', actions: 'giveBack' }],
                             completed:    { target: '#succeeded', guard: 'ofThisLease', actions: 'noteAnswer' },
                             refused:     [{ target: 'retrying', guard: 'ofThisLeaseAndRetryable', actions: ['noteRefusal', 'endLease'] },
                                           { target: '#failed', guard: 'ofThisLease', actions: 'noteRefusal' }],
                             cancel:       { target: 'leased', actions: 'noteCancel' } },
                    after: { leaseExpired: [{ target: 'leased', guard: 'deadlineMissed', reenter: true },
                                           { target: '#canceled', guard: 'canceledAndRepeatable' },
                                           { target: '#failed', guard: 'overdueAndRepeatable', actions: 'noteLateness' },
                                           { target: '#unknown', guard: 'overdue', actions: 'noteUnknownLateness' },
                                           { target: 'queued', guard: 'repeatable', actions: ['noteLoss', 'endLease'] },
                                           { target: '#failed', guard: 'repeatableButNoneLeft', actions: 'noteLoss' },
                                           { target: '#unknown', actions: 'noteUnknown' }] } },
      'retrying': { meta: reports,
                    on:    { cancel:       { target: '#canceled', actions: 'noteCancel' } },
                    after: { backOff:      { target: 'queued' } } },
      terminal: { entry: 'endLease', initial: 'succeeded', states: {
        'succeeded': { id: 'succeeded', meta: reports,
                       on: { completed: { target: 'succeeded', guard: 'ofThisLeaseAndAnswer' } } },
        'failed':    { id: 'failed', meta: reports,
                       on: { refused:   { target: 'failed', guard: 'ofThisLeaseAndAnswer' } } },
        'unknown':   { id: 'unknown', meta: reports },
        'canceled':  { id: 'canceled', meta: reports },
      } },
    },
  })

const path = '/api/v1/projects/{projectId}/environments/{environmentId}/workers'

/** Descriptions of the call's statechart. Source: contract 11, "Workers". */
export const workerCallChart = {
  title: 'Worker call',
  about:
    'One call of an operation that a worker executes. It waits in its queue until a worker leases it; the worker ' +
    'renews the lease by heartbeats and answers. A lost lease puts the call back into the queue if the operation ' +
    'only reads or is idempotent; any other call becomes `unknown`, and is not repeated. If the caller is canceled, ' +
    'a leased write that is not idempotent finishes: the answer of its worker decides the outcome.',
  machine: createWorkerCallMachine(),
  input: { repeatable: true, at: 0, timeoutMs: 30_000 },
  events: {
    create: { by: 'server', says: 'An operation with a `worker` handler is invoked.' },
    leased: { by: 'report', says: `\`POST ${path}/leases\`.` },
    leasedAgain: {
      by: 'report',
      says: `\`POST ${path}/leases\` by the worker that has the lease, and does not name it under \`held\`.`,
    },
    returned: { by: 'server', says: 'The connection of the worker closed before the lease was sent.' },
    heartbeat: { by: 'report', says: `\`POST ${path}/invocations/{invocationId}/heartbeat\`.` },
    completed: { by: 'report', says: `\`POST ${path}/invocations/{invocationId}/complete\` with an output.` },
    refused: { by: 'report', says: `\`POST ${path}/invocations/{invocationId}/complete\` with an error.` },
    cancel: { by: 'server', says: 'The caller was canceled.' },
  },
  guards: {
    ofThisLease: 'The report has the current lease.',
    ofThisLeaseAndAnswer: 'The report has the current lease, and repeats the answer of the call.',
    ofThisLeaseAndCanceled: 'The report has the current lease, and the caller was canceled.',
    ofThisWorkerAndUnreceived: 'The worker has the lease, and no heartbeat has shown that it received it.',
    ofThisLeaseAndRetryable:
      'The report has the current lease and a retryable error, and the call has been leased fewer than five times.',
    deadlineMissed: 'The server was down when the lease expired: the lease is extended once.',
    canceledAndRepeatable: 'The caller was canceled, and the operation only reads or is idempotent.',
    overdueAndRepeatable: 'The call has timed out, and the operation only reads or is idempotent.',
    overdue: 'The call has timed out.',
    repeatable: 'The operation only reads or is idempotent, and the call has been leased fewer than five times.',
    repeatableButNoneLeft: 'The operation only reads or is idempotent.',
  },
  deadlines: {
    callDeadline: { limits: 'Waiting for a worker: the `timeoutMs` of the operation.' },
    leaseExpired: { limits: 'A lease without a heartbeat.', setting: 'TROUPE_WORKER_LEASE_MS' },
    backOff: { limits: 'The back-off before a call is leased again, from 1 second doubling to 60.' },
  },
  effects: {
    offer: 'Wakes a worker that waits for the queue.',
  },
} satisfies ChartOf<ReturnType<typeof createWorkerCallMachine>>
