/**
 * Records the tokens of a model call that ended after its attempt: they count for the step, its run and the
 * organization.
 */

import type { RunContext } from '../../../../machines/run.ts'
import { countShare, countUsage } from '../../../../storage/billing/usage.ts'
import { getStep, meterEndedStep } from '../../../../storage/runs/steps.ts'
import type { Store, Write } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import type { PricedModel, Prices } from '../../../platform/models/prices/prices.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { type RunRecord, runAddress } from '../../record.ts'
import type { TokenUsage } from '../../runner/protocol/protocol.ts'
import { countCosts } from '../../statistics/costs.ts'
import { noCounts, type PeriodOf } from '../../statistics/usage.ts'
import { usedByCall, withCall } from './step-costs.ts'

interface LateUsageParts {
  store: Store
  actors: Actors
  clock: Clock
  prices: Prices
  periodOf: PeriodOf | undefined
}

/**
 * Adds the usage to an ended step; the sums of its parent steps stay unchanged. Does nothing if the run was deleted.
 */
export const lateUsage =
  ({ store, actors, clock, prices, periodOf }: LateUsageParts) =>
  async (row: RunRow, agentStepId: number, usage: TokenUsage, model: PricedModel): Promise<void> => {
    const { id: runId, organization_id, agent_id, project_id } = row
    const step = await store.first(getStep(store, { runId, agentStepId }))
    if (!step) return
    const { used, cost } = usedByCall(prices, model, usage)
    const { token_usage, cost: costs } = withCall(step, usage, cost)
    const period = await periodOf?.(organization_id)
    const { inputTokens: input_tokens, outputTokens: output_tokens } = usage
    const counted = period && {
      ...noCounts,
      organization_id,
      period_start: period.start,
      period_end: period.end,
      input_tokens,
      output_tokens,
    }
    const { inputTokens, outputTokens } = usage
    const call = { provider: model.provider, model: model.model, inputTokens, outputTokens, cost, steps: 0 as const }
    const at = clock.now()
    const writes: Write[] = [
      meterEndedStep(store, { agentStepId, was: step.token_usage, token_usage, cost: costs }),
      ...(counted
        ? [countUsage(store, counted), countShare(store, { ...counted, agent_id, project_id: project_id ?? '' })]
        : []),
      ...(prices.isGiven ? countCosts(store, row, [call], { at, periodStart: period?.start }) : []),
    ]
    const actor = await actors.read<RunRecord, RunContext>(runAddress(runId))
    if (actor?.context.spent) await actors.send(runAddress(runId), { type: 'metered', used }, { writes: () => writes })
    else await store.commit(writes)
  }
