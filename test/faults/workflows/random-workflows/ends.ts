/** All ends that a run can have by the reference, in whatever order its steps end and whenever the server is killed. */
import type { Reference } from '../../../machines/workflow-run/reference/reference.ts'
import { type Happening, isActive, type Unit } from '../../../machines/workflow-run/reference/unit.ts'
import { paramsOf, succeeds } from './definitions.ts'

/** The path at which the shop is asked by a step, an item or a compensation. */
export function pathOf(reference: Reference, { id, of, kind }: Unit, run: string): string {
  const step = reference.step(of)
  const operation = kind === 'compensation' || step.workflow !== undefined ? 'write' : step.operation?.split('.')[1]
  return `/${operation}/${run}-${id.replace(':compensate', '-undo')}`
}

/** The end of a run as far as it does not depend on time. */
export const endOf = (state: string, units: { id: string; state: string }[]): string =>
  [state, ...units.map(({ id, state: of }) => `${id}:${of}`).sort()].join(' ')

/** What can happen next to an attempt. */
function ofAttempt(reference: Reference, unit: Unit, run: string): Happening[] {
  const of = { unit: unit.id, attempt: unit.attempts }
  const step = reference.step(unit.of)
  const reported = (
    outcome: 'succeeded' | 'failed' | 'rejected' | 'unknown' | 'running' | 'pending_approval',
    code = '',
  ) => ({ type: 'reported' as const, ...of, outcome, bytes: 1, code })
  if (unit.kind === 'step') {
    if (step.when === '{{params.no}}') return [{ type: 'leftOut', ...of }]
    if (step.sleep !== undefined) return [{ type: 'waits', ...of }]
    if (step.waitFor && unit.until === null) return [{ type: 'waits', ...of }]
    if (step.waitFor) return [reported('failed', 'wait_timed_out')]
    if (step.forEach !== undefined)
      return unit.listed ? [] : [{ type: 'listed', ...of, count: paramsOf(run).items.length }]
  }
  const path = pathOf(reference, unit, run)
  const isDone = succeeds(path, unit.attempts)
  if (unit.kind !== 'compensation' && step.operation === 'shop.approved') {
    if (unit.state === 'running') return unit.until === null ? [reported('pending_approval')] : []
    const withdrawn = reference.isInVain(unit) ? [reported('rejected', 'approval_canceled')] : []
    return [...withdrawn, isDone ? reported('succeeded') : reported('rejected', 'approval_rejected')]
  }
  if (step.workflow !== undefined) {
    // with its run, or with its list
    const canceled = reference.isInVain(unit) ? [reported('rejected', 'workflow_canceled')] : []
    return [...canceled, isDone ? reported('succeeded') : reported('failed', 'workflow_failed')]
  }
  const isLost = unit.kind !== 'compensation' && step.operation === 'shop.charge'
  return [
    isDone ? reported('succeeded') : reported('failed', 'tool_error'),
    ...(isLost ? [reported('unknown', 'lost')] : []),
  ]
}

/** Each next state. */
function* after(reference: Reference, run: string, mayCancel: boolean): Generator<Reference> {
  const taken = (event: Happening, prepare: (copy: Reference) => void = () => {}) => {
    const copy = reference.copy()
    prepare(copy)
    copy.takes(event, 0)
    return copy
  }
  for (const unit of reference.units) {
    const step = reference.step(unit.of)
    if (isActive(unit)) for (const event of ofAttempt(reference, unit, run)) yield taken(event)
    // time passes for one thing at a time: which comes first depends on when each has begun
    const isOnTime = unit.state === 'waiting' && step.waitFor?.event !== 'event'
    if (isOnTime) yield taken({ type: 'timer' }, (copy) => Object.assign(copy.unit(unit.id), { until: 0 }))
    if (unit.state === 'waiting' && step.waitFor?.event === 'event') {
      yield taken({ type: 'reported', unit: unit.id, attempt: unit.attempts, outcome: 'succeeded', bytes: 1, code: '' })
    }
    if ((unit.retryAt ?? 0) > 0)
      yield taken({ type: 'timer' }, (copy) => Object.assign(copy.unit(unit.id), { retryAt: 0 }))
    if (unit.state !== 'unknown' || unit.kind === 'compensation') continue
    // what has been asked for is known, and the rest is repeated
    const outcome = succeeds(pathOf(reference, unit, run), unit.attempts) ? ('succeeded' as const) : ('failed' as const)
    for (const each of [outcome, 'retry' as const])
      yield taken({ type: 'resolve', unit: unit.id, outcome: each, bytes: 1 })
  }
  if (reference.state === 'unknown') yield taken({ type: 'resume' })
  if (reference.renders) yield taken({ type: 'rendered' })
  if (mayCancel) yield taken({ type: 'cancel' })
}

/** What decides about all that follows. */
const keyOf = ({ state, units, isEnding }: Reference): string =>
  JSON.stringify([
    state,
    isEnding,
    units.map(({ id, state: of, attempts, tries, retryAt, until, leftOut, listed }) => {
      return [id, of, Math.min(attempts, 2), tries, retryAt === null, until === null, leftOut, listed]
    }),
  ])

const waysMax = 3_000

/** The ends of a run, also if it is canceled at some time, if it may be; undefined: it can go too many ways. */
export function endsOf(start: Reference, run: string, mayCancel: boolean): Set<string> | undefined {
  const ends = new Set<string>()
  const seen = new Set<string>()
  const open = [start]
  for (let reference = open.pop(); reference; reference = open.pop()) {
    const { state, units } = reference
    const left = units.some((unit) => unit.state === 'unknown' && unit.kind !== 'compensation')
    if (reference.hasEnded && (!left || state === 'canceled')) ends.add(endOf(state, units))
    for (const next of after(reference, run, mayCancel && !reference.hasEnded)) {
      const key = keyOf(next)
      if (seen.has(key)) continue
      seen.add(key)
      open.push(next)
    }
    if (seen.size > waysMax) return undefined
  }
  return ends
}
