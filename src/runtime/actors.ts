/**
 * The actor runtime: persist, then act. An actor is one (kind, id); it exists as a row, is loaded on demand, kept in
 * memory within a bound, and dropped when idle.
 *
 *     const { actor } = await actors.send({ kind: 'run', id }, { type: 'cancel' }, { by })
 *
 * A command waits for its turn, is decided by the statechart, and is stored with everything that follows from it in one
 * unit of work; only then is the caller answered and are the effects carried out. Source: design 3.
 */
import type { AnyEventObject } from 'xstate'
import { deleteTimer, deleteTimers, insertEffect, insertTimer, insertTransition, lastTransition, listTimers } from '../../storage/actors.ts'
import { StaleWrite, StoreUnavailable, UniqueViolation } from '../../storage/errors.ts'
import type { Store, Write } from '../../storage/store.ts'
import { ApiError, conflict, notFound, storeUnavailable } from '../http/errors.ts'
import { RecentlyUsed } from './cache.ts'
import type { Clock } from './clock.ts'
import { begin, type Decision, decide, type Wish } from './decide.ts'
import { EffectRunner } from './effects.ts'
import type { Actor, ActorKind, Address, By, Change, Move } from './kind.ts'
import { system } from './kind.ts'
import { Mailboxes } from './mailbox.ts'
import { restore } from './snapshot.ts'
import { compile, type DecisionTable } from './table.ts'
import { TimerService } from './timers.ts'

type AnyActor = Actor<unknown, Record<string, unknown>>
// Kinds differ in their rows, contexts and events; the runtime treats them alike and looks into none of them.
// biome-ignore lint/suspicious/noExplicitAny: the variance of callbacks leaves no narrower common type
export type AnyKind = ActorKind<any, any, any>

export interface Outcome<Row = unknown> {
  /** The actor as committed. */
  actor: Actor<Row>
  /** What this command did; `to` equals `from` when the state stayed. */
  move: Move
}

export interface SendOptions<Row = unknown> {
  by?: By
  /** The event to try when the state has no row for the first one. */
  orElse?: AnyEventObject
  /** Statements to commit in the same unit of work, for instance the record of an idempotent answer. */
  writes?: (outcome: Outcome<Row>) => Write[]
}

/** What subscribers hear after a commit. */
export interface News {
  actor: AnyActor
  moves: readonly Move[]
  /** Whatever the kind's `apply` returned. */
  news: unknown
}
export type Listener = (news: News) => void

interface Command {
  address: Address
  kind: Registered
  /** undefined: the actor is created. */
  event: AnyEventObject | undefined
  /** The event is a deadline of the chart; it counts only while its timer is due. */
  deadline: boolean
  input: unknown
  seed: unknown
  options: SendOptions
  resolve: (outcome: Outcome | undefined) => void
  reject: (reason: unknown) => void
}

interface Registered {
  definition: AnyKind
  table: DecisionTable
}

export interface ActorsOptions {
  store: Store
  clock: Clock
  kinds: readonly AnyKind[]
  /** How many actors stay in memory. */
  cacheSize?: number
  /** A number from [0, 1) for each event. */
  random?: () => number
  onError?: (error: unknown, what: string) => void
}

const keyOf = ({ kind, id }: Address) => `${kind}/${id}`
const triesMax = 3

export class Actors {
  readonly timers: TimerService
  readonly effects: EffectRunner
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: () => number
  readonly #kinds = new Map<string, Registered>()
  readonly #cache: RecentlyUsed<AnyActor>
  readonly #mailboxes = new Mailboxes<Command>((key, batch) => this.#take(key, batch))
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #onError: (error: unknown, what: string) => void

  constructor({ store, clock, kinds, cacheSize = 10_000, random = Math.random, onError = () => {} }: ActorsOptions) {
    this.#store = store
    this.#clock = clock
    this.#random = random
    this.#onError = onError
    this.#cache = new RecentlyUsed(cacheSize)
    for (const definition of kinds) {
      const table = compile(definition.machine)
      this.#kinds.set(definition.kind, { definition, table })
    }
    this.timers = new TimerService(store, clock, (address, name) => this.#deadline(address, name), onError)
    this.effects = new EffectRunner(store, clock, (kind) => this.#kinds.get(kind)?.definition.effects, onError)
  }

  /** Picks up what an earlier process left: due timers, unfinished effects. */
  async start() {
    await Promise.all([this.timers.start(), this.effects.start()])
  }

  /** Stops timers and effects; commands are still taken. */
  async stop() {
    this.timers.stop()
    await this.effects.stop()
  }

  /** Creates the actor in the initial state of its chart. `input` is the chart's, `seed` the row's. */
  create<Row>(address: Address, given: { input: unknown; seed: unknown }, options: SendOptions<Row> = {}): Promise<Outcome<Row>> {
    return this.#put(address, { event: undefined, deadline: false, ...given }, options) as Promise<Outcome<Row>>
  }

  /**
   * Sends an event. Throws `notFound` when there is no such actor, and a conflict that carries the current state (or the
   * refusal that the state declares) when the chart has no row for it.
   */
  send<Row>(address: Address, event: AnyEventObject, options: SendOptions<Row> = {}): Promise<Outcome<Row>> {
    return this.#put(address, { event, deadline: false, input: undefined, seed: undefined }, options) as Promise<Outcome<Row>>
  }

  /** The actor as it was last committed, or undefined. */
  async read<Row, Context = Record<string, unknown>>(address: Address): Promise<Actor<Row, Context> | undefined> {
    return (this.#cache.get(keyOf(address)) ?? (await this.#load(address, this.#kind(address.kind)))) as
      | Actor<Row, Context>
      | undefined
  }

  /** Calls the listener after each commit of this actor, or, with a kind alone, of all actors of the kind. */
  subscribe(address: Address | { kind: string; id?: undefined }, listener: Listener): () => void {
    const key = address.id === undefined ? address.kind : keyOf(address as Address)
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key)
    }
  }

  /** What the actor would answer to the event, on a copy: nothing is stored and nothing happens. */
  async preview(address: Address, event: AnyEventObject): Promise<(Decision & { accepted: true }) | { accepted: false; state: string }> {
    const actor = await this.read(address)
    if (!actor) throw notFound()
    const decision = decide(this.#kind(address.kind).table, actor.state, actor.context, this.#stamp(event, this.#clock.now()))
    return decision ? { accepted: true, ...decision } : { accepted: false, state: actor.state }
  }

  /** The decision table of a kind. */
  table(kind: string): DecisionTable {
    return this.#kind(kind).table
  }

  /** Actors in memory, and addresses that are busy. */
  get statistics() {
    return { cached: this.#cache.size, busy: this.#mailboxes.size }
  }

  #kind(kind: string): Registered {
    const registered = this.#kinds.get(kind)
    if (!registered) throw new Error(`There is no actor kind ${kind}.`)
    return registered
  }

  #put(address: Address, what: Pick<Command, 'event' | 'deadline' | 'input' | 'seed'>, options: SendOptions<never>) {
    return new Promise<Outcome | undefined>((resolve, reject) => {
      const kind = this.#kind(address.kind)
      this.#mailboxes.put(keyOf(address), { address, kind, ...what, options: options as SendOptions, resolve, reject })
    })
  }

  #deadline(address: Address, name: string) {
    return this.#put(address, { event: { type: name }, deadline: true, input: undefined, seed: undefined }, {})
  }

  #stamp(event: AnyEventObject, at: number) {
    return { ...event, at, chance: this.#random() }
  }

  async #take(key: string, batch: Command[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#process(key, batch)
        return
      } catch (error) {
        this.#cache.delete(key)
        const overtaken = error instanceof StaleWrite || error instanceof UniqueViolation
        if (overtaken && tries < triesMax) continue
        // One command that cannot be stored must not fail the others that came with it.
        if (batch.length > 1) for (const command of batch) await this.#take(key, [command])
        else batch[0]?.reject(this.#explain(error))
        return
      }
    }
  }

  #explain(error: unknown) {
    if (error instanceof StaleWrite) {
      return new ApiError(409, 'concurrent_change', 'Somebody else changed this at the same moment.', undefined, 1, { cause: error })
    }
    return error instanceof StoreUnavailable ? storeUnavailable(error) : error
  }

  async #process(key: string, batch: Command[]) {
    const first = batch[0]
    if (!first) return
    const { address, kind } = first
    const before = this.#cache.get(key) ?? (first.event ? await this.#load(address, kind) : undefined)
    const at = this.#clock.now()
    const answers: (() => void)[] = []
    const accepted: { command: Command; move: Move }[] = []
    const wishes: Wish[] = []
    let timers: Decision['armed'] | undefined
    let stale: string[] | undefined
    let state = before?.state ?? null
    let context = before?.context ?? {}
    let sequence = before?.sequence ?? 0

    for (const command of batch) {
      if (state === null && command.event) {
        answers.push(() => (command.deadline ? command.resolve(undefined) : command.reject(notFound())))
        continue
      }
      if (command.deadline && !(await this.#isDue(command, at))) {
        stale = [...(stale ?? []), (command.event as AnyEventObject).type]
        answers.push(() => command.resolve(undefined))
        continue
      }
      const event = command.event ? this.#stamp(command.event, at) : { type: 'create', at, chance: 0 }
      const { decision, decided } = this.#decide(kind, state, context, event, command)
      if (!decision) {
        const refusedIn = state as string
        if (command.deadline) stale = [...(stale ?? []), event.type]
        answers.push(() => (command.deadline ? command.resolve(undefined) : command.reject(refusal(kind.table, refusedIn, event.type))))
        continue
      }
      const from = state
      if (decision.state !== from) sequence += 1
      const described = kind.definition.describe?.(decision.context, decided) ?? { attempt: 0, reason: null }
      const move: Move = {
        event: decided,
        by: command.deadline ? system : (command.options.by ?? system),
        from,
        to: decision.state,
        sequence: decision.state === from ? null : sequence,
        context: decision.context,
        ...described,
      }
      accepted.push({ command, move })
      wishes.push(...decision.wishes)
      if (decision.moved) timers = decision.armed
      state = decision.state
      context = decision.context
    }

    if (accepted.length === 0) {
      if (stale) await this.#store.commit(stale.map((name) => deleteTimer(this.#store, { kind: address.kind, actorId: address.id, name })))
      for (const answer of answers) answer()
      return
    }

    const changed = before === undefined || state !== before.state || context !== before.context
    const version = before ? before.version + (changed ? 1 : 0) : 1
    const moves = accepted.map(({ move }) => move)
    const change: Change = { address, before: before ?? null, state: state as string, context, version, moves, at, seed: first.seed }
    const applied = kind.definition.apply(change, this.#store)
    const { row, writes, news } = applied instanceof Promise ? await applied : applied
    const actor: AnyActor = { address, state: change.state, version, context, sequence, row }

    const unit = [...writes]
    for (const move of moves) if (move.sequence !== null) unit.push(this.#journal(address, move, at))
    if (timers) {
      if (before) unit.push(deleteTimers(this.#store, { kind: address.kind, actorId: address.id }))
      for (const { timer, delayMs } of timers) {
        unit.push(insertTimer(this.#store, { kind: address.kind, actor_id: address.id, name: timer, due_at: at + delayMs }))
      }
    }
    const due = this.effects.plan(address, kind.definition, version, wishes)
    for (const effect of due.durable) unit.push(insertEffect(this.#store, { ...effect.row, due_at: at }))
    for (const { command, move } of accepted) if (command.options.writes) unit.push(...command.options.writes({ actor, move }))

    await this.#store.commit(unit)

    this.#cache.set(key, actor)
    for (const { command, move } of accepted) command.resolve({ actor, move })
    for (const answer of answers) answer()
    for (const { delayMs } of timers ?? []) this.timers.expect(at + delayMs)
    this.#publish(key, address.kind, { actor, moves, news })
    this.effects.act(due)
  }

  #decide(kind: Registered, state: string | null, context: Record<string, unknown>, event: Move['event'], command: Command) {
    if (state === null) return { decision: begin(kind.table, command.input), decided: event }
    const decision = decide(kind.table, state, context, event)
    const { orElse } = command.options
    if (decision || !orElse) return { decision, decided: event }
    const other = this.#stamp(orElse, event.at) as Move['event']
    return { decision: decide(kind.table, state, context, other), decided: other }
  }

  /** A timer that was read as due may have been ended or begun anew since. */
  async #isDue({ address, event }: Command, at: number) {
    const timers = await this.#store.all(listTimers(this.#store, { kind: address.kind, actorId: address.id }))
    return timers.some(({ name, due_at }) => name === event?.type && due_at <= at)
  }

  #journal({ kind, id }: Address, { sequence, from, to, event, by, attempt, reason }: Move, at: number): Write {
    return insertTransition(this.#store, {
      kind,
      actor_id: id,
      sequence: sequence as number,
      from_state: from,
      to_state: to,
      event: event.type,
      by_type: by.type,
      by_id: by.id,
      attempt,
      reason: reason ? JSON.stringify(reason) : null,
      at,
    })
  }

  async #load(address: Address, { definition, table }: Registered): Promise<AnyActor | undefined> {
    const row = await definition.load(this.#store, address.id)
    if (row === undefined) return undefined
    const { state, context, version } = restore(definition, table, definition.snapshot(row))
    const last = await this.#store.first(lastTransition(this.#store, { kind: address.kind, actorId: address.id }))
    const actor: AnyActor = { address, state, version, context, sequence: last?.sequence ?? 0, row }
    this.#cache.set(keyOf(address), actor)
    return actor
  }

  #publish(key: string, kind: string, news: News) {
    for (const listeners of [this.#listeners.get(key), this.#listeners.get(kind)]) {
      if (!listeners) continue
      for (const listener of listeners) {
        try {
          listener(news)
        } catch (error) {
          this.#onError(error, `a subscriber of ${key}`)
        }
      }
    }
  }
}

/** The answer to an event that the state has no row for. */
function refusal(table: DecisionTable, state: string, event: string): ApiError {
  const declared = table.refusals.get(state)?.[event]
  return declared
    ? new ApiError(declared.status, declared.code as 'invalid_transition', declared.message, { currentState: state })
    : conflict(state)
}
