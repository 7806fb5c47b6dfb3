/** What is known of a run after its last event, and all that follows from it. */
import { endings, isActive, newUnit, type Step, type Unit, type Workflow } from './unit.ts'

export class Progress {
  readonly units: Unit[]
  protected isCanceled = false
  /** An outcome was unknown, and the run was not resumed since. */
  protected isStopped = false
  protected output: 'none' | 'wanted' | 'rendered' | 'failed'
  protected outputCode: string | null = null

  constructor(
    readonly workflow: Workflow,
    protected readonly paramsBytes: number,
    protected at: number,
    /** Of a run that goes on. */
    units?: readonly Unit[],
  ) {
    this.output = workflow.output === undefined ? 'none' : 'wanted'
    const { steps } = workflow
    const undone = steps.filter(({ compensate }) => compensate !== undefined)
    this.units = units?.map((unit) => ({ ...unit })) ?? [
      ...steps.map(({ id }) => newUnit(id, 'step', id)),
      ...undone.map(({ id }) => newUnit(`${id}:compensate`, 'compensation', id)),
    ]
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
    const fatal = this.units.filter(({ kind, id, state }) => kind === 'step' && state === 'failed' && !this.ignores(id))
    return fatal.length > 0 || this.output === 'failed'
  }

  /** Whether it only ends what is open, and compensates. */
  get isEnding(): boolean {
    return this.isCanceled || this.isFailing
  }

  get state(): string {
    const isOpen = this.units.some(isActive) || this.nextToCompensate() !== undefined
    if (this.isCanceled) return isOpen ? 'canceling' : 'canceled'
    if (this.isFailing) return isOpen ? 'running' : 'failed'
    if (this.isStopped) return 'unknown'
    if (this.own.every(({ state }) => endings.includes(state)))
      return this.output === 'wanted' ? 'running' : 'completed'
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
    if (this.output === 'failed') return this.outputCode
    const failed = this.units.find(({ kind, id, state }) => kind === 'step' && state === 'failed' && !this.ignores(id))
    if (failed) return `step_failed ${failed.id}`
    const unknown = this.own.find(({ state }) => state === 'unknown')
    return unknown && this.isStopped && !this.isCanceled ? `step_unknown ${unknown.id}` : null
  }

  /** When the next thing happens by time alone. */
  get dueAt(): number | null {
    if (this.hasEnded) return null
    const next = this.nextToCompensate()
    const retries = this.isEnding
      ? this.units.some(isActive) || !next
        ? []
        : [next]
      : this.isStopped
        ? []
        : this.own.filter(({ state }) => state === 'pending')
    const times = [
      ...retries.flatMap(({ retryAt }) => (retryAt !== null && retryAt > this.at ? [retryAt] : [])),
      ...this.own.flatMap(({ state, until }) => (state === 'waiting' && until !== null ? [until] : [])),
    ]
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Whether nothing depends on the outcome of the unit any more: the run ends, or another item of its list has failed. */
  isInVain({ kind, of }: Unit): boolean {
    return this.isEnding || (kind === 'item' && this.itemsOf(of).some(({ state }) => state === 'failed'))
  }

  /** Approvals that wait, and child workflows that run, for a run that no longer wants them. */
  get unwanted(): string[] {
    const isChild = ({ of, state, listed }: Unit) =>
      state === 'running' && !listed && this.step(of).workflow !== undefined
    return this.own
      .filter((unit) => (unit.state === 'waiting_approval' || isChild(unit)) && this.isInVain(unit))
      .map(({ id, attempts }) => `${id}#${attempts}`)
  }

  /** Everything that is known of the run. */
  get facts(): string {
    return JSON.stringify([this.units, this.isCanceled, this.isStopped, this.output])
  }

  /** Whether only its output is missing. */
  get renders(): boolean {
    const isDone = this.own.every(({ state }) => endings.includes(state))
    return this.output === 'wanted' && isDone && !this.isEnding && !this.isStopped
  }

  protected isRepeated(unit: Unit): boolean {
    const { kind, of, state, leftOut } = unit
    if (kind === 'item') return state !== 'succeeded' && this.isRepeated(this.unit(of))
    const compensation = this.units.find((each) => each.kind === 'compensation' && each.of === of)
    if (state === 'succeeded') return compensation?.state === 'succeeded'
    if (state === 'failed') return !this.ignores(of)
    return (state === 'skipped' && !leftOut) || state === 'canceled'
  }

  protected ignores(id: string): boolean {
    return this.step(id).onError === 'continue'
  }

  protected mayStart({ kind, of, retryAt }: Unit): boolean {
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

  /** The compensation that is left of what succeeded last. */
  protected nextToCompensate(): Unit | undefined {
    if (!this.isEnding) return undefined
    return this.units
      .filter(
        ({ kind, state, of }) => kind === 'compensation' && state === 'pending' && this.unit(of).state === 'succeeded',
      )
      .sort((one, other) => this.unit(other.of).order - this.unit(one.of).order)[0]
  }
}
