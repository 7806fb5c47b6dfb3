/**
 * A second interpreter of workflows, written from `docs/workflows.md` and contract 14, "Workflows", alone: it shares no
 * code with the statechart. It keeps what happened to each step, and derives everything else anew after each event, by
 * rules that are applied until nothing changes. Slow and plain on purpose.
 */

/** A step as a Definition has it. */
export interface Step {
  id: string
  operation?: string
  workflow?: string
  sleep?: number
  waitFor?: { event: string; correlation: string; timeoutMs: number }
  when?: unknown
  forEach?: string
  concurrency?: number
  input?: object
  after?: string[]
  retry?: { maxAttempts: number; backoffMs: number }
  onError?: 'fail' | 'continue'
  compensate?: { operation: string; input?: object }
}

export interface Workflow {
  steps: Step[]
  output?: object
}

type UnitState =
  | 'pending'
  | 'running'
  | 'waiting_approval'
  | 'waiting'
  | 'succeeded'
  | 'failed'
  | 'unknown'
  | 'skipped'
  | 'canceled'

/** What begins, is retried and ends by itself: a step, an item of its list, or its compensation. */
export interface Unit {
  id: string
  kind: 'step' | 'item' | 'compensation'
  /** Its step; itself if it is one. */
  of: string
  state: UnitState
  /** Each is another invocation. */
  attempts: number
  /** Since the start, a resume, or a resolution as `retry`. */
  tries: number
  /** Of the first of these. */
  startedAt: number | null
  /** Before this time it is not tried again. */
  retryAt: number | null
  /** The end of its wait, from when it waits. */
  until: number | null
  /** Whether its condition does not hold. */
  leftOut: boolean
  /** Whether the items of its list are known. */
  listed: boolean
  /** The order in which units succeeded. */
  order: number
  bytes: number
  error: string | null
}

type Outcome = 'running' | 'pending_approval' | 'succeeded' | 'failed' | 'rejected' | 'unknown'

export type Happening =
  | { type: 'reported'; unit: string; attempt: number; outcome: Outcome; bytes: number; code: string }
  /** It cannot be started, and a retry would not help. */
  | { type: 'refused'; unit: string; attempt: number; code: string }
  | { type: 'leftOut'; unit: string; attempt: number }
  | { type: 'listed'; unit: string; attempt: number; count: number }
  | { type: 'waits'; unit: string; attempt: number }
  | { type: 'rendered' }
  | { type: 'notRendered'; code: string }
  | { type: 'cancel' }
  | { type: 'resume' }
  | { type: 'resolve'; unit: string; outcome: 'succeeded' | 'failed' | 'retry'; bytes: number }
  /** Time has passed. */
  | { type: 'timer' }

const bytesMax = 1024 * 1024
const itemsMax = 1_000
const endings: readonly UnitState[] = ['succeeded', 'failed', 'skipped', 'canceled']

export class Reference {
  readonly units: Unit[]
  /** What the last event started: `unit#attempt`. */
  started: string[] = []
  /** The waits for which it is to be looked whether their event has come. */
  looks: string[] = []
  #isCanceled = false
  /** An outcome was unknown, and the run was not resumed since. */
  #isStopped = false
  #output: 'none' | 'wanted' | 'rendered' | 'failed'
  #outputCode: string | null = null
  #orders = 0

  constructor(
    readonly workflow: Workflow,
    private readonly paramsBytes: number,
    private at: number,
    /** Of a run that goes on. */
    units?: readonly Unit[],
  ) {
    this.#output = workflow.output === undefined ? 'none' : 'wanted'
    const { steps } = workflow
    const undone = steps.filter(({ compensate }) => compensate !== undefined)
    this.units = units?.map((unit) => ({ ...unit })) ?? [
      ...steps.map(({ id }) => newUnit(id, 'step', id)),
      ...undone.map(({ id }) => newUnit(`${id}:compensate`, 'compensation', id)),
    ]
    if (!units) this.#follow()
  }

  unit(id: string): Unit {
    const found = this.units.find((unit) => unit.id === id)
    if (!found) throw new Error(`There is no ${id}.`)
    return found
  }

  step(id: string): Step {
    return this.workflow.steps.find((step) => step.id === id) as Step
  }

  itemsOf(id: string): Unit[] {
    return this.units.filter(({ kind, of }) => kind === 'item' && of === id)
  }

  /** Steps and items, without compensations. */
  get own(): Unit[] {
    return this.units.filter(({ kind }) => kind !== 'compensation')
  }

  /** The size of the params and all outputs. */
  get bytes(): number {
    return this.own.reduce((sum, { bytes }) => sum + bytes, this.paramsBytes)
  }

  /** Whether the run fails or has failed. */
  get isFailing(): boolean {
    const fatal = this.units.filter(
      ({ kind, id, state }) => kind === 'step' && state === 'failed' && !this.#ignores(id),
    )
    return fatal.length > 0 || this.#output === 'failed'
  }

  /** Whether it only ends what is open, and compensates. */
  get isEnding(): boolean {
    return this.#isCanceled || this.isFailing
  }

  get state(): string {
    const isOpen = this.units.some(isActive) || this.#nextToCompensate() !== undefined
    if (this.#isCanceled) return isOpen ? 'canceling' : 'canceled'
    if (this.isFailing) return isOpen ? 'running' : 'failed'
    if (this.#isStopped) return 'unknown'
    if (this.own.every(({ state }) => endings.includes(state)))
      return this.#output === 'wanted' ? 'running' : 'completed'
    // a list is what its items are
    const works = this.own.some(({ state, listed }) => state === 'running' && !listed)
    const retries = this.own.some(({ state, retryAt }) => state === 'pending' && (retryAt ?? 0) > this.at)
    const waits = this.own.some(({ state }) => state === 'waiting' || state === 'waiting_approval')
    return waits && !works && !retries && this.unwanted.length === 0 ? 'waiting' : 'running'
  }

  get hasEnded(): boolean {
    return ['completed', 'failed', 'canceled'].includes(this.state)
  }

  /** Why the run failed or is stopped: the code, and the step. */
  get cause(): string | null {
    if (this.#output === 'failed') return this.#outputCode
    const failed = this.units.find(({ kind, id, state }) => kind === 'step' && state === 'failed' && !this.#ignores(id))
    if (failed) return `step_failed ${failed.id}`
    const unknown = this.own.find(({ state }) => state === 'unknown')
    return unknown && this.#isStopped && !this.#isCanceled ? `step_unknown ${unknown.id}` : null
  }

  /** When the next thing happens by time alone. */
  get dueAt(): number | null {
    if (this.hasEnded) return null
    const next = this.#nextToCompensate()
    const retries = this.isEnding
      ? this.units.some(isActive) || !next
        ? []
        : [next]
      : this.#isStopped
        ? []
        : this.own.filter(({ state }) => state === 'pending')
    const times = [
      ...retries.flatMap(({ retryAt }) => (retryAt !== null && retryAt > this.at ? [retryAt] : [])),
      ...this.own.flatMap(({ state, until }) => (state === 'waiting' && until !== null ? [until] : [])),
    ]
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Whether nothing depends on the outcome of the unit any more: the run ends, or another item of its list has failed. */
  #isInVain({ kind, of }: Unit): boolean {
    return this.isEnding || (kind === 'item' && this.itemsOf(of).some(({ state }) => state === 'failed'))
  }

  /** Approvals that wait, and child workflows that run, for a run that no longer wants them. */
  get unwanted(): string[] {
    const isChild = ({ of, state, listed }: Unit) =>
      state === 'running' && !listed && this.step(of).workflow !== undefined
    return this.own
      .filter((unit) => (unit.state === 'waiting_approval' || isChild(unit)) && this.#isInVain(unit))
      .map(({ id, attempts }) => `${id}#${attempts}`)
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

  /** Everything that is known of the run. */
  get facts(): string {
    return JSON.stringify([this.units, this.#isCanceled, this.#isStopped, this.#output])
  }

  /** Another one that goes on from here. */
  copy(): Reference {
    const other = new Reference(this.workflow, this.paramsBytes, this.at, this.units)
    other.#isCanceled = this.#isCanceled
    other.#isStopped = this.#isStopped
    other.#output = this.#output
    other.#outputCode = this.#outputCode
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
        if (state === 'failed') return !hasUnknown && this.own.some((unit) => this.#isRepeated(unit))
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

  /** Whether only its output is missing. */
  get renders(): boolean {
    const isDone = this.own.every(({ state }) => endings.includes(state))
    return this.#output === 'wanted' && isDone && !this.isEnding && !this.#isStopped
  }

  #apply(event: Happening) {
    switch (event.type) {
      case 'cancel':
        if (!this.hasEnded) this.#isCanceled = true
        return
      case 'resume':
        return this.#resume()
      case 'rendered':
        this.#output = 'rendered'
        return
      case 'notRendered':
        this.#output = 'failed'
        this.#outputCode = event.code
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
    if (outcome === 'rejected') this.#end(unit, !isCompensation && this.#isInVain(unit) ? 'canceled' : 'failed', code)
    if (outcome === 'unknown') {
      this.#end(unit, 'unknown', code)
      if (!isCompensation) this.#isStopped = true
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
    const again = this.own.filter((unit) => this.#isRepeated(unit))
    for (const unit of [...again, ...this.units.filter(({ kind }) => kind === 'compensation')]) reset(unit)
    this.#isStopped = false
    if (this.#output === 'failed') this.#output = 'wanted'
  }

  #isRepeated(unit: Unit): boolean {
    const { kind, of, state, leftOut } = unit
    if (kind === 'item') return state !== 'succeeded' && this.#isRepeated(this.unit(of))
    const compensation = this.units.find((each) => each.kind === 'compensation' && each.of === of)
    if (state === 'succeeded') return compensation?.state === 'succeeded'
    if (state === 'failed') return !this.#ignores(of)
    return (state === 'skipped' && !leftOut) || state === 'canceled'
  }

  #ignores(id: string): boolean {
    return this.step(id).onError === 'continue'
  }

  /** What follows, until nothing more does. */
  #follow() {
    for (let before = ''; before !== JSON.stringify(this.units); ) {
      before = JSON.stringify(this.units)
      this.#endLists()
      if (this.isEnding) {
        for (const unit of this.own) {
          if (unit.state === 'waiting') this.#end(unit, 'canceled', unit.error)
          if (unit.state === 'pending') this.#end(unit, this.#isCanceled ? 'canceled' : 'skipped', unit.error)
        }
        const next = this.#nextToCompensate()
        if (next && !this.units.some(isActive)) this.#start(next)
      } else if (!this.#isStopped) {
        for (const unit of this.own) if (unit.state === 'pending' && this.#mayStart(unit)) this.#start(unit)
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

  #mayStart({ kind, of, retryAt }: Unit): boolean {
    if (retryAt !== null && retryAt > this.at) return false
    if (kind === 'item') {
      const list = this.unit(of)
      const count = this.itemsOf(of).filter(isActive).length
      return list.state === 'running' && list.listed && count < (this.step(of).concurrency ?? 10)
    }
    return this.dependencies(of).every((id) => {
      const { state, leftOut } = this.unit(id)
      return state === 'succeeded' || state === 'failed' || leftOut
    })
  }

  /** The steps that a step waits for: those that it names anywhere. */
  dependencies(id: string): string[] {
    const { after = [], input, when, forEach, waitFor } = this.step(id)
    const written = JSON.stringify([input, when, forEach, waitFor])
    return [...after, ...[...written.matchAll(/\{\{steps\.([\w-]+)\./g)].map(([, name = '']) => name)]
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

  /** The compensation that is left of what succeeded last. */
  #nextToCompensate(): Unit | undefined {
    if (!this.isEnding) return undefined
    return this.units
      .filter(
        ({ kind, state, of }) => kind === 'compensation' && state === 'pending' && this.unit(of).state === 'succeeded',
      )
      .sort((one, other) => this.unit(other.of).order - this.unit(one.of).order)[0]
  }
}

export const isActive = ({ state }: Unit): boolean => state === 'running' || state === 'waiting_approval'

const newUnit = (id: string, kind: Unit['kind'], of: string): Unit => {
  const unknown = { startedAt: null, retryAt: null, until: null, error: null }
  return {
    id,
    kind,
    of,
    state: 'pending',
    attempts: 0,
    tries: 0,
    leftOut: false,
    listed: false,
    order: 0,
    bytes: 0,
    ...unknown,
  }
}

function leaveOut(unit: Unit) {
  reset(unit)
  unit.leftOut = true
  unit.state = 'skipped'
}

/** It begins anew, with all its attempts. */
function reset(unit: Unit) {
  const { id, kind, of, attempts } = unit
  Object.assign(unit, newUnit(id, kind, of), { attempts })
}
