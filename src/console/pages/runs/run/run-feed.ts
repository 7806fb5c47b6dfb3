/** Known steps of a run, from list pages and the stream. Streaming text is stored separately, so that a new word renders only that text. */
import type { PresentedRun } from '../../../../runs/present.ts'
import type { StreamEvent } from '../../../data/event-stream.ts'
import { GrowingText } from '../playground/growing-text.ts'
import type { Step } from '../steps/steps.ts'

export interface FeedState {
  /** In order; there may be a gap between the pages and live steps. */
  steps: readonly Step[]
  /** Number of steps from pages, without a gap. */
  paged: number
  /** Known total. */
  total: number
  /** State as last streamed; undefined before that. */
  state: string | undefined
  /** Whether events were missed, so that the list must be read again. */
  gaps: number
}

type TextKind = 'text' | 'reasoning' | 'toolInput'

interface FrameBody {
  agentStepId?: number
  data: unknown
}

const nothing: FeedState = { steps: [], paged: 0, total: 0, state: undefined, gaps: 0 }

const inOrder = (one: Step, other: Step) =>
  one.createdAt < other.createdAt
    ? -1
    : one.createdAt > other.createdAt
      ? 1
      : one.sequence - other.sequence || one.agentStepId - other.agentStepId

export class RunFeed {
  readonly #steps = new Map<number, Step>()
  readonly #texts = new Map<string, GrowingText>()
  readonly #watchers = new Set<() => void>()
  #lastPaged: Step | undefined
  #total = 0
  #state: FeedState = nothing

  get state(): FeedState {
    return this.#state
  }

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#watchers.add(changed)
    return () => this.#watchers.delete(changed)
  }

  /** Streaming text of a model step. */
  textOf(agentStepId: number, kind: TextKind): GrowingText {
    const name = `${agentStepId} ${kind}`
    const known = this.#texts.get(name) ?? new GrowingText()
    this.#texts.set(name, known)
    return known
  }

  /** The next page of the list, in order; `total` as in the list. */
  addPage(steps: readonly Step[], total: number): void {
    for (const step of steps) this.#keep(step)
    this.#lastPaged = steps.at(-1) ?? this.#lastPaged
    this.#total = total
    this.#notify({})
  }

  /** Events of the stream, in order. */
  take(events: readonly StreamEvent[]): void {
    const changes: Partial<FeedState> = {}
    let changed = false
    for (const { type, data } of events) {
      const { agentStepId, data: content } = data as FrameBody
      if (type === 'step.delta' && agentStepId !== undefined) {
        const { kind, text } = content as { kind: TextKind; text: string }
        this.textOf(agentStepId, kind).append(text)
        continue
      }
      changed = true
      if (type.startsWith('step.') && content !== null) this.#live(content as Step)
      if (type === 'run.transition') changes.state = (content as { to: string }).to
      if (type === 'end' && content !== null) changes.state = (content as PresentedRun).state
      if (type === 'run.snapshot') {
        const { run, openSteps, gap } = content as { run: PresentedRun; openSteps: Step[]; gap: boolean }
        for (const step of openSteps) this.#live(step)
        changes.state = run.state
        if (gap) changes.gaps = this.#state.gaps + 1
      }
    }
    if (changed) this.#notify(changes)
  }

  #live(step: Step): void {
    if (!this.#steps.has(step.agentStepId)) this.#total += 1
    this.#keep(step)
  }

  /** Keeps the newer version: a page may be older than the stream. */
  #keep(step: Step): void {
    const known = this.#steps.get(step.agentStepId)
    if (!known || known.updatedAt < step.updatedAt || known.status === 'running')
      this.#steps.set(step.agentStepId, step)
  }

  #notify(changes: Partial<FeedState>): void {
    const steps = [...this.#steps.values()].sort(inOrder)
    const last = this.#lastPaged
    const paged = last === undefined ? 0 : steps.findLastIndex((step) => inOrder(step, last) <= 0) + 1
    const total = Math.max(this.#total, steps.length)
    this.#state = { ...this.#state, ...changes, steps, paged, total }
    for (const changed of this.#watchers) changed()
  }
}
