/**
 * The contract of one organization with the operator; the actor's id is the organization's. Source: requirement 4.1;
 * contract 8.
 *
 * With a payment provider outside, the provider decides: whatever it reports only leads to asking it how things stand, and
 * what it answers is written. Each asking has a number, and what an earlier one brings after a later one counts for nothing.
 * The embedded provider has nobody to ask: there the chart itself decides.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { type Interval, type Period, periodAt } from './period.ts'
import type { Stamp, StateMeta } from './words.ts'

export const subscriptionStates = ['none', 'trialing', 'active', 'past_due', 'canceled'] as const
export type SubscriptionState = (typeof subscriptionStates)[number]

/** A paid contract runs. */
export const contractStates = ['trialing', 'active', 'past_due'] as const
export type ContractState = (typeof contractStates)[number]
export const isContract = (state: string): state is ContractState =>
  (contractStates as readonly string[]).includes(state)

export const paymentProviders = ['stripe', 'embedded'] as const
export type PaymentProvider = (typeof paymentProviders)[number]

/** What a contract is about. */
export interface Agreement {
  planKey: string | null
  interval: Interval
  period: Period | null
  /** When it ends, where that is planned. */
  cancelAt: number | null
}

export interface SubscriptionContext extends Agreement {
  provider: PaymentProvider
  /** With the embedded provider: what periods are counted from. */
  anchor: number | null
  /** How often the provider was to be asked. */
  reports: number
  /** The number of the asking whose answer was written last. */
  written: number
}

export type SubscriptionEvent =
  /** Somebody is sent to the provider to pay. */
  | (Stamp & { type: 'checkout'; provider: PaymentProvider })
  /** Somebody is sent to the provider to look after the contract. */
  | (Stamp & { type: 'openPortal'; provider: PaymentProvider })
  /** The provider says that something has happened. */
  | (Stamp & { type: 'reported' })
  /** How things stand at the provider, asked for by that number. */
  | (Stamp & Agreement & { type: 'fetched'; report: number; status: SubscriptionState })
  /** On the pages of the embedded provider. */
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

/** The answer to this asking, or to one after it, has not been written yet, and it is that status. */
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
    message: 'There has been no paid contract yet; begin with a checkout.',
  },
}
const contractRuns: StateMeta['refuses'] = {
  checkout: { status: 400, code: 'contract_active', message: 'A paid contract runs already; the portal changes it.' },
}
const without: StateMeta = { refuses: { ...noContract } }
const within: StateMeta = { refuses: { ...noContract, ...contractRuns } }

const ask = [
  'countReport',
  { type: 'refetch', params: ({ context }: { context: SubscriptionContext }) => ({ report: context.reports }) },
] as const

/** How a contract goes on, whatever its state: what the provider says is written, and deadlines begin anew. */
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
    /** The end of the period; with a provider outside at least a look once a day, and no more than one in an hour. */
    due: ({ context, event }) => {
      const rest = (context.period?.end ?? 0) - event.at
      return context.provider === 'embedded' ? Math.max(0, rest) : Math.min(day, Math.max(hour, rest))
    },
  },
  actions: {
    adopt: assign(({ event }) => (event.type === 'checkout' ? nothing(event.provider) : {})),
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

/** The statechart of a subscription, in words. Source: contract 8. */
export const subscriptionChart = {
  title: 'Subscription',
  about:
    "An organization's contract with the operator; its id is the organization's. `none` is before the first contract, and " +
    'counts as the plan of price zero. With a payment provider outside, the provider decides: what it reports leads to ' +
    'asking it how things stand, and its answer, `fetched`, is written; it is also asked once a day, so that a lost report ' +
    'is made good. The embedded provider, for development, has nobody to ask: there `pay`, `changePlan`, ' +
    '`cancelAtPeriodEnd`, `resume` and `cancel` come from its pages, and periods roll over by a deadline.',
  machine: subscriptionMachine,
  input: { provider: 'stripe' },
  events: {
    create: { by: 'server', says: 'Something is asked of the billing of an organization for the first time.' },
    checkout: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/checkout`.' },
    openPortal: { by: 'command', says: '`POST /api/v1/organizations/{organizationIdOrSlug}/billing/portal`.' },
    reported: {
      by: 'report',
      says: 'The payment provider says that something has happened: `POST /api/billing/stripe/webhook`.',
    },
    fetched: { by: 'report', says: 'How things stand at the payment provider, which the server has asked.' },
    pay: { by: 'command', says: 'Somebody pays on the checkout page of the embedded provider.' },
    changePlan: { by: 'command', says: 'Somebody takes another plan in the portal of the embedded provider.' },
    cancelAtPeriodEnd: {
      by: 'command',
      says: 'Somebody ends the contract with its period, in the portal of the embedded provider.',
    },
    resume: { by: 'command', says: 'Somebody takes that back, in the portal of the embedded provider.' },
    cancel: { by: 'command', says: 'Somebody ends the contract at once, in the portal of the embedded provider.' },
  },
  guards: {
    none: 'It is the answer to the last asking or a later one, and there is no contract.',
    trialing: 'It is the answer to the last asking or a later one, and the contract is on trial.',
    active: 'It is the answer to the last asking or a later one, and the contract runs.',
    pastDue: 'It is the answer to the last asking or a later one, and the contract runs without being paid.',
    canceled: 'It is the answer to the last asking or a later one, and the contract has ended.',
    ofThisProvider: 'The contract is with the provider of this deployment.',
    ofAnotherProvider: 'The contract is with a provider that this deployment does not have any more.',
    embedded: 'The provider is the embedded one.',
    atProvider: 'The provider is outside.',
    endPlanned: 'The provider is the embedded one, and the contract is to end with its period.',
    noEndPlanned: 'The provider is the embedded one, and the contract is to go on.',
    anotherPlan: 'The provider is the embedded one, and the plan is another one.',
  },
  deadlines: {
    checkoutOver: { limits: 'A checkout; then the provider is asked once, in case its report was lost.' },
    due: {
      limits: 'The period. With a provider outside, the next asking: a day at the latest, an hour at the soonest.',
      varies: true,
    },
  },
  effects: {
    refetch: 'Asks the provider how things stand, again and again until it answers, and tells the subscription.',
  },
} satisfies ChartOf<typeof subscriptionMachine>
