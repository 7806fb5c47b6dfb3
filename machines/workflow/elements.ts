/**
 * Steps that are done for each item of a list: each item is an element, which begins, is retried and ends like a step of
 * its own, and the step ends with its elements. Pure. Source: contract 14, "Workflows".
 */
import type { Cause } from '../words.ts'
import { overviewOf, overviewOfPlan } from './overview.ts'
import { changedAt, fresh } from './progress.ts'
import { isEnding, isOver } from './standing.ts'
import {
  elementOf,
  type PlannedStep,
  type StepProgress,
  type WorkflowRunContext,
  workflowElementsMax,
} from './words.ts'

const tooMany: Cause = {
  code: 'too_many_elements',
  message: `A run can have at most ${workflowElementsMax.toLocaleString('en')} elements, of all its steps.`,
}

const openStates = ['pending', 'running', 'waiting_approval'] as const

const placesOf = (context: WorkflowRunContext, of: number): readonly number[] =>
  overviewOfPlan(context).elements.get(of) ?? []

/**
 * The elements of a step are known. A step that is resumed has some already: the list may have become longer, if a step
 * that it comes from was done again, or shorter, and then elements beyond its end are left out unless they are done.
 */
export function counted(context: WorkflowRunContext, place: number, count: number, at: number): WorkflowRunContext {
  const known = placesOf(context, place)
  const before = context.plan.filter(({ element }) => element !== undefined).length - known.length
  if (before + count > workflowElementsMax) {
    return changedAt(context, place, { state: 'failed', error: tooMany, endedAt: at })
  }
  const { id, operation, workflow, maxAttempts, backoffMs } = context.plan[place] as PlannedStep
  const like = { operation, after: [], maxAttempts, backoffMs, continues: true, element: place }
  const added = Array.from({ length: Math.max(0, count - known.length) }, (_, index): PlannedStep => {
    return { id: elementOf(id, known.length + index), ...like, ...(workflow !== undefined && { workflow }) }
  })
  const beyond = new Set(known.slice(count))
  const steps = context.steps.map((step, other): StepProgress => {
    return beyond.has(other) && step.state === 'pending'
      ? { ...step, state: 'skipped', beyond: true, endedAt: at }
      : step
  })
  const next = { ...context, plan: [...context.plan, ...added], steps: [...steps, ...added.map(() => fresh)] }
  return changedAt(next, place, { counted: true })
}

/** Ends the steps whose elements have ended; after a failure of one, those that have not begun are skipped. */
export function gathered(context: WorkflowRunContext, at: number): WorkflowRunContext {
  let next = context
  // an outcome that is unknown is waited for only if the run may still use it
  const open = [...openStates, ...(isEnding(context) ? [] : (['unknown'] as const))]
  for (const place of overviewOfPlan(context).lists) {
    const { state, counted: isCounted } = context.steps[place] as StepProgress
    const hasEnded = state === 'failed' || state === 'skipped'
    if (!hasEnded && (state !== 'running' || !isCounted)) continue
    const places = placesOf(next, place)
    // a step that is resumed may be left out, or fail before its elements begin again
    if (hasEnded || overviewOf(next).lists.get(place)?.failed !== undefined) next = skipped(next, places, at)
    const list = overviewOf(next).lists.get(place)
    if (hasEnded || open.some((each) => list && list.states[each] > 0)) continue
    const failed = list?.failed
    const isDone = (list?.done ?? 0) === places.length
    const error = failed === undefined ? null : failureOf(next, failed)
    next = changedAt(next, place, {
      state: isDone ? 'succeeded' : failed === undefined ? 'canceled' : 'failed',
      error,
      endedAt: at,
    })
  }
  return next
}

/** Skips the elements at these places that have not begun. */
function skipped(context: WorkflowRunContext, places: readonly number[], at: number): WorkflowRunContext {
  if (!places.some((place) => context.steps[place]?.state === 'pending')) return context
  const steps = [...context.steps]
  for (const place of places) {
    const step = steps[place] as StepProgress
    if (step.state === 'pending') steps[place] = { ...step, state: 'skipped', retryAt: null, endedAt: at }
  }
  return { ...context, steps }
}

function failureOf({ plan, steps }: WorkflowRunContext, place: number): Cause {
  const { code = 'step_failed', message = 'No reason was given.' } = steps[place]?.error ?? {}
  return { code, message: `Element ${plan[place]?.id} failed: ${message}` }
}

/** Says of each pending step whether it may begin: an element only if its step has room. */
export function roomFor(context: WorkflowRunContext): (place: number) => boolean {
  const open = new Map<number, number>()
  for (const [of, { states }] of overviewOf(context).lists) open.set(of, states.running + states.waiting_approval)
  return (place) => {
    const { element, after } = context.plan[place] as PlannedStep
    if (element === undefined) return after.every((other) => isOver(context, other))
    const { state, counted: isCounted } = context.steps[element] as StepProgress
    const count = open.get(element) ?? 0
    if (state !== 'running' || !isCounted || count >= (context.plan[element]?.concurrency ?? 1)) return false
    open.set(element, count + 1)
    return true
  }
}
