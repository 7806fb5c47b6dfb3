/**
 * What the steps of a workflow run say about it: its state, what is outstanding, which events it accepts. Pure;
 * `steps.ts` has the changes.
 */
import { isFatal, isOutstanding, overviewOf, overviewOfPlan } from './overview.ts'
import {
  compensatedBy,
  type PlannedStep,
  type StepProgress,
  type StepToBegin,
  type WorkflowRunContext,
  type WorkflowRunEvent,
  type WorkflowRunState,
  type WorkflowStepState,
  workflowStepStates,
} from './words.ts'

const endedStates: readonly WorkflowStepState[] = ['succeeded', 'failed', 'skipped', 'canceled']
const openStates = workflowStepStates.filter((state) => !endedStates.includes(state))

/** Whether it is a step of the workflow itself, and no compensation. */
export const isOwn = ({ plan }: WorkflowRunContext, place: number): boolean => plan[place]?.compensates === undefined
const has = (context: WorkflowRunContext, state: WorkflowStepState) => overviewOf(context).own[state] > 0

/** How many steps wait for an approval. */
export const waiting = (context: WorkflowRunContext): number => overviewOf(context).own.waiting_approval
export const isOver = ({ steps }: WorkflowRunContext, place: number): boolean => {
  const { state, leftOut } = steps[place] as StepProgress
  return state === 'succeeded' || state === 'failed' || leftOut === true
}
/** Whether no step starts any more and the run fails once nothing is outstanding. */
export const isFailing = (context: WorkflowRunContext): boolean =>
  context.output === 'failed' || overviewOf(context).fatal !== undefined
/** Whether the run fails or is canceled: it only ends what is open, and compensates. */
export const isEnding = (context: WorkflowRunContext): boolean => context.stopped === 'canceled' || isFailing(context)
/** Whether the step is an element whose list fails, because another element has failed. */
export const isOfFailingList = (context: WorkflowRunContext, place: number): boolean =>
  overviewOf(context).lists.get(context.plan[place]?.element ?? -1)?.failed !== undefined
/** The outstanding steps of the workflow itself whose outcome nothing depends on any more, by place. */
function unwantedPlaces(context: WorkflowRunContext): number[] {
  const isRunOver = isEnding(context)
  return overviewOf(context).outstanding.filter(
    (place) => isOwn(context, place) && (isRunOver || isOfFailingList(context, place)),
  )
}
/** Whether outstanding approvals or child workflows must be withdrawn. */
export const waitsInVain = (context: WorkflowRunContext): boolean =>
  unwantedPlaces(context).some(
    (place) => context.steps[place]?.state === 'waiting_approval' || context.plan[place]?.workflow !== undefined,
  )
/** When the next retry of a step or end of a wait is due; null: never. */
export const dueAt = ({ nextRetryAt, nextWakeAt }: WorkflowRunContext): number | null => {
  const times = [nextRetryAt, nextWakeAt].filter((time) => typeof time === 'number')
  return times.length === 0 ? null : Math.min(...times)
}
const allEnded = (context: WorkflowRunContext): boolean => openStates.every((state) => !has(context, state))
/** Whether the last step has ended, and the output is still to be rendered. A run that fails or is canceled has none. */
export const wantsOutput = (context: WorkflowRunContext): boolean =>
  allEnded(context) && context.output === 'wanted' && !isEnding(context)
/** Whether a step is still to be compensated, if the run fails or is canceled. */
const isToCompensate = (context: WorkflowRunContext): boolean =>
  overviewOfPlan(context).compensations.some((place) => isNextToCompensate(context, place))
/** Whether the compensation at this place has not begun, and its step has succeeded. */
export const isNextToCompensate = ({ plan, steps }: WorkflowRunContext, place: number): boolean =>
  steps[place]?.state === 'pending' && steps[plan[place]?.compensates ?? -1]?.state === 'succeeded'

/** The state that a run with these steps is in. */
export function standing(context: WorkflowRunContext): WorkflowRunState {
  const { stopped, output } = context
  const { outstanding, isActive } = overviewOf(context)
  const isOpen = outstanding.length > 0 || isToCompensate(context)
  if (stopped === 'canceled') return isOpen ? 'canceling' : 'canceled'
  if (isFailing(context)) return isOpen ? 'running' : 'failed'
  if (stopped === 'unknown') return 'unknown'
  if (allEnded(context)) return output === 'wanted' ? 'running' : 'completed'
  if (isActive || context.nextRetryAt !== null || waitsInVain(context)) return 'running'
  return waiting(context) > 0 || has(context, 'waiting') ? 'waiting' : 'running'
}

export const placeOf = (context: WorkflowRunContext, stepId: string): number =>
  overviewOfPlan(context).places.get(stepId) ?? -1

type OfAttempt = Extract<WorkflowRunEvent, { attempt: number }>
const eventsOfAttempts: readonly string[] = [
  'reported',
  'refused',
  'leftOut',
  'waits',
  'counted',
] satisfies OfAttempt['type'][]
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
  if (event.type === 'counted')
    return step.counted === true || context.plan[placeOf(context, event.stepId)]?.concurrency === undefined
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
  if (step?.attempts !== attempt) return false
  // a compensation is part of a cancel, and nothing depends on its outcome
  if (compensatedBy(stepId) !== undefined) return isOutstanding(step)
  return (isOutstanding(step) || step.state === 'unknown') && context.stopped !== 'canceled'
}

/**
 * The outstanding attempts of a run that starts no more steps, or of a list that fails: their approvals are not wanted
 * any more, except those of compensations.
 */
export const unwanted = (context: WorkflowRunContext): StepToBegin[] =>
  unwantedPlaces(context).map((place) => attemptAt(context, place))

/**
 * Whether a resume starts the step of the workflow again: it has no good end, or it was compensated. A step whose failure is ignored, or that was
 * left out, stays so.
 */
export function isRepeated(context: WorkflowRunContext, step: StepProgress, place: number): boolean {
  const of = context.plan[place]?.element
  if (of !== undefined) return step.state !== 'succeeded' && isRepeated(context, context.steps[of] as StepProgress, of)
  return (
    (step.state === 'succeeded' && isCompensated(context, place)) ||
    isFatal(context, step, place) ||
    (step.state === 'skipped' && !step.leftOut) ||
    step.state === 'canceled'
  )
}
const isCompensated = (context: WorkflowRunContext, of: number) =>
  overviewOfPlan(context).compensations.some(
    (place) => context.plan[place]?.compensates === of && context.steps[place]?.state === 'succeeded',
  )
const isUnfinished = (context: WorkflowRunContext) =>
  context.steps.some(
    (step, place) => isOwn(context, place) && (!endedStates.includes(step.state) || isRepeated(context, step, place)),
  )

/** The outstanding attempts. */
export const outstanding = (context: WorkflowRunContext): StepToBegin[] =>
  overviewOf(context).outstanding.map((place) => attemptAt(context, place))

/** The current attempt of the step at this place. */
const attemptAt = ({ plan, steps }: WorkflowRunContext, place: number): StepToBegin => ({
  stepId: (plan[place] as PlannedStep).id,
  attempt: (steps[place] as StepProgress).attempts,
})

/** Whether the run accepts the event. */
export function takes(context: WorkflowRunContext, event: WorkflowRunEvent): boolean {
  switch (event.type) {
    case 'reported':
    case 'refused':
    case 'leftOut':
    case 'waits':
    case 'counted':
      return !isMoot(context, event)
    case 'resolveUnknown':
      return isUnknown(context, event)
    case 'resume':
      return !has(context, 'unknown') && (context.stopped === 'unknown' || isUnfinished(context))
    case 'rendered':
    case 'renderingFailed':
      return wantsOutput(context)
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
