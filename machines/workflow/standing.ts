/**
 * What the steps of a workflow run say about it: its state, what is outstanding, which events it accepts. Pure;
 * `steps.ts` has the changes.
 */
import type {
  PlannedStep,
  StepProgress,
  StepToBegin,
  WorkflowRunContext,
  WorkflowRunEvent,
  WorkflowRunState,
  WorkflowStepState,
} from './words.ts'

const outstandingStates: readonly WorkflowStepState[] = ['running', 'waiting_approval']
const endedStates: readonly WorkflowStepState[] = ['succeeded', 'failed', 'skipped', 'canceled']

export const isOutstanding = ({ state }: StepProgress) => outstandingStates.includes(state)
const has = ({ steps }: WorkflowRunContext, state: WorkflowStepState) => steps.some((step) => step.state === state)
export const isFatal = ({ plan }: WorkflowRunContext, { state }: StepProgress, place: number) =>
  state === 'failed' && !(plan[place] as PlannedStep).continues

/** How many steps wait for an approval. */
export const waiting = ({ steps }: WorkflowRunContext): number =>
  steps.filter(({ state }) => state === 'waiting_approval').length
/** Whether no step starts any more and the run fails once nothing is outstanding. */
export const isFailing = (context: WorkflowRunContext): boolean =>
  context.output === 'failed' || context.steps.some((step, place) => isFatal(context, step, place))
/** When the next step is to be retried or ends its wait; null: at no time. */
export const dueAt = ({ nextRetryAt, nextWakeAt }: WorkflowRunContext): number | null => {
  const times = [nextRetryAt, nextWakeAt].filter((time) => typeof time === 'number')
  return times.length === 0 ? null : Math.min(...times)
}
export const allEnded = ({ steps }: WorkflowRunContext): boolean =>
  steps.every(({ state }) => endedStates.includes(state))

/** The state that a run with these steps is in. */
export function standing(context: WorkflowRunContext): WorkflowRunState {
  const { steps, stopped, output } = context
  const outstanding = steps.some(isOutstanding)
  if (stopped === 'canceled') return outstanding ? 'canceling' : 'canceled'
  if (isFailing(context)) return outstanding ? 'running' : 'failed'
  if (stopped === 'unknown') return 'unknown'
  if (allEnded(context)) return output === 'wanted' ? 'running' : 'completed'
  const isActive = has(context, 'running') || context.nextRetryAt !== null
  return (waiting(context) > 0 || has(context, 'waiting')) && !isActive ? 'waiting' : 'running'
}

export const placeOf = ({ plan }: WorkflowRunContext, stepId: string) => plan.findIndex(({ id }) => id === stepId)

type OfAttempt = Extract<WorkflowRunEvent, { attempt: number }>
const eventsOfAttempts: readonly string[] = ['reported', 'refused', 'leftOut', 'waits'] satisfies OfAttempt['type'][]
const isOfAttempt = (event: WorkflowRunEvent): event is OfAttempt => eventsOfAttempts.includes(event.type)

/** Whether the report is for another or an ended attempt, or contains nothing new. */
export function isMoot(context: WorkflowRunContext, event: WorkflowRunEvent): boolean {
  if (!isOfAttempt(event)) return false
  const step = context.steps[placeOf(context, event.stepId)]
  if (!step || step.attempts !== event.attempt) return true
  // an event has come: see `isWaitOver`
  if (step.state === 'waiting') return !isWaitOver(context, event)
  if (!isOutstanding(step)) return true
  if (event.type === 'waits') return step.until !== undefined
  if (event.type !== 'reported') return false
  return event.invocation === (step.state === 'running' ? 'running' : 'pending_approval')
}

/** Whether the awaited event has come. That it has not is only said once the step no longer waits. */
const isWaitOver = (context: WorkflowRunContext, event: OfAttempt): boolean =>
  event.type === 'reported' &&
  event.invocation === 'succeeded' &&
  context.plan[placeOf(context, event.stepId)]?.timeoutMs !== undefined

/** Whether the outcome of an attempt counts for the run: it is in progress or unknown, and the run was not canceled. */
export function isWanted(context: WorkflowRunContext, { stepId, attempt }: StepToBegin): boolean {
  const step = context.steps[placeOf(context, stepId)]
  const isOpen = step !== undefined && (isOutstanding(step) || step.state === 'unknown')
  return isOpen && step.attempts === attempt && context.stopped !== 'canceled'
}

/** The outstanding attempts of a run that starts no more steps: their approvals are not wanted any more. */
export const unwanted = (context: WorkflowRunContext): StepToBegin[] =>
  context.stopped === 'canceled' || isFailing(context) ? outstanding(context) : []

/** Whether a resume starts the step again: it has no good end. A step whose failure is ignored, or that was left out, stays so. */
export const isRepeated = (context: WorkflowRunContext, step: StepProgress, place: number): boolean =>
  isFatal(context, step, place) || (step.state === 'skipped' && !step.leftOut) || step.state === 'canceled'
const isUnfinished = (context: WorkflowRunContext) =>
  context.steps.some((step, place) => !endedStates.includes(step.state) || isRepeated(context, step, place))

/** The outstanding attempts. */
export const outstanding = ({ plan, steps }: WorkflowRunContext): StepToBegin[] =>
  steps.flatMap((step, place) =>
    isOutstanding(step) ? [{ stepId: (plan[place] as PlannedStep).id, attempt: step.attempts }] : [],
  )

/** Whether the run accepts the event. */
export function takes(context: WorkflowRunContext, event: WorkflowRunEvent): boolean {
  switch (event.type) {
    case 'reported':
    case 'refused':
    case 'leftOut':
    case 'waits':
      return !isMoot(context, event)
    case 'resolveUnknown':
      return isUnknown(context, event)
    case 'resume':
      return !has(context, 'unknown') && (context.stopped === 'unknown' || isUnfinished(context))
    case 'rendered':
    case 'renderingFailed':
      return allEnded(context) && context.output === 'wanted'
    default:
      return true
  }
}

type Resolved = Extract<WorkflowRunEvent, { type: 'resolveUnknown' }>

/** The step may have been run again since, with an outcome that is unknown too. */
function isUnknown(context: WorkflowRunContext, { stepId, attempt }: Resolved): boolean {
  const step = context.steps[placeOf(context, stepId)]
  return step?.state === 'unknown' && (attempt ?? step.attempts) === step.attempts
}
