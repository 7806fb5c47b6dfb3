/**
 * The compensation of a run that fails or is canceled: once nothing is open, the steps that have succeeded are
 * compensated, the last one first and one at a time. Pure. Source: contract 14, "Workflows".
 */
import { overviewOf, overviewOfPlan } from './overview.ts'
import { changedAt } from './progress.ts'
import { isEnding, isNextToCompensate } from './standing.ts'
import type { PlannedStep, StepProgress, WorkflowRunContext } from './words.ts'

/** Begins the next compensation, or waits for its retry. */
export function compensated(context: WorkflowRunContext, at: number): WorkflowRunContext {
  const { plan, steps } = context
  if (!isEnding(context)) return context
  const place = overviewOf(context).outstanding.length > 0 ? undefined : nextOf(context)
  if (place === undefined) return context
  const step = steps[place] as StepProgress
  if (step.retryAt !== null && step.retryAt > at) return { ...context, nextRetryAt: step.retryAt }
  const attempt = step.attempts + 1
  const begun: Partial<StepProgress> = {
    state: 'running',
    attempts: attempt,
    tries: step.tries + 1,
    retryAt: null,
    startedAt: step.startedAt ?? at,
  }
  return {
    ...changedAt(context, place, begun),
    due: [...context.due, { stepId: (plan[place] as PlannedStep).id, attempt }],
  }
}

/** The compensation that is left of the step that was done last. */
function nextOf(context: WorkflowRunContext): number | undefined {
  const { plan, steps } = context
  let next: { place: number; order: number } | undefined
  for (const place of overviewOfPlan(context).compensations) {
    if (!isNextToCompensate(context, place)) continue
    const order = steps[plan[place]?.compensates as number]?.order ?? 0
    if (!next || order >= next.order) next = { place, order }
  }
  return next?.place
}
