/** Sums of the costs of model steps, from counters. Source: contract 13, "Cost". */

import { decimalOf, unitsOf } from '../../../machines/decimal.ts'
import type { Cost } from '../../../machines/run/budget.ts'
import {
  amountOf,
  type CostOwner,
  type CostStretch,
  type CostSums,
  costOwners,
  listNamesOfOwners,
  sumCosts,
} from '../../../storage/billing/costs.ts'
import type { CountScope } from '../../../storage/count-scope.ts'
import type { Store } from '../../../storage/store.ts'
import { hourMs } from '../../platform/time/durations.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { lengthOf, type Window } from './window.ts'

/** The time span summed up before yielding to other requests. */
const stretchMs = 48 * hourMs
const itemsMax = 1_000

/** A sum of model steps in the API. */
export class CostSum {
  readonly #units = new Map<string, bigint>()
  modelSteps = 0
  unpricedSteps = 0
  inputTokens = 0
  outputTokens = 0

  add(sums: CostSums) {
    const steps = Number(sums.model_steps)
    this.modelSteps += steps
    this.inputTokens += Number(sums.input_tokens)
    this.outputTokens += Number(sums.output_tokens)
    if (sums.currency === '') this.unpricedSteps += steps
    else this.#units.set(sums.currency, (this.#units.get(sums.currency) ?? 0n) + unitsOf(amountOf(sums)))
  }

  /** By currency. */
  get costs(): Cost[] {
    return [...this.#units].sort().map(([currency, units]) => ({ amount: decimalOf(units), currency }))
  }

  /** null if there are no costs, if a step had no price, and if there are two currencies. */
  get cost(): Cost | null {
    const { costs } = this
    return costs.length === 1 && this.unpricedSteps === 0 ? (costs[0] as Cost) : null
  }

  /** For the order of owners: the largest sum first, in any currency. */
  get weight(): bigint {
    return [...this.#units.values()].reduce((most, units) => (units > most ? units : most), 0n)
  }

  show() {
    const { cost, costs, modelSteps, unpricedSteps, inputTokens, outputTokens } = this
    return { cost, costs, modelSteps, unpricedSteps, inputTokens, outputTokens }
  }
}

interface Owner {
  agentId?: string | null
  provider?: string | null
  model?: string | null
  apiKeyId?: string | null
  projectId?: string | null
}

const ownerOf = {
  agent: ({ agent_id = '' }: CostStretch) => ({ agentId: agent_id }),
  model: ({ provider = '', model = '' }: CostStretch) => ({ provider: provider || null, model: model || null }),
  apiKey: ({ api_key_id = '' }: CostStretch) => ({ apiKeyId: api_key_id || null }),
  project: ({ project_id = '' }: CostStretch) => ({ projectId: project_id || null }),
} as const satisfies Record<CostOwner, (sums: CostStretch) => Owner>

/** The costs of a window: in total, by interval, and by owner if requested. */
export async function costStatistics(
  store: Store,
  scopes: readonly CountScope[],
  { from, to, interval }: Window,
  by?: CostOwner,
) {
  const total = new CostSum()
  const byInterval = new Map<number, CostSum>()
  const byOwner = new Map<string, { owner: Owner; sum: CostSum }>()
  for (let start = from; start < to; start += stretchMs) {
    if (start > from) await nextTurn()
    const stretch = { origin: from, intervalMs: lengthOf[interval], from: start, to: Math.min(start + stretchMs, to) }
    for (const scope of scopes) {
      for (const sums of await sumCosts(store, { ...scope, ...stretch }, by)) {
        total.add(sums)
        const ofInterval = byInterval.get(sums.interval) ?? new CostSum()
        byInterval.set(sums.interval, ofInterval)
        ofInterval.add(sums)
        if (!by) continue
        const key = costOwners[by].map((column) => sums[column]).join('\n')
        const ofOwner = byOwner.get(key) ?? { owner: ownerOf[by](sums), sum: new CostSum() }
        byOwner.set(key, ofOwner)
        ofOwner.sum.add(sums)
      }
    }
  }
  const owners = [...byOwner.values()]
    .sort(({ sum: one }, { sum: other }) => (one.weight > other.weight ? -1 : one.weight < other.weight ? 1 : 0))
    .slice(0, itemsMax)
  const named = await namesOf(
    store,
    owners.map(({ owner }) => owner),
    by,
  )
  const items = owners.map(({ owner, sum }) => ({ ...owner, ...named(owner), ...sum.show() }))
  return {
    total,
    /** The costs of an interval; none if no model step ended in it. */
    of: (place: number): { cost?: Cost | null; costs?: Cost[] } => {
      const sum = byInterval.get(place)
      return sum ? { cost: sum.cost, costs: sum.costs } : {}
    },
    items: by ? items : undefined,
  }
}

/** The names of Agents and Projects; null for deleted ones and for System Agents. */
async function namesOf(store: Store, owners: readonly Owner[], by: CostOwner | undefined) {
  if (by !== 'agent' && by !== 'project') return (): { name?: string | null } => ({})
  const idOf = ({ agentId, projectId }: Owner) => (by === 'agent' ? agentId : projectId) ?? ''
  const rows = await store.all(listNamesOfOwners[by](store, { ids: JSON.stringify(owners.map(idOf)) }))
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return (owner: Owner): { name?: string | null } => ({ name: names.get(idOf(owner)) ?? null })
}
