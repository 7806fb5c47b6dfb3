/** Billing as clients see it, with any payment provider. Source: requirement 4.1; contract 8. */
import { type Static, Type } from '@sinclair/typebox'
import { nullable, oneOf, Timestamp } from '../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../platform/http/timestamp.ts'
import { Cost } from '../platform/models/prices/schema.ts'
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
    successUrl: address('The page after paying.'),
    cancelUrl: address('The page after leaving without paying.'),
    csrfToken,
  },
  { $id: 'Checkout', description: 'A checkout for a plan.' },
)
export type CheckoutBody = Omit<Static<typeof CheckoutBody>, 'csrfToken'>

export const PortalBody = Type.Object(
  { returnUrl: address('The page to return to.'), csrfToken },
  { $id: 'PortalVisit', description: 'A visit to the billing portal.' },
)
export type PortalBody = Omit<Static<typeof PortalBody>, 'csrfToken'>

export const Redirect = Type.Object(
  { url: Type.String({ description: 'The URL to send the browser to. It expires after a day at the latest.' }) },
  { $id: 'BillingRedirect', description: 'A page of the payment provider.' },
)
export type Redirect = Static<typeof Redirect>

export const BillingHeaders = Type.Object({
  'idempotency-key': Type.String({
    minLength: 1,
    maxLength: 255,
    parameter: 'RequiredIdempotencyKey',
    description:
      'Required: 400 without it. A repeated request of the same user with the same key gets the first answer for 24 hours.',
  }),
})

const Period = Type.Object(
  { start: Timestamp('The start, inclusive.'), end: Timestamp('The end, exclusive.') },
  { $id: 'BillingPeriod', description: 'A billing period.' },
)

export const Subscription = Type.Object(
  {
    planKey: Type.String({ description: 'The plan; without a contract, and after its end, the plan of price zero.' }),
    status: oneOf(['active', 'trialing', 'past_due', 'canceled']),
    currentPeriod: Period,
    cancelAt: nullable(Timestamp('When the contract ends, if it is scheduled to.')),
  },
  { $id: 'Subscription', description: 'The subscription of the organization.' },
)
export type Subscription = Static<typeof Subscription>

const Minutes = Type.Number({ minimum: 0 })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const ofLimit = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      limit: nullable(Type.Integer({ minimum: 0, description: 'null: unlimited.' })),
    },
    { description },
  )

const Usage = Type.Object(
  {
    period: Period,
    minutes: Type.Object({
      used: Type.Number({
        minimum: 0,
        description: 'Time for which attempts held a machine; counted when an attempt ends.',
      }),
      reserved: Type.Number({
        minimum: 0,
        description:
          'Reserved for live runs, initially a minute each. A start is refused (402) once `used` and ' +
          '`reserved` together reach the budget; unused time is released when a run ends or waits.',
      }),
      budget: nullable(Type.Number({ minimum: 0, description: 'null: unlimited.' })),
      remaining: nullable(Minutes),
    }),
    runs: Type.Object({
      started: count('A continue does not count as a run.'),
      completed: count('Completions, including those after a continue.'),
      failed: count('Failures, including those after a continue.'),
    }),
    tokens: Type.Object({ input: count('Input tokens of models.'), output: count('Output tokens of models.') }),
    cost: Type.Optional({
      ...nullable(Cost),
      description: 'The cost of model steps; null if one had no price or currencies differ. Omitted without prices.',
    }),
    costs: Type.Optional(
      Type.Array(Cost, { description: 'The same by currency, whatever steps had no price. Omitted without prices.' }),
    ),
    limits: Type.Object(
      {
        projects: ofLimit('Projects.'),
        agents: ofLimit("Agents in the organization's Projects."),
        liveRuns: ofLimit('Unfinished runs.'),
        openStreams: ofLimit('Open event streams of this server process.'),
        storedBytes: ofLimit('Stored bytes of runs; the billing page of the docs says what counts.'),
      },
      { description: 'The current counts of the organization and their limits.' },
    ),
  },
  { $id: 'Usage', description: 'The usage of the organization in the current period.' },
)
type Usage = Static<typeof Usage>

const owner = (description: string) => Type.Optional(nullable(Type.String({ description })))

const UsageShare = Type.Object(
  {
    ...Type.Omit(Usage, ['limits']).properties,
    projectId: owner('With `by=project`; null for runs outside Projects.'),
    agentId: owner('With `by=agent`; null for usage from before it was counted by Agent.'),
    name: nullable(
      Type.String({ description: 'The name of the Project or Agent; null if it was deleted or there is none.' }),
    ),
  },
  {
    $id: 'UsageShare',
    description:
      'The usage of one Project or Agent. `budget` and `remaining` are null, because the budget ' +
      'belongs to the organization.',
  },
)
type UsageShare = Static<typeof UsageShare>

export const UsageAnswer = Type.Object(
  {
    ...Usage.properties,
    pastPeriods: Type.Array(Period, {
      description: 'Past periods with usage, latest first; at most 24.',
    }),
    items: Type.Optional(
      Type.Array(UsageShare, {
        description: 'With `by`: the usage of each Project or Agent, the most first; at most 1,000.',
      }),
    ),
  },
  { $id: 'UsageAnswer', description: 'The usage of the organization, with `by` split by owner.' },
)

export const UsageQuery = Type.Object({
  by: Type.Optional(oneOf(shareOwners, { description: 'Adds `items` with an entry for each owner.' })),
  period: Type.Optional(Timestamp('The start of a past period; default: the current one.')),
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
  { minutes, reservedMinutes, runs, tokens, costs }: UsageCounters,
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
    ...costs,
    limits: {
      projects: of('projects'),
      agents: of('agents'),
      liveRuns: of('liveRuns'),
      openStreams: of('openStreams'),
      storedBytes: of('storedBytes'),
    },
  }
}

/** The usage of one Project or Agent. */
export function presentShare(
  by: ShareOf,
  { id, name, counters }: UsageShareCounters,
  period: Contract['period'],
): UsageShare {
  const { minutes, reservedMinutes, runs, tokens, costs } = counters
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
    ...costs,
  }
}

const thousandths = (value: number): number => Math.round(value * 1_000) / 1_000
