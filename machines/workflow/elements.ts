/**
 * Steps that are done for each item of a list: each item is an element, which begins, is retried and ends like a step of
 * its own, and the step ends with its elements. Pure. Source: contract 14, "Workflows".
 */
import type { Cause } from '../words.ts'
import { changedAt, fresh } from './progress.ts'
import { isEnding, isOutstanding, isOver } from './standing.ts'
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

type Plan = WorkflowRunContext['plan']
type Places = ReadonlyMap<number, readonly number[]>

/** Plans change only when elements become known, and every event asks several times. */
const placesByPlan = new WeakMap<Plan, Places>()

/** The places of the elements of each step. */
function placesIn(plan: Plan): Places {
  const known = placesByPlan.get(plan)
  if (known) return known
  const places = new Map<number, number[]>()
  for (const [place, { element }] of plan.entries()) {
    if (element === undefined) continue
    const others = places.get(element)
    if (others) others.push(place)
    else places.set(element, [place])
  }
  placesByPlan.set(plan, places)
  return places
}

const placesOf = ({ plan }: WorkflowRunContext, of: number): readonly number[] => placesIn(plan).get(of) ?? []

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
  const open = ['pending', 'running', 'waiting_approval', ...(isEnding(context) ? [] : ['unknown'])]
  for (const [place, { concurrency }] of context.plan.entries()) {
    const { state, counted: isCounted } = context.steps[place] as StepProgress
    if (concurrency === undefined) continue
    const hasEnded = state === 'failed' || state === 'skipped'
    if (!hasEnded && (state !== 'running' || !isCounted)) continue
    const places = placesOf(next, place)
    const failed = places.find((each) => next.steps[each]?.state === 'failed')
    // a step that is resumed may be left out, or fail before its elements begin again
    if (failed !== undefined || hasEnded) next = skipped(next, places, at)
    if (hasEnded || places.some((each) => open.includes((next.steps[each] as StepProgress).state))) continue
    const isDone = places.every((each) => next.steps[each]?.state === 'succeeded' || next.steps[each]?.beyond)
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
  for (const [place, { element }] of context.plan.entries()) {
    if (element === undefined || !isOutstanding(context.steps[place] as StepProgress)) continue
    open.set(element, (open.get(element) ?? 0) + 1)
  }
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
