/** Billing as clients see it, whoever is paid. Source: requirement 4.1; contract 8. */
import { type Static, Type } from '@sinclair/typebox'
import { nullable, oneOf, Timestamp } from '../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import type { LimitName } from '../tenancy/organizations/limits.ts'
import type { Contract } from './contract.ts'
import { PlanKey } from './plans.ts'
import { type ShareOf, shareOwners, type UsageCounters, type UsageShareCounters } from './usage.ts'

const address = (description: string) =>
  Type.String({
    maxLength: 2048,
    description: `${description} One of the console's own: \`/billing\`, \`/billing/success\`, \`/billing/canceled\`, \`/pricing\`, byte for byte.`,
    examples: ['http://localhost:3000/billing'],
  })

const csrfToken = Type.Optional(
  Type.String({ maxLength: 512, description: "A session's token; required with a session, ignored with an API key." }),
)

export const CheckoutBody = Type.Object(
  {
    planKey: PlanKey,
    successUrl: address('Where to go after paying.'),
    cancelUrl: address('Where to go without paying.'),
    csrfToken,
  },
  { $id: 'Checkout', description: 'What to pay for, and where to go afterwards.' },
)
export type CheckoutBody = Omit<Static<typeof CheckoutBody>, 'csrfToken'>

export const PortalBody = Type.Object(
  { returnUrl: address('Where to go afterwards.'), csrfToken },
  { $id: 'PortalVisit', description: 'Where to go afterwards.' },
)
export type PortalBody = Omit<Static<typeof PortalBody>, 'csrfToken'>

export const Redirect = Type.Object(
  { url: Type.String({ description: 'Send the browser there. It ends after a day at the latest.' }) },
  { $id: 'BillingRedirect', description: 'A page of the payment provider.' },
)
export type Redirect = Static<typeof Redirect>

export const BillingHeaders = Type.Object({
  'idempotency-key': Type.String({
    minLength: 1,
    maxLength: 255,
    parameter: 'RequiredIdempotencyKey',
    description:
      'Required: without it 400. The same request of the same user with the same key gets the first answer for 24 hours.',
  }),
})

const Period = Type.Object(
  { start: Timestamp('From then on.'), end: Timestamp('Until before then.') },
  { $id: 'BillingPeriod', description: 'From when to when.' },
)

export const Subscription = Type.Object(
  {
    planKey: Type.String({ description: 'The plan; that of price zero without a contract and after the end of one.' }),
    status: oneOf(['active', 'trialing', 'past_due', 'canceled']),
    currentPeriod: Period,
    cancelAt: nullable(Timestamp('When the contract ends, where that is planned.')),
  },
  { $id: 'Subscription', description: 'What the organization is subscribed to, whoever is paid.' },
)
export type Subscription = Static<typeof Subscription>

const Minutes = Type.Number({ minimum: 0 })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const ofLimit = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      limit: nullable(Type.Integer({ minimum: 0, description: 'null sets no bound.' })),
    },
    { description },
  )

export const Usage = Type.Object(
  {
    period: Period,
    minutes: Type.Object({
      used: Type.Number({
        minimum: 0,
        description: 'Time that attempts have held a machine; counted when an attempt ends.',
      }),
      reserved: Type.Number({
        minimum: 0,
        description:
          'Set aside for runs that are under way, a minute each at first. A start is refused (402) once `used` and ' +
          '`reserved` together reach the budget; what is not used is given back when a run ends or waits.',
      }),
      budget: nullable(Type.Number({ minimum: 0, description: 'null sets no bound.' })),
      remaining: nullable(Minutes),
    }),
    runs: Type.Object({
      started: count('A continue is no other run.'),
      completed: count('Each time that one has completed, also after a continue.'),
      failed: count('The same for failures.'),
    }),
    tokens: Type.Object({ input: count('What models have read.'), output: count('What models have written.') }),
    limits: Type.Object(
      {
        projects: ofLimit('Projects.'),
        agents: ofLimit("Agents in the organization's Projects."),
        liveRuns: ofLimit('Runs that have not ended.'),
        openStreams: ofLimit('Event streams that are open at this server process.'),
        storedBytes: ofLimit('What is stored of runs; see the billing page of the docs for what counts.'),
      },
      { description: 'What the organization has at this moment, and may have at most.' },
    ),
  },
  { $id: 'Usage', description: 'What the organization has used in the current period.' },
)
export type Usage = Static<typeof Usage>

const owner = (description: string) => Type.Optional(nullable(Type.String({ description })))

export const UsageShare = Type.Object(
  {
    ...Type.Omit(Usage, ['limits']).properties,
    projectId: owner('With `by=project`: whose it is; null for runs outside of Projects.'),
    agentId: owner('With `by=agent`: whose it is; null for what was counted before Agents were told apart.'),
    name: nullable(Type.String({ description: 'Of that Project or Agent; null where it is gone, or there is none.' })),
  },
  {
    $id: 'UsageShare',
    description:
      'What one Project or Agent has used of what its organization has. `budget` and `remaining` are null: there is ' +
      'one budget, and it is the organization’s.',
  },
)
export type UsageShare = Static<typeof UsageShare>

export const UsageAnswer = Type.Object(
  {
    ...Usage.properties,
    pastPeriods: Type.Array(Period, {
      description: 'Those before the current one in which something was counted, the latest first; at most 24.',
    }),
    items: Type.Optional(
      Type.Array(UsageShare, {
        description: 'With `by`: what each Project or Agent has of that, the most used first; at most 1,000.',
      }),
    ),
  },
  { $id: 'UsageAnswer', description: 'What the organization has used, and with `by` whose that is.' },
)

export const UsageQuery = Type.Object({
  by: Type.Optional(oneOf(shareOwners, { description: 'Adds `items`: one entry for each of them.' })),
  period: Type.Optional(
    Timestamp('The start of a past period, of a month or a year as the plan was; left out: the current one.'),
  ),
})

export const presentPeriod = ({ start, end }: Contract['period']) => ({ start: timestamp(start), end: timestamp(end) })

export const presentContract = ({ planKey, status, period, cancelAt }: Contract): Subscription => ({
  planKey,
  status,
  currentPeriod: presentPeriod(period),
  cancelAt: timestampOrNull(cancelAt),
})

export function presentUsage(
  { period, minuteBudget: budget, limits }: Pick<Contract, 'period' | 'minuteBudget' | 'limits'>,
  { minutes, reservedMinutes, runs, tokens }: UsageCounters,
  has: Record<LimitName, number>,
): Usage {
  const used = thousandths(minutes)
  const remaining = budget === null ? null : Math.max(0, thousandths(budget - minutes))
  const of = (name: LimitName) => ({ used: Math.max(0, has[name]), limit: limits[name] })
  return {
    period: presentPeriod(period),
    minutes: { used, reserved: Math.max(0, thousandths(reservedMinutes)), budget, remaining },
    runs,
    tokens,
    limits: {
      projects: of('projects'),
      agents: of('agents'),
      liveRuns: of('liveRuns'),
      openStreams: of('openStreams'),
      storedBytes: of('storedBytes'),
    },
  }
}

/** What one of them has used. */
export function presentShare(
  by: ShareOf,
  { id, name, counters }: UsageShareCounters,
  period: Contract['period'],
): UsageShare {
  const { minutes, reservedMinutes, runs, tokens } = counters
  return {
    ...(by === 'project' ? { projectId: id } : { agentId: id }),
    name,
    period: presentPeriod(period),
    minutes: {
      used: thousandths(minutes),
      reserved: Math.max(0, thousandths(reservedMinutes)),
      budget: null,
      remaining: null,
    },
    runs,
    tokens,
  }
}

const thousandths = (value: number): number => Math.round(value * 1_000) / 1_000
