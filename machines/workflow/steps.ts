/**
 * The steps of a workflow run and their changes by events: which start, which end, and the run's resulting state. Pure;
 * `../workflow-run.ts` has the statechart. Source: contract 6, "Workflow start", "Precise points".
 */
import type { Cause } from '../words.ts'
import {
  type PlannedStep,
  type StepProgress,
  type StepToBegin,
  type WorkflowRunContext,
  type WorkflowRunEvent,
  type WorkflowRunInput,
  type WorkflowRunState,
  type WorkflowStepState,
  workflowBytesMax,
} from './words.ts'

const outputTooLarge: Cause = {
  code: 'output_too_large',
  message:
    'The params and outputs of a workflow run exceed 1 MiB in total. The operation was executed: resume repeats it.',
}
const resolvedAsFailed: Cause = { code: 'resolved_as_failed', message: 'A user resolved the step as failed.' }

const outstandingStates: readonly WorkflowStepState[] = ['running', 'waiting_approval']
const endedStates: readonly WorkflowStepState[] = ['succeeded', 'failed', 'skipped', 'canceled']

const isOutstanding = ({ state }: StepProgress) => outstandingStates.includes(state)
const has = ({ steps }: WorkflowRunContext, state: WorkflowStepState) => steps.some((step) => step.state === state)
const isFatal = ({ plan }: WorkflowRunContext, { state }: StepProgress, place: number) =>
  state === 'failed' && !(plan[place] as PlannedStep).continues

/** How many steps wait for an approval. */
export const waiting = ({ steps }: WorkflowRunContext): number =>
  steps.filter(({ state }) => state === 'waiting_approval').length
/** Whether no step starts any more and the run fails once nothing is outstanding. */
export const isFailing = (context: WorkflowRunContext): boolean =>
  context.output === 'failed' || context.steps.some((step, place) => isFatal(context, step, place))
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
  return waiting(context) > 0 && !isActive ? 'waiting' : 'running'
}

const placeOf = ({ plan }: WorkflowRunContext, stepId: string) => plan.findIndex(({ id }) => id === stepId)

/** Whether the report is for another or an ended attempt, or contains nothing new. */
export function isMoot(context: WorkflowRunContext, event: WorkflowRunEvent): boolean {
  if (event.type !== 'reported' && event.type !== 'refused') return false
  const step = context.steps[placeOf(context, event.stepId)]
  if (!step || step.attempts !== event.attempt || !isOutstanding(step)) return true
  if (event.type === 'refused') return false
  return event.invocation === (step.state === 'running' ? 'running' : 'pending_approval')
}

/** Whether the outcome of an attempt counts for the run: it is in progress or unknown, and the run was not canceled. */
export function isWanted(context: WorkflowRunContext, { stepId, attempt }: StepToBegin): boolean {
  const step = context.steps[placeOf(context, stepId)]
  const isOpen = step !== undefined && (isOutstanding(step) || step.state === 'unknown')
  return isOpen && step.attempts === attempt && context.stopped !== 'canceled'
}

/** The outstanding attempts of a run that starts no more steps: their approvals are not wanted any more. */
export const unwanted = (context: WorkflowRunContext): StepToBegin[] =>
  context.stopped === 'canceled' || isFailing(context) ? outstanding(context) : []

/** Whether the run accepts the event. */
export function takes(context: WorkflowRunContext, event: WorkflowRunEvent): boolean {
  switch (event.type) {
    case 'reported':
    case 'refused':
      return !isMoot(context, event)
    case 'resolveUnknown':
      return isUnknown(context, event)
    case 'resume':
      return !has(context, 'unknown') && (context.stopped === 'unknown' || !allEnded(restarted(context)))
    case 'rendered':
    case 'renderingFailed':
      return allEnded(context) && context.output === 'wanted'
    default:
      return true
  }
}

/** The step may have been run again since, with an outcome that is unknown too. */
function isUnknown(context: WorkflowRunContext, { stepId, attempt }: Resolved): boolean {
  const step = context.steps[placeOf(context, stepId)]
  return step?.state === 'unknown' && (attempt ?? step.attempts) === step.attempts
}

/** The initial context of a run. */
export function born({ steps, bytes, hasOutput, at }: WorkflowRunInput): WorkflowRunContext {
  const fresh: StepProgress = {
    state: 'pending',
    attempts: 0,
    tries: 0,
    retryAt: null,
    error: null,
    startedAt: null,
    endedAt: null,
  }
  const context: WorkflowRunContext = {
    plan: steps,
    steps: steps.map(() => fresh),
    due: [],
    nextRetryAt: null,
    stopped: null,
    output: hasOutput ? 'wanted' : 'none',
    bytes,
    cause: null,
    endedAt: null,
  }
  return settled(context, at)
}

/** The context after an accepted event. */
export function advance(context: WorkflowRunContext, event: WorkflowRunEvent): WorkflowRunContext {
  const { at } = event
  const after = settled(changed(context, event), at)
  // at the end of a delay due steps start, or outstanding invocations are queried
  return isLook(event) && after.due.length === 0 ? { ...after, due: outstanding(after) } : after
}

const namedEvents = ['reported', 'refused', 'rendered', 'renderingFailed', 'cancel', 'resolveUnknown', 'resume']
const isLook = ({ type }: { type: string }) => !namedEvents.includes(type)

const outstanding = ({ plan, steps }: WorkflowRunContext): StepToBegin[] =>
  steps.flatMap((step, place) =>
    isOutstanding(step) ? [{ stepId: (plan[place] as PlannedStep).id, attempt: step.attempts }] : [],
  )

function changed(context: WorkflowRunContext, event: WorkflowRunEvent): WorkflowRunContext {
  switch (event.type) {
    case 'reported':
      return reported(context, event)
    case 'refused':
      return withStep(context, event.stepId, { state: 'failed', error: event.cause, endedAt: event.at })
    case 'rendered':
      return { ...context, output: 'rendered' }
    case 'renderingFailed':
      return { ...context, output: 'failed', cause: event.cause }
    case 'cancel':
      return {
        ...withSteps(context, ['pending'], { state: 'canceled', retryAt: null, endedAt: event.at }),
        stopped: 'canceled',
      }
    case 'resolveUnknown':
      return resolved(context, event)
    case 'resume':
      return { ...restarted(context), stopped: null, cause: null, endedAt: null }
    default:
      return context
  }
}

type Reported = Extract<WorkflowRunEvent, { type: 'reported' }>
type Resolved = Extract<WorkflowRunEvent, { type: 'resolveUnknown' }>

function reported(context: WorkflowRunContext, { stepId, invocation, bytes, cause, at }: Reported): WorkflowRunContext {
  const place = placeOf(context, stepId)
  const { maxAttempts, backoffMs } = context.plan[place] as PlannedStep
  const { tries } = context.steps[place] as StepProgress
  switch (invocation) {
    case 'pending_approval':
      return withStep(context, stepId, { state: 'waiting_approval' })
    case 'running':
      return withStep(context, stepId, { state: 'running' })
    case 'succeeded':
      return succeeded(context, stepId, bytes, at)
    case 'unknown':
      return {
        ...withStep(context, stepId, { state: 'unknown', error: cause }),
        stopped: context.stopped ?? 'unknown',
      }
    case 'rejected': {
      // canceled by the run, not rejected by a person
      const state = context.stopped === 'canceled' || isFailing(context) ? 'canceled' : 'failed'
      return withStep(context, stepId, { state, error: cause, endedAt: at })
    }
    case 'failed': {
      const mayTryAgain = tries < maxAttempts && context.stopped !== 'canceled' && !isFailing(context)
      return mayTryAgain
        ? withStep(context, stepId, { state: 'pending', error: cause, retryAt: at + backoffMs })
        : withStep(context, stepId, { state: 'failed', error: cause, endedAt: at })
    }
  }
}

function succeeded(context: WorkflowRunContext, stepId: string, bytes: number, at: number): WorkflowRunContext {
  const sum = context.bytes + bytes
  return sum > workflowBytesMax
    ? withStep(context, stepId, { state: 'failed', error: outputTooLarge, endedAt: at })
    : { ...withStep(context, stepId, { state: 'succeeded', error: null, endedAt: at }), bytes: sum }
}

function resolved(context: WorkflowRunContext, { stepId, outcome, bytes, at }: Resolved): WorkflowRunContext {
  if (outcome === 'succeeded') return succeeded(context, stepId, bytes, at)
  return outcome === 'retry'
    ? withStep(context, stepId, fromTheStart)
    : withStep(context, stepId, { state: 'failed', error: resolvedAsFailed, endedAt: at })
}

/** Resets a step, except for its number of attempts. */
const fromTheStart = {
  state: 'pending',
  tries: 0,
  retryAt: null,
  error: null,
  startedAt: null,
  endedAt: null,
} as const satisfies Partial<StepProgress>

/** Restarts steps without a good end; a step whose failure is ignored stays as it is. */
const restarted = (context: WorkflowRunContext): WorkflowRunContext => ({
  ...context,
  steps: context.steps.map((step, place) =>
    isFatal(context, step, place) || step.state === 'skipped' || step.state === 'canceled'
      ? { ...step, ...fromTheStart }
      : step,
  ),
})

/** Applies what follows: steps that start or are skipped, the next retry, the end of the run. */
function settled(context: WorkflowRunContext, at: number): WorkflowRunContext {
  let next: WorkflowRunContext = { ...context, due: [], nextRetryAt: null }
  if (isFailing(next)) next = withSteps(next, ['pending'], { state: 'skipped', retryAt: null, endedAt: at })
  else if (next.stopped === null) next = begun(next, at)
  const cause = next.output === 'failed' ? next.cause : causeOf(next)
  const state = standing(next)
  const isOver = state === 'completed' || state === 'failed' || state === 'canceled'
  return { ...next, cause, endedAt: isOver ? (next.endedAt ?? at) : null }
}

/** Starts steps without pending dependencies. */
function begun(context: WorkflowRunContext, at: number): WorkflowRunContext {
  const due: StepToBegin[] = []
  let nextRetryAt: number | null = null
  const steps = context.steps.map((step, place) => {
    const { id, after } = context.plan[place] as PlannedStep
    if (step.state !== 'pending' || !after.every((other) => isOver(context, other))) return step
    if (step.retryAt !== null && step.retryAt > at) {
      nextRetryAt = Math.min(nextRetryAt ?? step.retryAt, step.retryAt)
      return step
    }
    const attempts = step.attempts + 1
    due.push({ stepId: id, attempt: attempts })
    const startedAt = step.startedAt ?? at
    return { ...step, state: 'running' as const, attempts, tries: step.tries + 1, retryAt: null, startedAt }
  })
  return { ...context, steps, due, nextRetryAt }
}

const isOver = ({ steps }: WorkflowRunContext, place: number) => {
  const state = steps[place]?.state
  return state === 'succeeded' || state === 'failed'
}

function causeOf(context: WorkflowRunContext): Cause | null {
  const { plan, steps, stopped } = context
  const failed = steps.findIndex((step, place) => isFatal(context, step, place))
  if (failed !== -1) {
    const why = steps[failed]?.error?.message ?? 'No reason was given.'
    return { code: 'step_failed', message: `Step ${plan[failed]?.id} failed: ${why}` }
  }
  const unknown = steps.findIndex(({ state }) => state === 'unknown')
  if (stopped !== 'unknown' || unknown === -1) return null
  return { code: 'step_unknown', message: `The outcome of step ${plan[unknown]?.id} is unknown.` }
}

function withStep(context: WorkflowRunContext, stepId: string, changes: Partial<StepProgress>): WorkflowRunContext {
  const place = placeOf(context, stepId)
  return { ...context, steps: context.steps.map((step, other) => (other === place ? { ...step, ...changes } : step)) }
}

function withSteps(
  context: WorkflowRunContext,
  states: readonly WorkflowStepState[],
  changes: Partial<StepProgress>,
): WorkflowRunContext {
  return {
    ...context,
    steps: context.steps.map((step) => (states.includes(step.state) ? { ...step, ...changes } : step)),
  }
}
