/** The progress of a workflow run's steps as values. Pure. */
import type { StepProgress, WorkflowRunContext } from './words.ts'

/** A step that has not begun. */
export const fresh: StepProgress = {
  state: 'pending',
  attempts: 0,
  tries: 0,
  retryAt: null,
  error: null,
  startedAt: null,
  endedAt: null,
}

/** The context with changes of the step at this place of the plan. */
export function changedAt(
  context: WorkflowRunContext,
  place: number,
  changes: Partial<StepProgress>,
): WorkflowRunContext {
  const steps = [...context.steps]
  steps[place] = { ...(steps[place] as StepProgress), ...changes }
  return { ...context, steps }
}
