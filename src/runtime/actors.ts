/**
 * The actor runtime: persist, then act. An actor is identified by (kind, id); its row is kept in memory while in use.
 *
 *     const { actor } = await actors.send({ kind: 'run', id }, { type: 'cancel' }, { by })
 *
 * A command waits for its turn, is decided by the statechart, and is stored with all its consequences in one unit of
 * work. Only then is the caller answered and are effects executed. Source: design 3.
 */
import type { AnyEventObject } from 'xstate'
import { StaleWrite, StoreUnavailable, UniqueViolation } from '../../storage/errors.ts'
import type { Write } from '../../storage/store.ts'
import { aloneBus, type Listening } from '../platform/bus/bus.ts'
import { orNotFound } from '../platform/http/answers/errors.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { ActorsOptions } from './actors-options.ts'
import type { Command, Creation, Joined, Outcome, Registered, SendOptions } from './command.ts'
import { type Decision, decide } from './decisions/decide.ts'
import { register } from './decisions/own-charts.ts'
import type { DecisionTable } from './decisions/table.ts'
import { stamp } from './decisions/turn.ts'
import { EffectRunner } from './effects.ts'
import type { Actor, Address, AnyContext, AnyKind, By, OwnChart } from './kind.ts'
import { Mailboxes } from './mailbox.ts'
import { ActorMemory, keyOf } from './memory.ts'
import { explain } from './refusals.ts'
import { ActorSharing, type CommitNotice } from './sharing.ts'
import { type Listener, Subscribers } from './subscribers.ts'
import { TimerService } from './timers.ts'
import { type Decided, Turns } from './turns.ts'
import { allWork } from './work-share.ts'

export type { ActorsOptions } from './actors-options.ts'
export type { Outcome, SendOptions } from './command.ts'
export type { Listener, Notification } from './subscribers.ts'

/** Servers that share a store may change an actor at the same moment; each try lets one of them through. */
const triesMax = 8

export class Actors {
  readonly timers: TimerService
  readonly effects: EffectRunner
  readonly #clock: Clock
  readonly #random: () => number
  readonly #kinds = new Map<string, Registered>()
  readonly #memory: ActorMemory
  readonly #sharing: ActorSharing
  readonly #mailboxes = new Mailboxes<Command>((key, batch) => this.#take(key, batch))
  readonly #subscribers: Subscribers
  readonly #turns: Turns

  constructor({
    store,
    clock,
    bus = aloneBus,
    kinds = [],
    share = allWork,
    cacheSize = 10_000,
    random = Math.random,
    onError = () => {},
  }: ActorsOptions) {
    this.#clock = clock
    this.#random = random
    this.#subscribers = new Subscribers(onError)
    this.#memory = new ActorMemory(store, bus.isShared, cacheSize)
    this.#sharing = new ActorSharing(bus, clock, this.#memory)
    this.register(kinds)
    const parts = { store, clock, share, onError }
    const fire = (address: Address, type: string) => this.#put(address, { event: { type }, deadline: true }, {})
    this.timers = new TimerService({ ...parts, fire })
    this.effects = new EffectRunner({ ...parts, effectsOf: (kind) => this.#kinds.get(kind)?.definition.effects })
    const { timers, effects } = this
    const [memory, sharing, subscribers] = [this.#memory, this.#sharing, this.#subscribers]
    this.#turns = new Turns({ store, clock, random, timers, effects, memory, sharing, subscribers })
  }

  /** Adds kinds that depend on these actors, before `start`. Throws if an effect has no implementation. */
  register(kinds: readonly AnyKind[]): void {
    for (const definition of kinds) this.#kinds.set(definition.kind, register(definition))
  }

  /** Resumes the due timers and unfinished effects of an earlier process. */
  async start() {
    await Promise.all([this.timers.start(), this.effects.start()])
  }

  /** Stops timers and effects and waits for those in progress; commands are still accepted. */
  async stop() {
    await this.timers.stop()
    await this.effects.stop()
  }

  /**
   * Creates the actor in the initial state of its chart. Throws a conflict with the state if the actor exists, and
   * `UniqueViolation` if another row of the unit of work does.
   */
  create<Row, Context = AnyContext>(address: Address, creation: Creation, options: SendOptions<Row, Context> = {}) {
    return this.#put(address, { creation }, options) as Promise<Outcome<Row, Context>>
  }

  /**
   * Sends an event. Throws `notFound` if the actor does not exist, and a conflict with the current state (or the
   * refusal that the state declares) if the chart has no row for the event.
   */
  send<Row, Context = AnyContext>(address: Address, event: AnyEventObject, options: SendOptions<Row, Context> = {}) {
    return this.#put(address, { event }, options) as Promise<Outcome<Row, Context>>
  }

  /**
   * The statements that create an actor, for another actor's unit of work. The id must be new, and the initial state
   * must request only durable effects.
   */
  async prepareCreate<Row>(
    address: Address,
    creation: Creation,
    by: By,
  ): Promise<{ actor: Actor<Row>; writes: Write[] }> {
    const { actor, unit, planned, turn, now } = await this.#turns.decide([this.#detached(address, { creation, by })])
    if (planned.hints.length > 0) throw new Error(`A ${address.kind} must be created with durable effects only.`)
    for (const { delayMs } of turn.timersStarted ?? []) this.timers.expect(now + delayMs)
    return { actor: actor as Actor<Row>, writes: unit }
  }

  /**
   * Like `prepareCreate`, for an actor that is sent events in the same unit of work. After the commit the actor is in
   * memory, its effects run and its subscribers are notified, as after `create`.
   */
  async prepareCreateAndSend<Row, Context>(
    address: Address,
    creation: Creation,
    events: readonly AnyEventObject[],
  ): Promise<{ actor: Actor<Row, Context>; writes: Write[] }> {
    const commands = [{ creation }, ...events.map((event) => ({ event }))].map((what) => this.#detached(address, what))
    const decided = await this.#turns.decide(commands)
    return { actor: decided.actor as Actor<Row, Context>, writes: this.#turns.writesOf(decided) }
  }

  /** Ends the wait of patient commands to the actor: they are committed with the next command, or alone. */
  hurry(address: Address): void {
    this.#mailboxes.hurry(keyOf(address))
  }

  /** Drops the actor from memory, after another unit of work has changed or removed its row; watchers read it again. */
  forget(address: Address): void {
    this.#sharing.forget(keyOf(address))
  }

  /** The actor as last committed by any server, or undefined. */
  async read<Row, Context = AnyContext>(address: Address): Promise<Actor<Row, Context> | undefined> {
    return this.#memory.read(address, this.#kind(address.kind)) as Promise<Actor<Row, Context> | undefined>
  }

  /** The actor as last committed, if that is known without reading the store. */
  getCached<Row, Context = AnyContext>(address: Address): Actor<Row, Context> | undefined {
    return this.isShared ? undefined : this.recall(address)
  }

  /**
   * The actor as this process has last seen it. Another server may have changed it since, so a decision based on it is
   * compared with the store at its commit.
   */
  recall<Row, Context = AnyContext>(address: Address): Actor<Row, Context> | undefined {
    return this.#memory.get(keyOf(address)) as Actor<Row, Context> | undefined
  }

  /**
   * Calls the listener after each commit of this actor at this server, or, given only a kind, of all actors of the
   * kind.
   */
  subscribe(address: Address | { kind: string; id?: undefined }, listener: Listener): () => void {
    return this.#subscribers.add(address.id === undefined ? address.kind : keyOf(address as Address), listener)
  }

  /** The same for commits of another server; without an argument when there may have been any other change. */
  subscribeElsewhere(address: Address, listener: (notice: CommitNotice | undefined) => void): Listening {
    return this.#sharing.watch(address, listener)
  }

  /**
   * For caches derived from actors: calls back when another server has changed an actor, or (undefined) may have
   * changed any.
   */
  onChangeElsewhere(kind: string, listener: (id: string | undefined) => void): void {
    this.#sharing.onChange(kind, listener)
  }

  /** Decides the event on a copy: nothing is stored or executed. */
  async preview(
    address: Address,
    event: AnyEventObject,
  ): Promise<(Decision & { accepted: true }) | { accepted: false; state: string }> {
    const actor = orNotFound(await this.read(address))
    const decision = decide(
      this.#kind(address.kind).tableOf(actor.row),
      actor.state,
      actor.context,
      stamp(event, this.#clock.now(), this.#random()),
    )
    return decision ? { accepted: true, ...decision } : { accepted: false, state: actor.state }
  }

  /** Whether the actor's state has a row for the event, regardless of guards. */
  hasRow({ address, state, row }: Pick<Actor, 'address' | 'state' | 'row'>, event: string): boolean {
    return this.#kind(address.kind).tableOf(row).rows.get(state)?.has(event) ?? false
  }

  /** The decision table of a kind; an example if each actor has its own. */
  table(kind: string): DecisionTable {
    return this.#kind(kind).table
  }

  /** Whether other servers may change actors. */
  get isShared(): boolean {
    return this.#sharing.isShared
  }

  /** The decision table of the actor with this row. */
  tableOf(kind: string, row: unknown): DecisionTable {
    return this.#kind(kind).tableOf(row)
  }

  /** The decision table of an actor's own past, present or future statechart. */
  tableOfChart(kind: string, chart: OwnChart): DecisionTable {
    return this.#kind(kind).tableOfChart(chart)
  }

  /** The numbers of actors in memory and of busy actors. */
  get statistics() {
    return { cached: this.#memory.size, busy: this.#mailboxes.size }
  }

  #kind(kind: string): Registered {
    const registered = this.#kinds.get(kind)
    if (!registered) throw new Error(`Unknown actor kind: ${kind}.`)
    return registered
  }

  #put(address: Address, what: Partial<Command>, given: SendOptions<never, never>): Promise<unknown> {
    const { event, creation, deadline = false } = what
    return new Promise<Outcome | undefined>((resolve, reject) => {
      const kind = this.#kind(address.kind)
      const options = given as SendOptions
      const command: Command = { address, kind, event, creation, deadline, options, resolve, reject }
      if (options.patient) command.sentAt = this.#clock.now()
      this.#mailboxes.put(keyOf(address), command, options.patient)
    })
  }

  async #take(key: string, batch: Command[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#process(key, batch, tries > 1)
        return
      } catch (error) {
        this.#memory.forget(key)
        const isConflict = error instanceof StaleWrite || error instanceof UniqueViolation
        if (isConflict && tries < triesMax) continue
        // A command that cannot be stored must not fail the others in its batch; an unavailable store fails all.
        if (batch.length > 1 && !(error instanceof StoreUnavailable)) {
          for (const command of batch) await this.#take(key, [command])
        } else for (const { reject } of batch) reject(explain(error))
        return
      }
    }
  }

  async #process(key: string, batch: Command[], again: boolean) {
    const { address, kind, event } = batch[0] as Command
    const cached = this.#memory.get(key)
    // A create expects no row; it is read only after a conflict.
    const before = cached ?? (event || again ? await this.#memory.load(address, kind) : undefined)
    const deciding = this.#turns.decide(batch, before, cached !== undefined)
    const decided = deciding instanceof Promise ? await deciding : deciding // most are decided without waiting
    const joined = decided.turn.accepted.find(({ command }) => command.options.joined)?.command.options.joined
    if (joined) await this.#processJoined(decided, joined)
    else await this.#turns.commit([decided])
  }

  /** Commits both actors in one unit of work, or only the first if the other no longer accepts the event. */
  #processJoined(decided: Decided, { address, event }: Joined): Promise<void> {
    const key = keyOf(address)
    return this.#mailboxes.alone(key, async () => {
      try {
        const before = this.#memory.get(key) ?? (await this.read<unknown>(address))
        const other = await this.#turns.decide([this.#detached(address, { event })], before, true)
        await this.#turns.commit(other.actor ? [decided, other] : [decided])
      } catch (error) {
        this.#memory.forget(key)
        throw error
      }
    })
  }

  /** A command whose sender does not wait. */
  #detached(address: Address, { event, creation, by }: Partial<Command & { by: By }>): Command {
    const kind = this.#kind(address.kind)
    const options = by ? { by } : {}
    return { address, kind, event, creation, deadline: false, options, resolve: () => {}, reject: () => {} }
  }
}
