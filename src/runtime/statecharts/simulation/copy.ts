/**
 * A copy of an actor, with a clock of its own: events are decided on it as they would be on the actor, deadlines come
 * when its clock reaches them, and nothing is stored or done. Source: contract 9.
 */
import type { AnyEventObject } from 'xstate'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import { beginBy, type Decision, decide } from '../../decisions/decide.ts'
import type { DecisionTable } from '../../decisions/table.ts'
import { refusalOf } from '../../decisions/turn.ts'
import { type Assumptions, assume, assumeBirth, type JudgedRow, judge } from './rows.ts'

type Context = Record<string, unknown>

/** Instants beyond this are none. */
const instantMax = 8_640_000_000_000_000

export interface CopyParts {
  table: DecisionTable
  /** null: it has not come into being yet. */
  state: string | null
  context: Context
  /** Epoch milliseconds. */
  at: number
  /** The deadlines that run, by their names: when they are due. */
  timers: ReadonlyMap<string, number>
  /** The last number of the journal. */
  sequence: number
  /** What machines draw from [0, 1) for jitter. */
  chance: number
  /** The part of the context that may be shown. */
  show(context: Context): Context
}

export type Cause = 'creation' | 'event' | 'deadline'

/** What one event did to the copy. */
export interface CopyStep {
  cause: Cause
  event: string
  at: number
  from: string | null
  to: string | null
  accepted: boolean
  rows: JudgedRow[]
  /** Why it was not accepted. */
  refusal: ApiError | null
  /** Names, in order. */
  effects: string[]
  /** The number in the journal where the state changed. */
  sequence: number | null
}

/** Machines trust their events and their context, and these are anybody's. */
const unfit = (cause: unknown) =>
  new ApiError(422, 'validation_failed', 'The statechart cannot work with the data of this event or this context.', {
    cause,
  })

export class Copy {
  readonly #table: DecisionTable
  readonly #chance: number
  readonly #show: CopyParts['show']
  #state: string | null
  #context: Context
  #at: number
  #timers: Map<string, number>
  #sequence: number
  /** The context as it may be shown. */
  #shown: Context

  /** Throws where the context cannot be shown. */
  constructor({ table, state, context, at, timers, sequence, chance, show }: CopyParts) {
    this.#table = table
    this.#state = state
    this.#context = context
    this.#at = at
    this.#timers = new Map(timers)
    this.#sequence = sequence
    this.#chance = chance
    this.#show = show
    this.#shown = show(context)
  }

  get state(): string | null {
    return this.#state
  }

  get at(): number {
    return this.#at
  }

  get shown(): Context {
    return this.#shown
  }

  /** The deadlines that run, the next one first. */
  get timers(): { event: string; dueAt: number }[] {
    const timers = [...this.#timers].map(([event, dueAt]) => ({ event, dueAt }))
    return timers.sort((a, b) => a.dueAt - b.dueAt)
  }

  /** It comes into being. Throws when the statechart has no such way. */
  begin(event: AnyEventObject, input: unknown, assumptions: Assumptions): CopyStep {
    const table = assumeBirth(this.#table, event.type, assumptions)
    return this.#take('creation', table, event, assumptions, (stamped) => beginBy(table, stamped, input))
  }

  send(event: AnyEventObject, assumptions: Assumptions, cause: Cause = 'event'): CopyStep {
    const state = this.#state
    if (state === null) return this.#take(cause, this.#table, event, assumptions, () => undefined)
    const table = assume(this.#table, state, event.type, assumptions)
    const context = structuredClone(this.#context)
    return this.#take(cause, table, event, assumptions, (stamped) => decide(table, state, context, stamped))
  }

  /** The next deadline that is due by then, which has come now; undefined when there is none, and it is that late. */
  reach(until: number): CopyStep | undefined {
    const [next] = this.timers
    if (!next || next.dueAt > until) {
      this.#at = Math.max(this.#at, until)
      return undefined
    }
    this.#at = Math.max(this.#at, next.dueAt)
    this.#timers.delete(next.event)
    return this.send({ type: next.event, lateMs: this.#at - next.dueAt }, {}, 'deadline')
  }

  #take(
    cause: Cause,
    table: DecisionTable,
    event: AnyEventObject,
    assumptions: Assumptions,
    decideOn: (stamped: AnyEventObject) => Decision | undefined,
  ): CopyStep {
    const from = this.#state
    // the stamp comes last: the time is that of the copy's clock
    const stamped = { ...event, at: this.#at, chance: this.#chance }
    const step: CopyStep = {
      cause,
      event: event.type,
      at: this.#at,
      from,
      to: from,
      accepted: false,
      rows: judge(table, from, { context: this.#context, event: stamped }, assumptions),
      refusal: null,
      effects: [],
      sequence: null,
    }
    try {
      const decision = decideOn(stamped)
      if (!decision) {
        return { ...step, refusal: refusalOf({ table, context: this.#context, state: from }, stamped) }
      }
      const timers = this.#timersAfter(decision)
      const shown = this.#show(decision.context)
      if (decision.state !== from) this.#sequence += 1
      this.#state = decision.state
      this.#context = decision.context
      this.#timers = timers
      this.#shown = shown
      return {
        ...step,
        to: decision.state,
        accepted: true,
        effects: decision.effects.map(({ name }) => name),
        sequence: decision.state === from ? null : this.#sequence,
      }
    } catch (error) {
      return { ...step, rows: step.rows.map((row) => ({ ...row, taken: false })), refusal: unfit(error) }
    }
  }

  /** Entering a state ends all deadlines and begins its own. Throws on one that is never. */
  #timersAfter({ moved, timersStarted, state }: Decision): Map<string, number> {
    if (!moved) return this.#timers
    const dues = timersStarted.map(({ timer, delayMs }): [string, number] => [timer, this.#at + delayMs])
    const never = dues.find(([, dueAt]) => !(Math.abs(dueAt) <= instantMax))
    if (never) throw new RangeError(`The deadline ${never[0]} in ${state} has no instant.`)
    return new Map(dues)
  }
}
