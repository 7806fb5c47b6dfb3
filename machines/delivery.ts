/**
 * One webhook delivery; the actor's id is the delivery's. Source: requirement 3, "Webhook delivery states"; contract 7.
 *
 * Each claim has a number that never comes again. Whoever posts reports with the number of its claim: what comes after
 * the lease has expired counts for nothing.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp } from './words.ts'

/** How long things may take, all in milliseconds. From the configuration; never from a request. */
export interface DeliveryLimits {
  /** The delays after attempt 1, 2 …: one attempt more than delays. */
  backOffMs: readonly number[]
  /** The part of a delay by which it may be shorter or longer. */
  jitter: number
  /** The least delay after a sign that the endpoint has too much to do. */
  overloadMs: number
  /** An attempt that has not reported for so long is lost. */
  leaseMs: number
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000]

/** Contract 7, "Delivery": ten attempts within 75 h 35 min. */
export const defaultDeliveryLimits: DeliveryLimits = {
  backOffMs: [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
  jitter: 0.2,
  overloadMs: minute,
  leaseMs: minute,
}

export const deliveryStates = ['pending', 'in-flight', 'retrying', 'delivered', 'dead-letter'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** How an attempt that was not acknowledged has ended. */
export const attemptErrorClasses = [
  'dns_error',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_error',
  'timeout',
  'reset',
  'http_status',
  'redirect',
  'invalid_response',
  'lease_expired',
] as const
export type AttemptErrorClass = (typeof attemptErrorClasses)[number]

export interface DeliveryContext {
  /** Since the creation or the last retry; with the one in flight. */
  attempts: number
  /** Since the creation. */
  claims: number
  claimedAt: number | null
  /** While it is pending. */
  pendingSince: number | null
  /** While it is retrying. */
  nextAttemptAt: number | null
  deliveredAt: number | null
}

/** What whoever has posted reports. */
export interface AttemptReport {
  /** The number of the claim. */
  claim: number
  durationMs: number
}

export type DeliveryEvent =
  /** Its turn has come. */
  | (Stamp & { type: 'claimed' })
  /** The same, after a delay. */
  | (Stamp & { type: 'due' })
  /** The endpoint has taken it: 2xx. */
  | (Stamp & AttemptReport & { type: 'acknowledged'; status: number })
  /** Anything else. */
  | (Stamp &
      AttemptReport & {
        type: 'refused'
        errorClass: AttemptErrorClass
        status: number | null
        /** What the endpoint asks for in a `Retry-After`. */
        retryAfterMs: number | null
        /** The beginning of what it said, where that is kept. */
        response?: string
      })
  | (Stamp & { type: 'retry' })

const gone = 410
const overloaded = new Set([429, 502, 503, 504])

const isOverload = (event: DeliveryEvent): boolean =>
  event.type === 'refused' &&
  (event.errorClass === 'timeout' ||
    event.errorClass === 'connect_timeout' ||
    (event.status !== null && overloaded.has(event.status)))

/** How long to wait after this attempt. What the endpoint asks for counts between one and two times the plan. */
function delayMs(limits: DeliveryLimits, attempts: number, event: DeliveryEvent): number {
  const scheduled = limits.backOffMs[attempts - 1] ?? 0
  const least = isOverload(event) ? limits.overloadMs : 0
  const planned = Math.max(scheduled, least)
  if (event.type === 'refused' && event.retryAfterMs !== null)
    return Math.min(2 * planned, Math.max(planned, event.retryAfterMs))
  const strayed = scheduled * (1 + limits.jitter * (2 * event.chance - 1))
  return Math.round(Math.max(strayed, least))
}

/** The report is of this claim; the end of the lease carries no number, and is of the claim whose state it ends. */
const isCurrent = ({ claims }: DeliveryContext, event: DeliveryEvent): boolean =>
  !('claim' in event) || event.claim === claims

/** The statechart of a delivery under these limits. */
export const createDeliveryMachine = (limits: DeliveryLimits = defaultDeliveryLimits) =>
  setup({
    types: {
      input: {} as { at: number },
      context: {} as DeliveryContext,
      events: {} as DeliveryEvent,
    },
    guards: {
      backOffOver: ({ context, event }) => context.nextAttemptAt !== null && context.nextAttemptAt <= event.at,
      ofThisClaim: ({ context, event }) => isCurrent(context, event),
      goneForGood: ({ context, event }) =>
        isCurrent(context, event) && event.type === 'refused' && event.status === gone,
      attemptsExhausted: ({ context, event }) =>
        isCurrent(context, event) && context.attempts > limits.backOffMs.length,
    },
    delays: {
      leaseExpired: limits.leaseMs,
    },
    actions: {
      countAttempt: assign(({ context, event }) => ({
        attempts: context.attempts + 1,
        claims: context.claims + 1,
        claimedAt: event.at,
        pendingSince: null,
        nextAttemptAt: null,
      })),
      planNext: assign(({ context, event }) => ({
        nextAttemptAt: event.at + delayMs(limits, context.attempts, event),
      })),
      noteDelivery: assign(({ event }) => ({ deliveredAt: event.at })),
      forgetAttempts: assign(({ event }) => ({ attempts: 0, pendingSince: event.at })),
      postToEndpoint: (_, _params: { claim: number }) => {},
      noteSuccess: effect,
      noteFailure: effect,
      disableSubscription: effect,
    },
  }).createMachine({
    id: 'delivery',
    version: '1',
    context: ({ input }) => ({
      attempts: 0,
      claims: 0,
      claimedAt: null,
      pendingSince: input.at,
      nextAttemptAt: null,
      deliveredAt: null,
    }),
    meta: { births: { create: {}, replay: {}, test: {} } },
    initial: 'pending',
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      'pending':     { on:    { claimed:       { target: 'in-flight' } } },
      'in-flight':   { entry: ['countAttempt', { type: 'postToEndpoint', params: ({ context }) => ({ claim: context.claims }) }],
                       on:    { acknowledged:  { target: 'delivered', guard: 'ofThisClaim', actions: ['noteDelivery', 'noteSuccess'] },
                                refused:      [{ target: 'dead-letter', guard: 'goneForGood', actions: ['noteFailure', 'disableSubscription'] },
                                               { target: 'dead-letter', guard: 'attemptsExhausted', actions: 'noteFailure' },
                                               { target: 'retrying', guard: 'ofThisClaim', actions: ['planNext', 'noteFailure'] }] },
                       after: { leaseExpired: [{ target: 'dead-letter', guard: 'attemptsExhausted', actions: 'noteFailure' },
                                               { target: 'retrying', actions: ['planNext', 'noteFailure'] }] } },
      'retrying':    { on:    { due:           { target: 'in-flight', guard: 'backOffOver' } } },
      'delivered':   {},
      'dead-letter': { on:    { retry:         { target: 'pending', actions: 'forgetAttempts' } } },
    },
  })

/** The delays are the operator's: then neither minimum nor jitter. Source: contract 7, `TROUPE_WEBHOOK_BACKOFF_MS`. */
export const deliveryLimits = (settings: { backOffMs: readonly number[] | null; leaseMs: number }): DeliveryLimits => ({
  ...defaultDeliveryLimits,
  ...(settings.backOffMs && { backOffMs: settings.backOffMs, jitter: 0, overloadMs: 0 }),
  leaseMs: settings.leaseMs,
})

/** The statechart of a webhook delivery, in words. Source: contract 7, "Delivery". */
export const deliveryChart = {
  title: 'Webhook delivery',
  about:
    'One event on its way to one endpoint. It waits in `pending` for its turn, is `in-flight` for the time of one attempt, ' +
    'and waits in `retrying` for the next one; an endpoint that takes it ends it as `delivered`. After ten attempts within ' +
    'some 75 hours it is a `dead-letter`, which the retry operation puts back into the queue. An attempt that does not ' +
    'report, because its server has died, is counted when its lease expires: an endpoint may get an event more than once, ' +
    'always with the same `webhook-id`.',
  machine: createDeliveryMachine(),
  input: { at: 0 },
  events: {
    create: {
      by: 'server',
      says: 'Something has happened that the webhook has subscribed to, or is made up for after a time in which it was disabled.',
    },
    replay: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/replays`.',
    },
    test: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/test`.',
    },
    claimed: { by: 'server', says: 'Its turn has come, and there is a free place to send from.' },
    due: { by: 'server', says: 'The same, after the wait since the last attempt.' },
    acknowledged: { by: 'report', says: 'The endpoint has answered 2xx.' },
    refused: { by: 'report', says: 'The endpoint has answered something else, or nothing.' },
    retry: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`.',
    },
  },
  guards: {
    backOffOver: 'The delay since the last attempt is over.',
    ofThisClaim: 'The report comes from the attempt that is in flight.',
    goneForGood: 'The report comes from the attempt that is in flight, and the endpoint answered 410.',
    attemptsExhausted: 'It was the last attempt (and the report comes from it).',
  },
  deadlines: {
    leaseExpired: { limits: 'The report of an attempt.', setting: 'TROUPE_WEBHOOK_LEASE_MS' },
  },
  effects: {
    postToEndpoint: 'Posts the event to the endpoint, and reports how that went.',
    noteSuccess: 'The webhook is not failing any more.',
    noteFailure: 'The webhook is failing since its first failure in a row; after 120 hours of that it is disabled.',
    disableSubscription: 'Disables the webhook: its endpoint is gone.',
  },
} satisfies ChartOf<ReturnType<typeof createDeliveryMachine>>
