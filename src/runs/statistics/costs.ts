/**
 * Counts the costs of model steps, by hour and by billing period. The statements are part of the change that ends the
 * step, so that each step is counted once. Source: contract 13, "Cost".
 */
import type { Cost } from '../../../machines/run/budget.ts'
import { countCost, countCostShare, limbsOf } from '../../../storage/billing/costs.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { CostCounts, RunRow } from '../../../storage/tables.ts'
import { hourMs } from '../../platform/time/durations.ts'

/** A model step that has ended, or a call that ended after its step. */
export interface EndedModelStep {
  provider: string | null
  model: string | null
  inputTokens: number
  outputTokens: number
  /** As in the step's row: JSON; null if the model has no price. */
  cost: string | null
  /** 0 for a call whose step was already counted. */
  steps: 0 | 1
}

type Place = Pick<
  RunRow,
  'organization_id' | 'project_id' | 'environment_id' | 'agent_id' | 'created_by_type' | 'created_by_id'
>

const nothing = { cost_6: 0, cost_15: 0, cost_24: 0 }

/** The statements that count these steps of a run; `at` and the period's start in epoch milliseconds. */
export function countCosts(
  store: Pick<Store, 'db'>,
  place: Place,
  steps: readonly EndedModelStep[],
  { at, periodStart }: { at: number; periodStart: number | undefined },
): Write[] {
  const { organization_id, agent_id } = place
  const project_id = place.project_id ?? ''
  return steps.flatMap((step) => {
    const cost = step.cost === null ? null : (JSON.parse(step.cost) as Cost)
    const currency = cost?.currency ?? ''
    const counts: CostCounts = {
      model_steps: step.steps,
      input_tokens: step.inputTokens,
      output_tokens: step.outputTokens,
      ...(cost ? limbsOf(cost.amount) : nothing),
    }
    const tally = countCost(store, {
      organization_id,
      hour: at - (at % hourMs),
      project_id,
      environment_id: place.environment_id ?? '',
      agent_id,
      provider: step.provider ?? '',
      model: step.model ?? '',
      api_key_id: place.created_by_type === 'apiKey' ? place.created_by_id : '',
      currency,
      ...counts,
    })
    if (periodStart === undefined) return [tally]
    const share = { organization_id, period_start: periodStart, agent_id, project_id, currency, ...counts }
    return [tally, countCostShare(store, share)]
  })
}
