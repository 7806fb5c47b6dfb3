/** Records tokens of a model call that ended after its attempt: they count for the step and the organization. */

import { countShare, countUsage } from '../../../../storage/billing/usage.ts'
import { getStep, meterEndedStep } from '../../../../storage/runs/steps.ts'
import type { Store } from '../../../../storage/store.ts'
import type { RunRow } from '../../../../storage/tables.ts'
import type { TokenUsage } from '../../runner/protocol/protocol.ts'
import { noCounts, type PeriodOf } from '../../statistics/usage.ts'

/**
 * Adds the usage to an ended step; the sums of its parent steps stay unchanged. Does nothing if the run was deleted.
 */
export const lateUsage =
  (store: Store, periodOf: PeriodOf | undefined) =>
  async (
    { id: runId, organization_id, agent_id, project_id }: RunRow,
    agentStepId: number,
    usage: TokenUsage,
  ): Promise<void> => {
    const step = await store.first(getStep(store, { runId, agentStepId }))
    if (!step) return
    const sum = JSON.parse(step.token_usage) as TokenUsage
    for (const key of Object.keys(sum) as (keyof TokenUsage)[]) sum[key] += usage[key]
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
    await store.commit([
      meterEndedStep(store, { agentStepId, was: step.token_usage, token_usage: JSON.stringify(sum) }),
      ...(counted
        ? [countUsage(store, counted), countShare(store, { ...counted, agent_id, project_id: project_id ?? '' })]
        : []),
    ])
  }
