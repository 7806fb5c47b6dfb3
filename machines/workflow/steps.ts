/**
 * The changes of a workflow run's steps by events: which start, and which end. Pure; `standing.ts` says what state the
 * run is in then, `../workflow-run.ts` has the statechart. Source: contract 6, "Workflow start", "Precise points".
 */
import type { Cause } from '../words.ts'
import { compensated } from './compensation.ts'
import { counted, gathered, roomFor } from './elements.ts'
import { overviewOf } from './overview.ts'
import { changedAt, fresh } from './progress.ts'
import { isEnding, isFailing, isOfFailingList, isOwn, isRepeated, outstanding, placeOf, standing } from './standing.ts'
import {
  type PlannedStep,
  type StepProgress,
  type StepToBegin,
  type WorkflowRunContext,
  type WorkflowRunEvent,
  type WorkflowRunInput,
  type WorkflowStepState,
  workflowBytesMax,
} from './words.ts'

const outputTooLarge: Cause = {
  code: 'output_too_large',
  message:
    'The params and outputs of a workflow run exceed 1 MiB in total. The operation was executed: resume repeats it.',
}
const resolvedAsFailed: Cause = { code: 'resolved_as_failed', message: 'A user resolved the step as failed.' }

/** The initial context of a run. */
export function born({ steps, bytes, hasOutput, at }: WorkflowRunInput): WorkflowRunContext {
  const context: WorkflowRunContext = {
    plan: steps,
    steps: steps.map(() => fresh),
    due: [],
    nextRetryAt: null,
    nextWakeAt: null,
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
  if (!isLook(event)) return withLook(settled(changed(context, event), at), event)
  const woke = woken(context, at)
  const after = settled(woke, at)
  const ended = outstanding(woke).filter(({ stepId }) => stateOf(context, stepId) === 'waiting')
  // at the end of a delay due steps start, or outstanding invocations are queried
  return { ...after, due: after.due.length === 0 ? outstanding(after) : [...after.due, ...ended] }
}

const stateOf = (context: WorkflowRunContext, stepId: string) => context.steps[placeOf(context, stepId)]?.state

/** A step that begins to wait for an event looks once whether it has come already. */
const withLook = (context: WorkflowRunContext, event: WorkflowRunEvent): WorkflowRunContext =>
  event.type === 'waits' && event.awaits && stateOf(context, event.stepId) === 'waiting'
    ? { ...context, due: [...context.due, { stepId: event.stepId, attempt: event.attempt }] }
    : context

const namedEvents = [
  'reported',
  'refused',
  'leftOut',
  'waits',
  'counted',
  'rendered',
  'renderingFailed',
  'cancel',
  'resolveUnknown',
  'resume',
]
const isLook = ({ type }: { type: string }) => !namedEvents.includes(type)

function changed(context: WorkflowRunContext, event: WorkflowRunEvent): WorkflowRunContext {
  switch (event.type) {
    case 'reported':
      return reported(context, event)
    case 'refused':
      return withStep(context, event.stepId, { state: 'failed', error: event.cause, endedAt: event.at })
    case 'leftOut':
      return leftOut(context, event)
    case 'counted':
      return counted(context, placeOf(context, event.stepId), event.count, event.at)
    case 'waits':
      return withStep(context, event.stepId, {
        state: 'waiting',
        until: waitsUntil(context, event),
        awaits: event.awaits,
      })
    case 'rendered':
      return { ...context, output: 'rendered' }
    case 'renderingFailed':
      return { ...context, output: 'failed', cause: event.cause }
    case 'cancel':
      return { ...context, stopped: 'canceled' }
    case 'resolveUnknown':
      return resolved(context, event)
    case 'resume':
      return {
        ...restarted(context),
        stopped: null,
        output: context.output === 'failed' ? 'wanted' : context.output,
        cause: null,
        endedAt: null,
      }
    default:
      return context
  }
}

/** The attempt was none. */
function leftOut(context: WorkflowRunContext, { stepId, attempt, at }: LeftOut): WorkflowRunContext {
  const attempts = attempt - 1
  return withStep(context, stepId, { ...fromTheStart, state: 'skipped', leftOut: true, attempts, endedAt: at })
}

/** The end of a wait. A sleep counts from the beginning of the step: a crash does not make it longer. */
function waitsUntil(context: WorkflowRunContext, { stepId, at }: Extract<WorkflowRunEvent, { type: 'waits' }>): number {
  const place = placeOf(context, stepId)
  const { sleepMs = 0, timeoutMs } = context.plan[place] as PlannedStep
  return timeoutMs === undefined ? (context.steps[place]?.startedAt ?? at) + sleepMs : at + timeoutMs
}

/** Ends the waits whose time has come. Whether an awaited event has come in time, the server finds out. */
const woken = (context: WorkflowRunContext, at: number): WorkflowRunContext => ({
  ...context,
  steps: context.steps.map((step, place) => {
    if (step.state !== 'waiting' || (step.until ?? 0) > at) return step
    const isSleep = context.plan[place]?.timeoutMs === undefined
    return isSleep ? { ...step, state: 'succeeded', endedAt: at } : { ...step, state: 'running' }
  }),
})

type LeftOut = Extract<WorkflowRunEvent, { type: 'leftOut' }>
type Reported = Extract<WorkflowRunEvent, { type: 'reported' }>
type Resolved = Extract<WorkflowRunEvent, { type: 'resolveUnknown' }>

function reported(context: WorkflowRunContext, { stepId, invocation, bytes, cause, at }: Reported): WorkflowRunContext {
  const place = placeOf(context, stepId)
  const { maxAttempts, backoffMs } = context.plan[place] as PlannedStep
  const { tries } = context.steps[place] as StepProgress
  const isCompensation = !isOwn(context, place)
  switch (invocation) {
    case 'pending_approval':
      return withStep(context, stepId, { state: 'waiting_approval' })
    case 'running':
      return withStep(context, stepId, { state: 'running' })
    case 'succeeded':
      // the output of a compensation is not kept
      return succeeded(context, stepId, isCompensation ? 0 : bytes, at)
    case 'unknown':
      return {
        ...withStep(context, stepId, { state: 'unknown', error: cause, endedAt: isCompensation ? at : null }),
        // a compensation stops nothing
        stopped: isCompensation ? context.stopped : (context.stopped ?? 'unknown'),
      }
    case 'rejected': {
      // canceled by the run, not rejected by a person
      const isUnwanted = isEnding(context) || isOfFailingList(context, place)
      const state = isUnwanted && !isCompensation ? 'canceled' : 'failed'
      return withStep(context, stepId, { state, error: cause, endedAt: at })
    }
    case 'failed': {
      const mayTryAgain = tries < maxAttempts && (isCompensation || !isEnding(context))
      return mayTryAgain
        ? withStep(context, stepId, { state: 'pending', error: cause, retryAt: at + backoffMs })
        : withStep(context, stepId, { state: 'failed', error: cause, endedAt: at })
    }
  }
}

function succeeded(context: WorkflowRunContext, stepId: string, bytes: number, at: number): WorkflowRunContext {
  const sum = context.bytes + bytes
  const order = 1 + overviewOf(context).lastOrder
  return sum > workflowBytesMax
    ? withStep(context, stepId, { state: 'failed', error: outputTooLarge, endedAt: at })
    : { ...withStep(context, stepId, { state: 'succeeded', error: null, endedAt: at, order, bytes }), bytes: sum }
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
  beyond: undefined,
  startedAt: null,
  endedAt: null,
} as const satisfies Partial<StepProgress>

function restarted(context: WorkflowRunContext): WorkflowRunContext {
  let { bytes } = context
  const steps = context.steps.map((step, place) => {
    const isAgain = isRepeated(context, step, place)
    // it was compensated, and its output goes
    if (isAgain && step.state === 'succeeded') bytes -= step.bytes ?? 0
    return isAgain || !isOwn(context, place) ? { ...step, ...fromTheStart } : step
  })
  return { ...context, steps, bytes }
}

/** Applies what follows: steps that start or are skipped, the next retry, the end of the run. */
function settled(context: WorkflowRunContext, at: number): WorkflowRunContext {
  let next: WorkflowRunContext = gathered({ ...context, due: [], nextRetryAt: null }, at)
  if (next.stopped === 'canceled')
    next = withSteps(next, ['pending'], { state: 'canceled', retryAt: null, endedAt: at })
  else if (isFailing(next)) next = withSteps(next, ['pending'], { state: 'skipped', retryAt: null, endedAt: at })
  else if (next.stopped === null) next = begun(next, at)
  if (isEnding(next)) next = withSteps(next, ['waiting'], { state: 'canceled', endedAt: at })
  next = compensated(gathered(next, at), at)
  const nextWakeAt = overviewOf(next).firstWake
  const cause = next.output === 'failed' ? next.cause : causeOf(next)
  const state = standing(next)
  const isOver = state === 'completed' || state === 'failed' || state === 'canceled'
  return { ...next, nextWakeAt, cause, endedAt: isOver ? (next.endedAt ?? at) : null }
}

/** Starts steps without pending dependencies. */
function begun(context: WorkflowRunContext, at: number): WorkflowRunContext {
  const due: StepToBegin[] = []
  let nextRetryAt: number | null = null
  const hasRoom = roomFor(context)
  const steps = context.steps.map((step, place) => {
    const { id } = context.plan[place] as PlannedStep
    if (step.state !== 'pending' || !isOwn(context, place)) return step
    if (step.retryAt !== null && step.retryAt > at) {
      nextRetryAt = Math.min(nextRetryAt ?? step.retryAt, step.retryAt)
      return step
    }
    if (!hasRoom(place)) return step
    const attempts = step.attempts + 1
    due.push({ stepId: id, attempt: attempts })
    const startedAt = step.startedAt ?? at
    const begun = { state: 'running' as const, attempts, tries: step.tries + 1, retryAt: null, startedAt }
    return { ...step, ...begun, until: undefined, awaits: undefined, counted: undefined }
  })
  return { ...context, steps: due.length === 0 ? context.steps : steps, due, nextRetryAt }
}

function causeOf(context: WorkflowRunContext): Cause | null {
  const { plan, steps, stopped } = context
  const { fatal, unknown } = overviewOf(context)
  if (fatal !== undefined) {
    const why = steps[fatal]?.error?.message ?? 'No reason was given.'
    return { code: 'step_failed', message: `Step ${plan[fatal]?.id} failed: ${why}` }
  }
  if (stopped !== 'unknown' || unknown === undefined) return null
  return { code: 'step_unknown', message: `The outcome of step ${plan[unknown]?.id} is unknown.` }
}

const withStep = (context: WorkflowRunContext, stepId: string, changes: Partial<StepProgress>): WorkflowRunContext =>
  changedAt(context, placeOf(context, stepId), changes)

/** Changes steps of the workflow itself. */
function withSteps(
  context: WorkflowRunContext,
  states: readonly WorkflowStepState[],
  changes: Partial<StepProgress>,
): WorkflowRunContext {
  return {
    ...context,
    steps: context.steps.map((step, place) =>
      states.includes(step.state) && isOwn(context, place) ? { ...step, ...changes } : step,
    ),
  }
}
