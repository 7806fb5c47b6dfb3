/** The plans: built in, or from the operator's file. Source: requirement 4.1; contract 8. */
import { readFileSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { intervals } from '../../machines/period.ts'
import { Name, nullable, oneOf } from '../platform/http/schema.ts'
import { inspector } from '../platform/http/validation/validation.ts'
import { InvalidSetting } from '../platform/operating/variable.ts'
import { defaultLimits, GivenLimits, PlanLimits } from '../tenancy/organizations/limits.ts'

export const PlanKey = Type.String({
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$',
  description: 'The plan; with Stripe also the lookup key of its price.',
  fault: 'Must be 1 to 64 letters, digits and inner dots, hyphens and underscores.',
  examples: ['pro'],
})

/** Its milliseconds are counted as whole numbers, exact up to 2 ** 53. */
const minutesMax = 100_000_000_000

const properties = {
  planKey: PlanKey,
  name: Name('The name of the plan.'),
  price: Type.Object({
    amount: Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: 'In minor units: cents.' }),
    currency: Type.String({
      pattern: '^(?:[A-Z]{3}|[a-z]{3})$',
      description: 'ISO 4217.',
      fault: 'Must be a currency of three letters.',
      examples: ['usd'],
    }),
    interval: oneOf(intervals),
  }),
  minuteBudget: nullable(
    Type.Number({ minimum: 0, maximum: minutesMax, description: 'Minutes in each period; null: unlimited.' }),
  ),
  features: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 }),
}

export const Plan = Type.Object(
  { ...properties, limits: PlanLimits },
  { $id: 'Plan', description: 'A plan; the plan of price zero requires no contract.' },
)
export type Plan = Static<typeof Plan>

/** A plan in the operator's file. */
const GivenPlan = Type.Object({ ...properties, limits: Type.Optional(GivenLimits) })
type GivenPlan = Static<typeof GivenPlan>

const monthly = (amount: number) => ({ amount, currency: 'usd', interval: 'month' as const })

const builtIn: GivenPlan[] = [
  {
    planKey: 'free',
    name: 'Free',
    price: monthly(0),
    minuteBudget: 1_000,
    features: ['1,000 minutes of agents each month', 'All features of the platform'],
  },
  {
    planKey: 'pro',
    name: 'Pro',
    price: monthly(4_900),
    minuteBudget: 20_000,
    features: ['20,000 minutes of agents each month', 'All features of the platform'],
  },
  {
    planKey: 'scale',
    name: 'Scale',
    price: monthly(49_900),
    minuteBudget: null,
    features: ['Unlimited minutes', 'All features of the platform'],
  },
]

export class Plans {
  /** By price, the lowest first. */
  readonly list: readonly Plan[]
  /** The plan of price zero: without a contract, and after its end. */
  readonly free: Plan
  readonly #byKey: ReadonlyMap<string, Plan>

  constructor(given: readonly GivenPlan[] = builtIn) {
    const plans = given.map((plan) => ({ ...plan, limits: { ...defaultLimits, ...plan.limits } }))
    this.list = [...plans].sort((a, b) => a.price.amount - b.price.amount || (a.planKey < b.planKey ? -1 : 1))
    this.#byKey = new Map(plans.map((plan) => [plan.planKey, plan]))
    const [free, another] = this.list.filter(({ price }) => price.amount === 0)
    if (!free || another) throw new Error('Exactly one plan must have the price 0.')
    if (this.#byKey.size < plans.length) throw new Error('Each planKey must be unique.')
    this.free = free
  }

  find(planKey: string | null): Plan | undefined {
    return planKey === null ? undefined : this.#byKey.get(planKey)
  }
}

const issuesOf = inspector(Type.Array(GivenPlan, { minItems: 1, maxItems: 100 }), '', 1)

/** The operator's plans, or the built-in ones. Throws `InvalidSetting` with a message of one line. */
export function loadPlans(path: string | null): Plans {
  if (path === null) return new Plans()
  const refuse = (why: string): never => {
    throw new InvalidSetting(`TROUPE_PLANS_FILE: ${why}`)
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return refuse(`${path} ${error instanceof SyntaxError ? 'is not JSON' : 'cannot be read'}`)
  }
  const [issue] = issuesOf(value)
  if (issue) return refuse(`${path} is not a list of plans: ${issue.path || '/'} ${issue.message}`)
  try {
    return new Plans(value as GivenPlan[])
  } catch (error) {
    return refuse(`${path}: ${(error as Error).message}`)
  }
}
