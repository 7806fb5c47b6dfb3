/** Decides turns of actors, commits them, and runs what follows the commit. Source: design 3. */
import { insertEffect } from '../../storage/runtime/actors.ts'
import { whenCommitted } from '../../storage/statement.ts'
import type { CommitScope, Store, Write } from '../../storage/store.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Command } from './command.ts'
import { type Turn, takeTurn } from './decisions/turn.ts'
import type { EffectRunner, Planned } from './effects.ts'
import type { Actor } from './kind.ts'
import { type ActorMemory, keyOf } from './memory.ts'
import { organizationOf } from './organization.ts'
import type { ActorSharing } from './sharing.ts'
import type { Subscribers } from './subscribers.ts'
import { dueTimersOf, type TimerService } from './timers.ts'
import { type UnitOfWork, unitOf } from './unit.ts'

/** One decided turn of an actor: the statements to commit, and the effects that follow the commit. */
export interface Decided {
  batch: readonly Command[]
  before: Actor<unknown> | undefined
  /** Whether `before` comes from this process's memory, and may be outdated. */
  isFromMemory: boolean
  turn: Turn
  /** The actor after the turn; undefined if no event was accepted. */
  actor: Actor<unknown> | undefined
  /** The news that the kind's `apply` returned. */
  news: unknown
  unit: Write[]
  planned: Planned
  /** The time of the decision, in epoch milliseconds. */
  now: number
}

interface TurnParts {
  store: Store
  clock: Clock
  random(): number
  timers: TimerService
  effects: EffectRunner
  memory: ActorMemory
  sharing: ActorSharing
  subscribers: Subscribers
}

/** A turn before its unit of work. */
type Taken = Pick<Decided, 'batch' | 'before' | 'isFromMemory' | 'turn' | 'now'>

const noTimers: ReadonlyMap<string, number> = new Map()

export class Turns {
  constructor(private readonly parts: TurnParts) {}

  /**
   * Decides the commands, all of one actor; stores nothing. Throws `StaleWrite` if an actor from memory refuses a
   * command and is outdated.
   */
  decide(batch: readonly Command[], before?: Actor<unknown>, isFromMemory = false): Decided | Promise<Decided> {
    if (!batch.some(({ deadline }) => deadline)) return this.#decide(batch, before, isFromMemory, noTimers)
    const { store, clock } = this.parts
    const due = dueTimersOf(store, (batch[0] as Command).address, clock.now())
    return due.then((timers) => this.#decide(batch, before, isFromMemory, timers))
  }

  #decide(
    batch: readonly Command[],
    before: Actor<unknown> | undefined,
    isFromMemory: boolean,
    due: ReadonlyMap<string, number>,
  ): Decided | Promise<Decided> {
    const { clock, random, memory } = this.parts
    const { address, kind } = batch[0] as Command
    const now = clock.now()
    // a clock change must not make the history go backwards
    const at = Math.max(now, before?.at ?? 0)
    const turn = takeTurn(kind, before, batch, due, now, random)
    const taken = { batch, before, isFromMemory, turn, now }
    if (turn.refused && before && isFromMemory) {
      return memory.confirm(address, kind, before).then(() => this.#unitOf(taken, at))
    }
    return this.#unitOf(taken, at)
  }

  #unitOf(taken: Taken, at: number): Decided | Promise<Decided> {
    const { store, sharing } = this.parts
    const { batch, before, turn, now } = taken
    const { address, kind } = batch[0] as Command
    const unit = unitOf(store, kind.definition, address, before, turn, { at, now, isShared: sharing.isShared })
    return unit instanceof Promise ? unit.then((made) => this.#planned(taken, made)) : this.#planned(taken, unit)
  }

  #planned({ batch, before, isFromMemory, turn, now }: Taken, { actor, news, unit }: UnitOfWork): Decided {
    const { store, effects } = this.parts
    const { address, kind } = batch[0] as Command
    const owner = organizationOf(actor?.row ?? before?.row)
    const planned = effects.plan(address, kind.definition, turn.effects, owner)
    for (const row of planned.durable) unit.push(insertEffect(store, { ...row, due_at: now }))
    return { batch, before, isFromMemory, turn, actor, news, unit, planned, now }
  }

  /** Commits the turns in one unit of work. */
  async commit(all: readonly Decided[]): Promise<void> {
    const isBackground = all.every(({ batch }) => batch.every(({ options }) => options.background))
    const store = isBackground ? this.parts.store.background : this.parts.store
    const unit = all.length === 1 ? (all[0] as Decided).unit : all.flatMap((decided) => decided.unit)
    for (const { planned } of all) this.parts.effects.hold(planned)
    try {
      if (unit.length > 0) await store.commit(unit, scopeOf(all))
      else if (this.parts.sharing.isShared) await this.#confirm(all)
    } catch (error) {
      for (const { planned } of all) this.parts.effects.giveUp(planned)
      throw error
    }
    for (const decided of all) this.finish(decided)
  }

  /** The statements of a turn, for another unit of work; effects and notifications follow that unit's commit. */
  writesOf(decided: Decided): Write[] {
    return whenCommitted(decided.unit, () => this.finish(decided))
  }

  /** Updates the memory, notifies subscribers and starts effects after the commit. Never throws. */
  finish({ batch, before, turn, actor, news, unit, planned, now }: Decided): void {
    const { timers, effects, memory, sharing, subscribers } = this.parts
    const { address, kind } = batch[0] as Command
    const key = keyOf(address)
    if (actor) memory.keep(key, kind, actor)
    for (const { command, move } of turn.accepted) command.resolve({ actor: actor as Actor<unknown>, move })
    for (const answer of turn.answers) answer()
    for (const { delayMs } of turn.timersStarted ?? []) timers.expect(now + delayMs)
    if (actor) {
      const notification = { actor, before: before ?? null, moves: turn.accepted.map(({ move }) => move), news }
      subscribers.notify(key, notification)
      subscribers.notify(address.kind, notification)
      if (unit.length > 0) sharing.tell(key, kind.definition, actor, news)
    }
    effects.act(planned)
  }

  /** An empty unit of work compares no version, so the actor is compared here. */
  async #confirm(all: readonly Decided[]): Promise<void> {
    for (const { batch, before, isFromMemory } of all) {
      const { address, kind } = batch[0] as Command
      if (before && isFromMemory) await this.parts.memory.confirm(address, kind, before)
    }
  }
}

/**
 * The organization of all actors whose turns are committed together; undefined if they belong to different ones or to
 * none.
 */
function scopeOf(all: readonly Decided[]): CommitScope {
  const [first, ...others] = all.map(({ actor, before }) => organizationOf(actor?.row ?? before?.row))
  return others.every((other) => other === first) ? first : undefined
}
