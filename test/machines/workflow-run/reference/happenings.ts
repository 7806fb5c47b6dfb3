/** What can happen to a run next: in the order of things, late, repeated, or not at all possible. */
import type { Choice } from './definitions.ts'
import type { Reference } from './reference.ts'
import { type Happening, isActive, type Unit } from './unit.ts'

type Outcome = Extract<Happening, { type: 'reported' }>['outcome']

/** Params and outputs of a run may have 1,048,576 together. */
const bytesOf = (how: number) => (how % 12 === 0 ? 400_000 : (how % 7) + 1)

const ofAttempt = ({ id, attempts }: Unit) => ({ unit: id, attempt: attempts })
const reported = (unit: Unit, outcome: Outcome, how: number): Happening => ({
  type: 'reported',
  ...ofAttempt(unit),
  outcome,
  bytes: outcome === 'succeeded' ? bytesOf(how) : 0,
  code: `${outcome}_${how}`,
})

const outcomes: readonly Outcome[] = [
  ...(['succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'succeeded', 'failed', 'failed'] as const),
  ...(['rejected', 'unknown', 'running', 'pending_approval'] as const),
]
const childOutcomes: readonly Outcome[] = ['succeeded', 'succeeded', 'failed', 'rejected']

/** An event about an attempt that is in progress. */
function ofActive(reference: Reference, unit: Unit, how: number): Happening {
  const step = reference.step(unit.of)
  const refused: Happening = { type: 'refused', ...ofAttempt(unit), code: `refused_${how}` }
  const isStep = unit.kind === 'step'
  // a condition is weighed before anything else
  const isNew = unit.state === 'running' && unit.until === null && !unit.listed
  if (isStep && step.when !== undefined && isNew && how % 6 === 0) return { type: 'leftOut', ...ofAttempt(unit) }
  if (isStep && step.sleep !== undefined) return { type: 'waits', ...ofAttempt(unit) }
  if (isStep && step.waitFor) {
    if (unit.until !== null) return reported(unit, how % 2 === 0 ? 'succeeded' : 'failed', how)
    if (how % 9 === 0) return refused
    return how % 9 === 1 ? reported(unit, 'failed', how) : { type: 'waits', ...ofAttempt(unit) }
  }
  if (isStep && step.forEach !== undefined) {
    if (how % 9 === 0 && !unit.listed) return refused
    return { type: 'listed', ...ofAttempt(unit), count: how % 50 === 1 ? 1_001 : how % 4 }
  }
  if (how % 13 === 0) return refused
  const isChild = step.workflow !== undefined
  return reported(unit, pick(isChild ? childOutcomes : outcomes, how), how)
}

/** A report that comes too late or again: about an attempt that has ended. */
function late(reference: Reference, { which, how }: Choice): Happening {
  const unit = pick(reference.units, which)
  const attempt = Math.max(0, unit.attempts - (isActive(unit) || how % 3 === 0 ? 1 : 0))
  const event = reported(unit, pick(outcomes, how), how) as Extract<Happening, { type: 'reported' }>
  // that the event has come is never late for the step that waits for it
  const isWaiting = unit.state === 'waiting' && reference.step(unit.of).waitFor
  const of = { ...event, attempt, ...(isWaiting && { outcome: 'failed' as const }) }
  if (how % 5 === 0) return { type: 'waits', unit: of.unit, attempt }
  if (how % 5 === 1) return { type: 'leftOut', unit: of.unit, attempt }
  return of
}

/** A command at any time, whether it is possible or not. */
function command(reference: Reference, { which, how }: Choice): Happening {
  if (how % 4 === 0) return { type: 'resume' }
  if (how % 4 === 1) return { type: 'rendered' }
  const outcome = pick(['succeeded', 'failed', 'retry'] as const, which)
  return { type: 'resolve', unit: pick(reference.own, which).id, outcome, bytes: 1 }
}

/** The next event. */
export function happeningOf(reference: Reference, choice: Choice): Happening {
  const { which, how } = choice
  if (how < 15) return { type: 'cancel' }
  if (how < 100) return late(reference, choice)
  if (how < 160) return command(reference, choice)
  const unknown = reference.own.filter(({ state }) => state === 'unknown')
  const active = reference.units.filter((unit) => isActive(unit) && !(unit.listed && how % 8 > 0))
  const waiting = reference.units.filter(({ state, of }) => state === 'waiting' && reference.step(of).waitFor)
  const next: (() => Happening)[] = [
    ...active.map((unit) => () => ofActive(reference, unit, how)),
    ...waiting.map((unit) => () => reported(unit, 'succeeded', how)),
    () => ({ type: 'timer' }),
  ]
  const isStuck = active.length === 0
  if (isStuck && unknown.length > 0) {
    const outcome = pick(['succeeded', 'failed', 'retry'] as const, how)
    return { type: 'resolve', unit: pick(unknown, which).id, outcome, bytes: 1 }
  }
  if (isStuck && ['unknown', 'failed'].includes(reference.state)) return { type: 'resume' }
  if (reference.renders && how % 3 > 0)
    return how % 9 === 1 ? { type: 'notRendered', code: 'output_too_large' } : { type: 'rendered' }
  return pick(next, which)()
}

const pick = <Item>(items: readonly Item[], at: number): Item => items[at % items.length] as Item
