/**
 * A copy of an actor with its own clock: it decides events as the actor would, its deadlines fire when its clock
 * reaches them, and nothing is stored or executed. Source: contract 9.
 */
import type { AnyEventObject } from 'xstate'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import { beginBy, type Decision, decide } from '../../decisions/decide.ts'
import type { DecisionTable } from '../../decisions/table.ts'
import { refusalOf } from '../../decisions/turn.ts'
import { type Assumptions, assume, assumeCreation, type EvaluatedRow, evaluate } from './rows.ts'

type Context = Record<string, unknown>

/** The largest valid instant. */
const instantMax = 8_640_000_000_000_000

/** The most characters of the public part of a context; that of an actor has far less. */
const shownMax = 1_048_576

/** Throws `RangeError` if the value is larger: a client's values may be shown many times. */
function assertShowable(shown: Context): void {
  let left = shownMax
  const take = (value: unknown): void => {
    left -= typeof value === 'string' ? value.length + 3 : 3
    if (left < 0) throw new RangeError('The context is too large to be shown.')
    if (typeof value !== 'object' || value === null) return
    for (const [name, part] of Object.entries(value)) {
      left -= name.length
      take(part)
    }
  }
  take(shown)
}

interface CopyParts {
  table: DecisionTable
  /** null: not created yet. */
  state: string | null
  context: Context
  /** Epoch milliseconds. */
  at: number
  /** The due times of running deadlines, by name. */
  timers: ReadonlyMap<string, number>
  /** The last sequence number of the journal. */
  sequence: number
  /** The random number in [0, 1) that machines use for jitter. */
  chance: number
  /** The public part of the context. */
  show(context: Context): Context
}

type Cause = 'creation' | 'event' | 'deadline'

/** The result of one event on the copy. */
export interface CopyStep {
  cause: Cause
  event: string
  at: number
  from: string | null
  to: string | null
  accepted: boolean
  rows: EvaluatedRow[]
  /** The reason for a refusal. */
  refusal: ApiError | null
  /** Names, in order. */
  effects: string[]
  /** The sequence number in the journal if the state changed. */
  sequence: number | null
}

/** Machines trust their events and their context, but these come from a client. */
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
  /** The public part of the context. */
  #shown: Context

  /** Throws if the context cannot be shown, or is too large for that. */
  constructor({ table, state, context, at, timers, sequence, chance, show }: CopyParts) {
    this.#table = table
    this.#state = state
    this.#context = context
    this.#at = at
    this.#timers = new Map(timers)
    this.#sequence = sequence
    this.#chance = chance
    this.#show = (context) => {
      const shown = show(context)
      assertShowable(shown)
      return shown
    }
    this.#shown = this.#show(context)
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

  /** The running deadlines, the next one first. */
  get timers(): { event: string; dueAt: number }[] {
    const timers = [...this.#timers].map(([event, dueAt]) => ({ event, dueAt }))
    return timers.sort((a, b) => a.dueAt - b.dueAt)
  }

  /** Creates the actor. Throws if the statechart has no such creation. */
  begin(event: AnyEventObject, input: unknown, assumptions: Assumptions): CopyStep {
    const table = assumeCreation(this.#table, event.type, assumptions)
    return this.#take('creation', table, event, assumptions, (stamped) => beginBy(table, stamped, input))
  }

  send(event: AnyEventObject, assumptions: Assumptions, cause: Cause = 'event'): CopyStep {
    const state = this.#state
    if (state === null) return this.#take(cause, this.#table, event, assumptions, () => undefined)
    const table = assume(this.#table, state, event.type, assumptions)
    const context = structuredClone(this.#context)
    return this.#take(cause, table, event, assumptions, (stamped) => decide(table, state, context, stamped))
  }

  /** Fires the next deadline that is due by then; undefined if there is none, and the clock is then at that time. */
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
      rows: evaluate(table, from, { context: this.#context, event: stamped }, assumptions),
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

  /** Entering a state ends all deadlines and starts its own. Throws for a deadline without a valid time. */
  #timersAfter({ moved, timersStarted, state }: Decision): Map<string, number> {
    if (!moved) return this.#timers
    const dues = timersStarted.map(({ timer, delayMs }): [string, number] => [timer, this.#at + delayMs])
    const never = dues.find(([, dueAt]) => !(Math.abs(dueAt) <= instantMax))
    if (never) throw new RangeError(`The deadline ${never[0]} in ${state} has no instant.`)
    return new Map(dues)
  }
}
