/**
 * One webhook delivery; the actor's id is the delivery's. Source: requirement 3, "Webhook delivery states"; contract 7.
 * Each claim has a unique number, which the sender reports with: a report after the lease has expired is ignored.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp } from './words.ts'

/** Time limits in milliseconds, from the configuration. */
export interface DeliveryLimits {
  /** The delays after attempts 1, 2 …; there is one more attempt than delays. */
  backOffMs: readonly number[]
  /** The relative jitter of a delay. */
  jitter: number
  /** The minimum delay after a sign that the endpoint is overloaded. */
  overloadMs: number
  /** An attempt without a report after this time is lost. */
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

/** The error classes of failed attempts. */
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
  'secret_unreadable',
  'lease_expired',
] as const
export type AttemptErrorClass = (typeof attemptErrorClasses)[number]

export interface DeliveryContext {
  /** Attempts since the creation or the last retry, including the one in flight. */
  attempts: number
  /** Claims since the creation. */
  claims: number
  claimedAt: number | null
  /** Set while pending. */
  pendingSince: number | null
  /** Set while retrying. */
  nextAttemptAt: number | null
  deliveredAt: number | null
}

/** The report of an attempt. */
interface AttemptReport {
  claim: number
  durationMs: number
}

export type DeliveryEvent =
  /** The delivery is next in the queue. */
  | (Stamp & { type: 'claimed' })
  /** The same after a retry delay. */
  | (Stamp & { type: 'due' })
  /** The endpoint answered 2xx. */
  | (Stamp & AttemptReport & { type: 'acknowledged'; status: number })
  /** The endpoint gave any other answer, or none. */
  | (Stamp &
      AttemptReport & {
        type: 'refused'
        errorClass: AttemptErrorClass
        status: number | null
        /** The endpoint's `Retry-After`. */
        retryAfterMs: number | null
        /** The beginning of the response body, if it is stored. */
        response?: string
      })
  | (Stamp & { type: 'retry' })

/** Added by the server to every event. */
interface Measured {
  /** Whether it is still making the attempt in flight. */
  underWay?: boolean
}

const gone = 410
const overloaded = new Set([429, 502, 503, 504])

const isOverload = (event: DeliveryEvent): boolean =>
  event.type === 'refused' &&
  (event.errorClass === 'timeout' ||
    event.errorClass === 'connect_timeout' ||
    (event.status !== null && overloaded.has(event.status)))

/** The delay after this attempt. The endpoint's request is honored from one to two times the scheduled delay. */
function delayMs(limits: DeliveryLimits, attempts: number, event: DeliveryEvent): number {
  const scheduled = limits.backOffMs[attempts - 1] ?? 0
  const least = isOverload(event) ? limits.overloadMs : 0
  const planned = Math.max(scheduled, least)
  if (event.type === 'refused' && event.retryAfterMs !== null)
    return Math.min(2 * planned, Math.max(planned, event.retryAfterMs))
  const strayed = scheduled * (1 + limits.jitter * (2 * event.chance - 1))
  return Math.round(Math.max(strayed, least))
}

/** Whether the report is for the current claim. The lease's deadline has no number and always is. */
const isCurrent = ({ claims }: DeliveryContext, event: DeliveryEvent): boolean =>
  !('claim' in event) || event.claim === claims

/** The attempt begins. */
const claim = [
  'countAttempt' as const,
  {
    type: 'postToEndpoint' as const,
    params: ({ context }: { context: DeliveryContext }) => ({ claim: context.claims }),
  },
]

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
      // the lease is longer than any attempt, so it has ended early: the clock was set, or the process was paused
      stillUnderWay: ({ event }: { event: DeliveryEvent & Measured }) => event.underWay === true,
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
    meta: { creations: { create: {}, replay: {}, test: {} } },
    initial: 'pending',
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      'pending':     { on:    { claimed:       { target: 'in-flight', actions: claim } } },
      'in-flight':   { on:    { acknowledged:  { target: 'delivered', guard: 'ofThisClaim', actions: ['noteDelivery', 'noteSuccess'] },
                                refused:      [{ target: 'dead-letter', guard: 'goneForGood', actions: ['noteFailure', 'disableSubscription'] },
                                               { target: 'dead-letter', guard: 'attemptsExhausted', actions: 'noteFailure' },
                                               { target: 'retrying', guard: 'ofThisClaim', actions: ['planNext', 'noteFailure'] }] },
                       after: { leaseExpired: [{ target: 'in-flight', guard: 'stillUnderWay', reenter: true },
                                               { target: 'dead-letter', guard: 'attemptsExhausted', actions: 'noteFailure' },
                                               { target: 'retrying', actions: ['planNext', 'noteFailure'] }] } },
      'retrying':    { on:    { due:           { target: 'in-flight', guard: 'backOffOver', actions: claim } } },
      'delivered':   {},
      'dead-letter': { on:    { retry:         { target: 'pending', actions: 'forgetAttempts' } } },
    },
  })

/** The operator's delays apply without minimum or jitter. Source: contract 7, `TROUPE_WEBHOOK_BACKOFF_MS`. */
export const deliveryLimits = (settings: { backOffMs: readonly number[] | null; leaseMs: number }): DeliveryLimits => ({
  ...defaultDeliveryLimits,
  ...(settings.backOffMs && { backOffMs: settings.backOffMs, jitter: 0, overloadMs: 0 }),
  leaseMs: settings.leaseMs,
})

/** Descriptions of the webhook delivery's statechart. Source: contract 7, "Delivery". */
export const deliveryChart = {
  title: 'Webhook delivery',
  about:
    'One event for one endpoint. It is `pending` in the queue, `in-flight` during an attempt, and `retrying` between ' +
    'attempts; a 2xx answer makes it `delivered`. After ten attempts within about 75 hours it is a `dead-letter`, which ' +
    'the retry operation puts back into the queue. If the server dies during an attempt, the attempt is counted when ' +
    'its lease expires: an endpoint may receive an event more than once, always with the same `webhook-id`.',
  machine: createDeliveryMachine(),
  input: { at: 0 },
  events: {
    create: {
      by: 'server',
      says: 'An event that the webhook subscribes to has occurred, or is recovered after a time in which the webhook was disabled.',
    },
    replay: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/replays`.',
    },
    test: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/test`.',
    },
    claimed: { by: 'server', says: 'The delivery is next in the queue, and a sender is free.' },
    due: { by: 'server', says: 'The retry delay is over, and a sender is free.' },
    acknowledged: { by: 'report', says: 'The endpoint answered 2xx.' },
    refused: { by: 'report', says: 'The endpoint gave another answer, or none.' },
    retry: {
      by: 'command',
      says: '`POST /api/v1/projects/{projectId}/environments/{environmentId}/webhooks/{webhookId}/deliveries/{deliveryId}/retry`.',
    },
  },
  guards: {
    backOffOver: 'The retry delay is over.',
    ofThisClaim: 'The report is for the attempt in flight.',
    goneForGood: 'The report is for the attempt in flight, and the endpoint answered 410 Gone.',
    stillUnderWay: 'The server is still making the attempt: its clock was set, or it was paused.',
    attemptsExhausted: 'The attempt in flight was the last one.',
  },
  deadlines: {
    leaseExpired: { limits: 'The report of an attempt.', setting: 'TROUPE_WEBHOOK_LEASE_MS' },
  },
  effects: {
    postToEndpoint: 'Posts the event to the endpoint and reports the outcome.',
    noteSuccess: 'Clears the failing status of the webhook.',
    noteFailure: 'Marks the webhook as failing since its first consecutive failure; it is disabled after 120 hours.',
    disableSubscription: 'Disables the webhook, because its endpoint is gone.',
  },
} satisfies ChartOf<ReturnType<typeof createDeliveryMachine>>
