/** Says which step makes a run refuse a command, and what to do about it. */
import type { StepToBegin, WorkflowRunContext } from '../../../machines/workflow-run.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'

const unknownSteps = ({ plan, steps }: WorkflowRunContext): string[] =>
  plan.flatMap(({ id, compensates }, place) =>
    steps[place]?.state === 'unknown' && compensates === undefined ? [id] : [],
  )

/** Why the run is not resumed; undefined if its state says everything. */
export function whyNotResumed(context: WorkflowRunContext): string | undefined {
  const left = unknownSteps(context)
  if (left.length === 0 || context.stopped === 'canceled') return undefined
  const [what, them] = left.length === 1 ? ['step', 'it'] : ['steps', 'them']
  return `The outcome of the ${what} ${left.join(', ')} is unknown: resolve ${them} (resolve-unknown), then resume.`
}

/** Why the attempt of the step is not resolved. */
export function whyNotResolved(
  context: WorkflowRunContext,
  { stepId, attempt }: StepToBegin,
  invocationId: string | undefined,
): string {
  const step = context.steps[context.plan.findIndex(({ id }) => id === stepId)]
  if (step?.state !== 'unknown')
    return `The step ${stepId} is ${step?.state}: only a step that is unknown can be resolved.`
  if (step.attempts !== attempt)
    return `The step ${stepId} has been run again since: look at its outcome, and resolve it anew.`
  if (context.stopped !== 'canceled') return `Other steps are running: resolve the step ${stepId} when they have ended.`
  const path = `operation-invocations/${invocationId ?? '{invocationId}'}/resolve`
  return `The run is canceled: resolve the call of the step ${stepId} by itself (POST ${path}).`
}

export const isRefused = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'invalid_transition'

/** The conflict with a better message, if there is one. */
export const explained = (error: ApiError, message: string | undefined): ApiError =>
  message === undefined ? error : new ApiError(error.status, error.code, message, { details: error.details })
