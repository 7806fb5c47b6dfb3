/** Why a step was skipped or canceled. Pure. Source: contract 14, "Workflows". */
import type { Cause } from '../words.ts'
import { isFatal } from './overview.ts'
import type { PlannedStep, StepProgress, WorkflowRunContext } from './words.ts'

export const stepReasonCodes = ['condition_false', 'dependency_failed', 'run_failed', 'run_canceled'] as const
type StepReasonCode = (typeof stepReasonCodes)[number]
type StepReason = Cause & { code: StepReasonCode }

/** null: the step at this place was neither skipped nor canceled. */
export function reasonOf(context: WorkflowRunContext, place: number): StepReason | null {
  const { state, leftOut } = context.steps[place] as StepProgress
  if (leftOut) return { code: 'condition_false', message: 'Its condition does not hold.' }
  if (state === 'canceled' && context.stopped === 'canceled') {
    return { code: 'run_canceled', message: 'The run was canceled before the step had ended.' }
  }
  if (state !== 'skipped' && state !== 'canceled') return null
  const failed = failedBefore(context, place)
  return failed === undefined
    ? { code: 'run_failed', message: 'The run failed before the step had ended.' }
    : { code: 'dependency_failed', message: `It depends on the step ${failed}, which has failed.` }
}

/** A failed step that this one depends on, also through others. */
function failedBefore(context: WorkflowRunContext, place: number): string | undefined {
  const { plan, steps } = context
  const seen = new Set<number>()
  const left = [place]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    for (const before of (plan[next] as PlannedStep).after) {
      if (isFatal(context, steps[before] as StepProgress, before)) return plan[before]?.id
      if (!seen.has(before)) left.push(before)
      seen.add(before)
    }
  }
  return undefined
}
