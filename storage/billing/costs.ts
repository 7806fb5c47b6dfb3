/**
 * Costs of model steps, by hour for statistics and by billing period. The unit of work that ends a step counts it, with
 * one statement for each. Source: contract 13, "Cost".
 */
import { sql } from 'kysely'
import { decimalOf, unitsOf } from '../../machines/decimal.ts'
import { textsOf } from '../by-engine.ts'
import { perScope } from '../count-scope.ts'
import { hoursOf, type Stretch } from '../runtime/hourly-tallies.ts'
import { query, together, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { CostCounts, CostShareRow, CostTallyRow } from '../tables.ts'

const columns = [
  'model_steps',
  'input_tokens',
  'output_tokens',
  'cost_6',
  'cost_15',
  'cost_24',
] as const satisfies (keyof CostCounts)[]

const limb = 1_000_000_000n

/** Splits an amount into its columns. */
export function limbsOf(amount: string): Pick<CostCounts, 'cost_6' | 'cost_15' | 'cost_24'> {
  const units = unitsOf(amount)
  return {
    cost_6: Number(units / (limb * limb)),
    cost_15: Number((units / limb) % limb),
    cost_24: Number(units % limb),
  }
}

/** Sums as read: amounts are text, because they may exceed the range of a number. */
export interface CostSums {
  currency: string
  model_steps: number
  input_tokens: number
  output_tokens: number
  cost_6: string
  cost_15: string
  cost_24: string
}

/** The amount in these columns. */
export const amountOf = ({ cost_6, cost_15, cost_24 }: Pick<CostSums, 'cost_6' | 'cost_15' | 'cost_24'>): string =>
  decimalOf(BigInt(cost_6) * limb * limb + BigInt(cost_15) * limb + BigInt(cost_24))

const addedTo = (table: 'cost_tallies' | 'cost_shares') =>
  Object.fromEntries(
    columns.map((column) => [column, sql<number>`${sql.ref(`${table}.${column}`)} + excluded.${sql.ref(column)}`]),
  )

const tallyKey = [
  'organization_id',
  'hour',
  'project_id',
  'environment_id',
  'agent_id',
  'provider',
  'model',
  'api_key_id',
  'currency',
] as const

export const countCost = together(
  'sums',
  write((db, tally: CostTallyRow) =>
    db
      .insertInto('cost_tallies')
      .values({
        organization_id: tally.organization_id,
        hour: tally.hour,
        project_id: tally.project_id,
        environment_id: tally.environment_id,
        agent_id: tally.agent_id,
        provider: tally.provider,
        model: tally.model,
        api_key_id: tally.api_key_id,
        currency: tally.currency,
        ...countsOf(tally),
      })
      .onConflict((conflict) => conflict.columns(tallyKey).doUpdateSet(addedTo('cost_tallies'))),
  ),
)

/** Adds to the costs of a billing period. */
export const countCostShare = together(
  'sums',
  write((db, share: CostShareRow) =>
    db
      .insertInto('cost_shares')
      .values({
        organization_id: share.organization_id,
        period_start: share.period_start,
        agent_id: share.agent_id,
        project_id: share.project_id,
        currency: share.currency,
        ...countsOf(share),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['organization_id', 'period_start', 'agent_id', 'currency'])
          .doUpdateSet(addedTo('cost_shares')),
      ),
  ),
)

const countsOf = (counts: CostCounts): CostCounts => ({
  model_steps: counts.model_steps,
  input_tokens: counts.input_tokens,
  output_tokens: counts.output_tokens,
  cost_6: counts.cost_6,
  cost_15: counts.cost_15,
  cost_24: counts.cost_24,
})

const sums = [
  sql<string>`cast(sum(cost_6) as text)`.as('cost_6'),
  sql<string>`cast(sum(cost_15) as text)`.as('cost_15'),
  sql<string>`cast(sum(cost_24) as text)`.as('cost_24'),
  sql<number>`sum(model_steps)`.as('model_steps'),
  sql<number>`sum(input_tokens)`.as('input_tokens'),
  sql<number>`sum(output_tokens)`.as('output_tokens'),
] as const

/** The dimensions by which costs are broken down, and their columns. */
export const costOwners = {
  agent: ['agent_id'],
  model: ['provider', 'model'],
  apiKey: ['api_key_id'],
  project: ['project_id'],
} as const satisfies Record<string, (keyof CostTallyRow)[]>
export type CostOwner = keyof typeof costOwners

/** The sums of a range of hours, by interval and currency, and optionally by owner. */
const sumsOf = (owner: readonly (keyof CostTallyRow)[]) =>
  perScope((narrowing) =>
    query((db, values: Stretch) =>
      db
        .selectFrom('cost_tallies')
        .select(sql<number>`cast((hour - ${values.origin}) / ${values.intervalMs} as integer)`.as('interval'))
        .select('currency')
        .select(sums)
        .select(owner as ['agent_id'])
        .where('organization_id', '=', values.organizationId)
        .where('hour', '>=', values.from)
        .where('hour', '<', values.to)
        .where(({ and, eb }) => and(narrowing.map((column) => eb(column, '=', values[column] as string))))
        .groupBy(['interval', 'currency', ...owner]),
    ),
  )

const sumsBy = {
  none: sumsOf([]),
  agent: sumsOf(costOwners.agent),
  model: sumsOf(costOwners.model),
  apiKey: sumsOf(costOwners.apiKey),
  project: sumsOf(costOwners.project),
}

/** The names of the owners that still exist; `ids` is a JSON array. System Agents have no row in `agents`. */
export const listNamesOfOwners = {
  agent: query((db, values: { ids: string }) =>
    db.selectFrom('agents').select(['id', 'name']).where('id', 'in', textsOf(values.ids)),
  ),
  project: query((db, values: { ids: string }) =>
    db.selectFrom('projects').select(['id', 'name']).where('id', 'in', textsOf(values.ids)),
  ),
}

export type CostStretch = CostSums & { interval: number } & Partial<Record<keyof CostTallyRow, string>>

/** The sums of a range of hours, for each interval in which a model step ended. */
export const sumCosts = (store: Store, values: Stretch, by: CostOwner | 'none' = 'none') =>
  store.all(sumsBy[by](values)(store, values)) as Promise<unknown> as Promise<CostStretch[]>

const sharesOf = (owner: readonly ('agent_id' | 'project_id')[]) =>
  query((db, values: { organizationId: string; periodStart: number }) =>
    db
      .selectFrom('cost_shares')
      .select('currency')
      .select(sums)
      .select(owner as ['agent_id'])
      .where('organization_id', '=', values.organizationId)
      .where('period_start', '=', values.periodStart)
      .groupBy(['currency', ...owner]),
  )
const sharesBy = { none: sharesOf([]), agent: sharesOf(['agent_id']), project: sharesOf(['project_id']) }

type CostShare = CostSums & { agent_id?: string; project_id?: string }

/** The costs of a billing period, by currency, and optionally by Agent or Project. */
export const sumShares = (
  store: Store,
  values: { organizationId: string; periodStart: number },
  by: 'agent' | 'project' | 'none' = 'none',
) => store.all(sharesBy[by](store, values)) as Promise<unknown> as Promise<CostShare[]>

const hours = hoursOf('cost_tallies')
export const costTalliesStep = hours.step
export const pruneCosts = hours.prune
