/**
 * A second interpreter of workflows, written from `docs/workflows.md` and contract 14, "Workflows", alone: it shares no
 * code with the statechart. It keeps what happened to each step, and derives everything else anew after each event, by
 * rules that are applied until nothing changes. Slow and plain on purpose.
 */
import { Progress } from './progress.ts'
import {
  bytesMax,
  type Happening,
  isActive,
  itemsMax,
  leaveOut,
  newUnit,
  reset,
  type Unit,
  type UnitState,
  type Workflow,
} from './unit.ts'

export class Reference extends Progress {
  /** What the last event started: `unit#attempt`. */
  started: string[] = []
  /** The waits for which it is to be looked whether their event has come. */
  looks: string[] = []
  #orders = 0

  constructor(workflow: Workflow, paramsBytes: number, at: number, units?: readonly Unit[]) {
    super(workflow, paramsBytes, at, units)
    if (!units) this.#follow()
  }

  /** What the run makes of the event: a conflict, nothing, or something. */
  takes(event: Happening, at: number): 'refused' | 'ignored' | 'taken' {
    const before = this.facts
    const earlier = this.at
    this.started = []
    this.looks = []
    if (!this.#accepts(event)) return 'refused'
    this.at = at
    this.#apply(event)
    if (event.type !== 'timer' && this.facts === before) {
      this.at = earlier
      return 'ignored'
    }
    this.#follow()
    return 'taken'
  }

  /** Another one that goes on from here. */
  copy(): Reference {
    const other = new Reference(this.workflow, this.paramsBytes, this.at, this.units)
    other.isCanceled = this.isCanceled
    other.isStopped = this.isStopped
    other.output = this.output
    other.outputCode = this.outputCode
    other.#orders = this.#orders
    return other
  }

  #accepts(event: Happening): boolean {
    const { state } = this
    const hasUnknown = this.own.some((unit) => unit.state === 'unknown')
    switch (event.type) {
      case 'cancel':
        return true
      case 'resume':
        if (state === 'failed') return !hasUnknown && this.own.some((unit) => this.isRepeated(unit))
        return state === 'unknown' && !hasUnknown
      case 'resolve':
        return (
          (state === 'unknown' || state === 'failed') &&
          this.own.some(({ id, state: of }) => id === event.unit && of === 'unknown')
        )
      case 'rendered':
      case 'notRendered':
        return this.renders
      default:
        return !this.hasEnded
    }
  }

  #apply(event: Happening) {
    switch (event.type) {
      case 'cancel':
        if (!this.hasEnded) this.isCanceled = true
        return
      case 'resume':
        return this.#resume()
      case 'rendered':
        this.output = 'rendered'
        return
      case 'notRendered':
        this.output = 'failed'
        this.outputCode = event.code
        return
      case 'timer':
        for (const unit of this.own.filter(({ state, until }) => state === 'waiting' && (until ?? 0) <= this.at)) {
          if (this.step(unit.of).sleep !== undefined) this.#succeed(unit, 0)
          else {
            // its time is over, and whether its event has come in time is looked up
            unit.state = 'running'
            this.looks.push(`${unit.id}#${unit.attempts}`)
          }
        }
        return
      case 'resolve': {
        const unit = this.unit(event.unit)
        if (event.outcome === 'succeeded') this.#succeed(unit, event.bytes)
        if (event.outcome === 'failed') this.#end(unit, 'failed', 'resolved_as_failed')
        if (event.outcome === 'retry') reset(unit)
        return
      }
      default: {
        // of another attempt, or after its end
        const unit = this.units.find(({ id }) => id === event.unit)
        if (!unit || unit.attempts !== event.attempt) return
        const isEventOfWait = event.type === 'reported' && this.step(unit.of).waitFor && event.outcome === 'succeeded'
        if (isActive(unit) || (unit.state === 'waiting' && isEventOfWait)) this.#applyTo(unit, event)
      }
    }
  }

  #applyTo(unit: Unit, event: Extract<Happening, { attempt: number }>) {
    switch (event.type) {
      case 'refused':
        return this.#end(unit, 'failed', event.code)
      case 'leftOut':
        leaveOut(unit)
        unit.attempts -= 1
        return
      case 'waits': {
        if (unit.until !== null) return
        const { sleep, waitFor } = this.step(unit.of)
        // a sleep lasts from the beginning of the step
        unit.until = waitFor ? this.at + waitFor.timeoutMs : (unit.startedAt ?? 0) + (sleep ?? 0)
        unit.state = 'waiting'
        if (waitFor && !this.isEnding) this.looks.push(`${unit.id}#${unit.attempts}`)
        return
      }
      case 'listed':
        return this.#list(unit, event.count)
      case 'reported':
        return this.#report(unit, event)
    }
  }

  #list(unit: Unit, count: number) {
    if (unit.listed) return
    const known = this.itemsOf(unit.id)
    const others = this.units.filter(({ kind, of }) => kind === 'item' && of !== unit.id)
    if (others.length + Math.max(known.length, count) > itemsMax) return this.#end(unit, 'failed', 'too_many_elements')
    unit.listed = true
    // a list that is made again may be longer, or shorter
    for (let index = known.length; index < count; index += 1) {
      this.units.push(newUnit(`${unit.id}.${index}`, 'item', unit.id))
    }
    for (const item of known.slice(count)) if (item.state === 'pending') leaveOut(item)
  }

  #report(unit: Unit, { outcome, bytes, code }: Extract<Happening, { type: 'reported' }>) {
    const { maxAttempts, backoffMs } = this.step(unit.of).retry ?? { maxAttempts: 1, backoffMs: 0 }
    const isCompensation = unit.kind === 'compensation'
    if (outcome === 'running') unit.state = 'running'
    if (outcome === 'pending_approval') unit.state = 'waiting_approval'
    if (outcome === 'succeeded') this.#succeed(unit, isCompensation ? 0 : bytes)
    // one that is withdrawn is canceled with its run, or its list
    if (outcome === 'rejected') this.#end(unit, !isCompensation && this.isInVain(unit) ? 'canceled' : 'failed', code)
    if (outcome === 'unknown') {
      this.#end(unit, 'unknown', code)
      if (!isCompensation) this.isStopped = true
    }
    if (outcome === 'failed') {
      if (unit.tries < maxAttempts && (isCompensation || !this.isEnding)) {
        this.#end(unit, 'pending', code)
        unit.retryAt = this.at + backoffMs
        unit.until = null
      } else this.#end(unit, 'failed', code)
    }
  }

  #succeed(unit: Unit, bytes: number) {
    if (this.bytes + bytes > bytesMax) return this.#end(unit, 'failed', 'output_too_large')
    this.#end(unit, 'succeeded', null)
    this.#orders += 1
    unit.order = this.#orders
    unit.bytes = bytes
  }

  #end(unit: Unit, state: UnitState, error: string | null) {
    unit.state = state
    unit.error = error
    unit.retryAt = null
  }

  /** Steps that have no good end begin anew, and what was compensated. */
  #resume() {
    const again = this.own.filter((unit) => this.isRepeated(unit))
    for (const unit of [...again, ...this.units.filter(({ kind }) => kind === 'compensation')]) reset(unit)
    this.isStopped = false
    if (this.output === 'failed') this.output = 'wanted'
  }

  /** What follows, until nothing more does. */
  #follow() {
    for (let before = ''; before !== JSON.stringify(this.units); ) {
      before = JSON.stringify(this.units)
      this.#endLists()
      if (this.isEnding) {
        for (const unit of this.own) {
          if (unit.state === 'waiting') this.#end(unit, 'canceled', unit.error)
          if (unit.state === 'pending') this.#end(unit, this.isCanceled ? 'canceled' : 'skipped', unit.error)
        }
        const next = this.nextToCompensate()
        if (next && !this.units.some(isActive)) this.#start(next)
      } else if (!this.isStopped) {
        for (const unit of this.own) if (unit.state === 'pending' && this.mayStart(unit)) this.#start(unit)
      }
    }
  }

  /** A list ends with its items. */
  #endLists() {
    for (const list of this.units.filter(({ kind, of }) => kind === 'step' && this.step(of).forEach !== undefined)) {
      const items = this.itemsOf(list.id)
      if (list.state === 'failed' || list.leftOut) {
        for (const item of items) if (item.state === 'pending') this.#end(item, 'skipped', item.error)
      }
      if (list.state !== 'running' || !list.listed) continue
      const failed = items.find(({ state }) => state === 'failed')
      if (failed) {
        for (const item of items) if (item.state === 'pending') this.#end(item, 'skipped', item.error)
      }
      const isOpen = ({ state }: Unit) => state === 'pending' || (state === 'unknown' && !this.isEnding)
      if (items.some((item) => isActive(item) || isOpen(item))) continue
      if (items.every(({ state, leftOut }) => state === 'succeeded' || leftOut)) this.#end(list, 'succeeded', null)
      else this.#end(list, failed ? 'failed' : 'canceled', failed?.error ?? null)
    }
  }

  #start(unit: Unit) {
    if (unit.retryAt !== null && unit.retryAt > this.at) return
    unit.state = 'running'
    unit.attempts += 1
    unit.tries += 1
    unit.startedAt ??= this.at
    unit.retryAt = null
    unit.until = null
    unit.listed = false
    this.started.push(`${unit.id}#${unit.attempts}`)
  }
}
