/**
 * An organization's billing contract; the actor's id is the organization's. Source: requirement 4.1; contract 8.
 * An external payment provider decides: each of its reports only triggers a query of the current status, whose answer
 * is stored. Queries are numbered, and the answer to an earlier query is ignored once a later one is stored. With the
 * embedded provider the chart itself decides.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Interval, type Period, periodAt } from './period.ts'
import type { Stamp, StateMeta } from './words.ts'

const subscriptionStates = ['none', 'trialing', 'active', 'past_due', 'canceled'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** The states of an active paid contract. */
const contractStates = ['trialing', 'active', 'past_due'] as const
export type ContractState = (typeof contractStates)[number]
export const isContract = (state: string): state is ContractState =>
  (contractStates as readonly string[]).includes(state)

const paymentProviders = ['stripe', 'embedded'] as const
export type PaymentProvider = (typeof paymentProviders)[number]

/** The terms of a contract. */
export interface Agreement {
  planKey: string | null
  interval: Interval
  period: Period | null
  /** The planned end, if any. */
  cancelAt: number | null
}

export interface SubscriptionContext extends Agreement {
  provider: PaymentProvider
  /** The start of the first period; embedded provider only. */
  anchor: number | null
  /** The number of queries requested. */
  reports: number
  /** The number of the query whose answer was stored last. */
  written: number
}

export type SubscriptionEvent =
  /** Starts a checkout at the provider. */
  | (Stamp & { type: 'checkout'; provider: PaymentProvider })
  /** Opens the provider's portal. */
  | (Stamp & { type: 'openPortal'; provider: PaymentProvider })
  /** The provider reports a change. */
  | (Stamp & { type: 'reported' })
  /** The provider's answer to the query of that number. */
  | (Stamp & Agreement & { type: 'fetched'; report: number; status: SubscriptionState })
  /** From the embedded provider's pages. */
  | (Stamp & { type: 'pay'; planKey: string; interval: Interval })
  | (Stamp & { type: 'changePlan'; planKey: string; interval: Interval })
  | (Stamp & { type: 'cancelAtPeriodEnd' })
  | (Stamp & { type: 'resume' })
  | (Stamp & { type: 'cancel' })

const [hour, day] = [3_600_000, 86_400_000]

const nothing = (provider: PaymentProvider): SubscriptionContext => ({
  provider,
  planKey: null,
  interval: 'month',
  period: null,
  cancelAt: null,
  anchor: null,
  reports: 0,
  written: 0,
})

/** Whether the answer is newer than the stored one and has that status. */
const says =
  (status: SubscriptionState) =>
  ({ context, event }: { context: SubscriptionContext; event: SubscriptionEvent }) =>
    event.type === 'fetched' && event.status === status && event.report >= context.written

const isEmbedded = ({ context }: { context: SubscriptionContext }) => context.provider === 'embedded'
const ofProvider = ({ context, event }: { context: SubscriptionContext; event: SubscriptionEvent }) =>
  'provider' in event && event.provider === context.provider

const noContract: StateMeta['refuses'] = {
  openPortal: {
    status: 400,
    code: 'no_contract',
    message: 'There is no paid contract yet. Start a checkout.',
  },
}
/** The refusal of a checkout during a contract. */
export const contractRuns = {
  status: 400,
  code: 'contract_active',
  message: 'There is already a paid contract. Change it in the portal.',
} as const
const without: StateMeta = { refuses: { ...noContract } }
const within: StateMeta = { refuses: { ...noContract, checkout: contractRuns } }

const ask = [
  'countReport',
  { type: 'refetch', params: ({ context }: { context: SubscriptionContext }) => ({ report: context.reports }) },
] as const

/** Transitions of every state: the provider's answer is stored, and deadlines restart. */
const written = [
  { target: '#trialing', guard: 'trialing', actions: 'write', reenter: true },
  { target: '#active', guard: 'active', actions: 'write', reenter: true },
  { target: '#past_due', guard: 'pastDue', actions: 'write', reenter: true },
] as const

export const subscriptionMachine = setup({
  types: {
    input: {} as { provider: PaymentProvider },
    context: {} as SubscriptionContext,
    events: {} as SubscriptionEvent,
    meta: {} as StateMeta,
  },
  guards: {
    none: says('none'),
    trialing: says('trialing'),
    active: says('active'),
    pastDue: says('past_due'),
    canceled: says('canceled'),
    ofThisProvider: ofProvider,
    ofAnotherProvider: (given) => !ofProvider(given),
    embedded: isEmbedded,
    atProvider: (given) => !isEmbedded(given),
    endPlanned: (given) => isEmbedded(given) && given.context.cancelAt !== null,
    noEndPlanned: (given) => isEmbedded(given) && given.context.cancelAt === null,
    anotherPlan: (given) =>
      isEmbedded(given) && given.event.type === 'changePlan' && given.event.planKey !== given.context.planKey,
  },
  delays: {
    checkoutOver: 25 * hour,
    /** The end of the period; with an external provider at most a day, and at least an hour, from now. */
    due: ({ context, event }) => {
      const rest = (context.period?.end ?? 0) - event.at
      return context.provider === 'embedded' ? Math.max(0, rest) : Math.min(day, Math.max(hour, rest))
    },
  },
  actions: {
    // the numbers go on, so that a late answer of the earlier provider is not one of the new provider
    adopt: assign(({ context, event }) =>
      event.type === 'checkout'
        ? { ...nothing(event.provider), reports: context.reports, written: context.reports + 1 }
        : {},
    ),
    countReport: assign({ reports: ({ context }) => context.reports + 1 }),
    write: assign(({ context, event }) => {
      if (event.type !== 'fetched') return {}
      const { planKey, interval, period, cancelAt, report } = event
      return { planKey: planKey ?? context.planKey, interval, period, cancelAt, written: report }
    }),
    begin: assign(({ event }) => {
      if (event.type !== 'pay') return {}
      const { planKey, interval, at } = event
      return { planKey, interval, anchor: at, period: periodAt(at, interval, at), cancelAt: null }
    }),
    exchange: assign(({ context, event }) => {
      if (event.type !== 'changePlan') return {}
      const { planKey, interval, at } = event
      if (interval === context.interval) return { planKey, cancelAt: null }
      return { planKey, interval, anchor: at, period: periodAt(at, interval, at), cancelAt: null }
    }),
    planEnd: assign(({ context }) => ({ cancelAt: context.period?.end ?? null })),
    forgetEnd: assign({ cancelAt: null }),
    rollOver: assign(({ context, event }) => ({
      period: periodAt(context.anchor ?? event.at, context.interval, event.at),
    })),
    refetch: (_, _params: { report: number }) => {},
  },
}).createMachine({
  id: 'subscription',
  version: '1',
  context: ({ input }) => nothing(input.provider),
  initial: 'withoutContract',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    withoutContract: {
                    on:    { reported:           { guard: 'atProvider', actions: ask },
                             pay:                { target: '#active', guard: 'embedded', actions: 'begin' } },
                    meta:  without,
                    initial: 'none', states: {
      'none':     { id: 'none',
                    on:    { checkout:          [{ target: 'none', guard: 'ofAnotherProvider', actions: 'adopt', reenter: true },
                                                 { target: 'none', reenter: true }],
                             fetched:           [...written,
                                                 { target: 'canceled', guard: 'canceled', actions: 'write' },
                                                 { target: 'none', guard: 'none', actions: 'write' }] },
                    after: { checkoutOver:       { target: 'none', guard: 'atProvider', actions: ask } } },
      'canceled': { id: 'canceled',
                    on:    { checkout:          [{ target: 'none', guard: 'ofAnotherProvider', actions: 'adopt' },
                                                 { target: 'canceled', reenter: true }],
                             openPortal:         { target: 'canceled', guard: 'ofThisProvider' },
                             fetched:           [...written,
                                                 { target: 'canceled', guard: 'canceled', actions: 'write' },
                                                 { target: 'canceled', guard: 'none', actions: 'write' }] },
                    after: { checkoutOver:       { target: 'canceled', guard: 'atProvider', actions: ask } } },
    } },
    underContract: {
                    on:    { checkout:           { target: '#none', guard: 'ofAnotherProvider', actions: 'adopt' },
                             reported:           { guard: 'atProvider', actions: ask },
                             fetched:           [...written,
                                                 { target: '#canceled', guard: 'canceled', actions: 'write' },
                                                 { target: '#canceled', guard: 'none', actions: 'write' }] },
                    meta:  within,
                    initial: 'active', states: {
      'trialing': { id: 'trialing',
                    on:    { openPortal:         { target: 'trialing', guard: 'ofThisProvider' } },
                    after: { due:                { target: 'trialing', guard: 'atProvider', actions: ask, reenter: true } } },
      'active':   { id: 'active',
                    on:    { openPortal:         { target: 'active', guard: 'ofThisProvider' },
                             changePlan:         { target: 'active', guard: 'anotherPlan', actions: 'exchange', reenter: true },
                             cancelAtPeriodEnd:  { target: 'active', guard: 'noEndPlanned', actions: 'planEnd' },
                             resume:             { target: 'active', guard: 'endPlanned', actions: 'forgetEnd' },
                             cancel:             { target: '#canceled', guard: 'embedded' } },
                    after: { due:               [{ target: 'active', guard: 'atProvider', actions: ask, reenter: true },
                                                 { target: '#canceled', guard: 'endPlanned' },
                                                 { target: 'active', actions: 'rollOver', reenter: true }] } },
      'past_due': { id: 'past_due',
                    on:    { openPortal:         { target: 'past_due', guard: 'ofThisProvider' } },
                    after: { due:                { target: 'past_due', guard: 'atProvider', actions: ask, reenter: true } } },
    } },
  },
})

/** Descriptions of the subscription's statechart. Source: contract 8. */
export const subscriptionChart = {
  title: 'Subscription',
  about:
    "An organization's contract with the operator; its id is the organization's. `none` is before the first contract, and " +
    'counts as the free plan. An external payment provider decides: its reports trigger a query of the current status, ' +
    'and the answer, `fetched`, is stored. The provider is also queried once a day, in case a report was lost. ' +
    'With the embedded provider, for development, `pay`, `changePlan`, ' +
    '`cancelAtPeriodEnd`, `resume` and `cancel` come from its pages, and periods roll over by a deadline.',
  machine: subscriptionMachine,
  input: { provider: 'stripe' },
  events: {
    create: { by: 'server', says: 'The billing of an organization is requested for the first time.' },
    checkout: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/checkout`.' },
    openPortal: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/portal`.' },
    reported: {
      by: 'report',
      says: 'The payment provider reports a change: `POST /api/billing/stripe/webhook`.',
    },
    fetched: { by: 'report', says: 'The payment provider answered with the current status.' },
    pay: { by: 'command', says: 'The user pays on the checkout page of the embedded provider.' },
    changePlan: { by: 'command', says: 'The user changes the plan in the portal of the embedded provider.' },
    cancelAtPeriodEnd: {
      by: 'command',
      says: 'The user cancels the contract at the end of its period, in the portal of the embedded provider.',
    },
    resume: { by: 'command', says: 'The user withdraws the cancellation in the portal of the embedded provider.' },
    cancel: {
      by: 'command',
      says: 'The user cancels the contract immediately in the portal of the embedded provider.',
    },
  },
  guards: {
    none: 'The answer is current, and there is no contract.',
    trialing: 'The answer is current, and the contract is in its trial.',
    active: 'The answer is current, and the contract is active.',
    pastDue: 'The answer is current, and the contract is past due.',
    canceled: 'The answer is current, and the contract has ended.',
    ofThisProvider: 'The contract is with the payment provider of this server.',
    ofAnotherProvider: 'The contract is with a payment provider that this server no longer uses.',
    embedded: 'The provider is the embedded one.',
    atProvider: 'The provider is external.',
    endPlanned: 'The provider is the embedded one, and the contract ends with its period.',
    noEndPlanned: 'The provider is the embedded one, and the contract renews.',
    anotherPlan: 'The provider is the embedded one, and the plan is a different one.',
  },
  deadlines: {
    checkoutOver: { limits: 'A checkout. The provider is then queried once, in case its report was lost.' },
    due: {
      limits:
        'The period. With an external provider, the next query: after an hour at the earliest and a day at the latest.',
      varies: true,
    },
  },
  effects: {
    refetch: 'Queries the current status from the provider, with retries until it answers.',
  },
} satisfies ChartOf<typeof subscriptionMachine>
