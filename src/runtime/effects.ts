/** Effects: requested by statecharts, executed after the commit, at least once. Source: design 3, rule 6. */
import { deleteEffect, dueEffects, postponeEffect } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import type { EffectRow } from '../../storage/tables.ts'
import type { Clock } from '../platform/time/clock.ts'
import { fewMax } from '../platform/time/few-at-once.ts'
import { nextTurn } from '../platform/time/next-turn.ts'
import { Poller } from '../platform/time/poller.ts'
import type { RequestedEffect } from './decisions/decide.ts'
import type { DecisionTable } from './decisions/table.ts'
import type { Address, AnyKind, Effect, HintScope } from './kind.ts'
import { lookAgainMs, slotsOf, type WorkShare } from './work-share.ts'

/** Reports effects without implementation at the server's start rather than at their first use. */
export function checkEffects({ kind, effects }: AnyKind, { initial, rows }: DecisionTable) {
  const requested = initial.acts.flatMap((act) => (act.do === 'effect' ? [act.name] : []))
  for (const row of rows.values())
    for (const candidates of row.values()) for (const candidate of candidates) requested.push(...candidate.effects)
  for (const name of requested) {
    if (!effects[name]) throw new Error(`The effect ${name} of the statechart ${kind} has no implementation.`)
  }
}

/** A row without its due time; with its holder if servers share the store. */
type NewEffect = Omit<EffectRow, 'due_at' | 'holder'> & Partial<Pick<EffectRow, 'holder'>>

/** Effects of one unit of work, by type. */
export interface Planned {
  hints: { run: (params: never, scope: HintScope) => void; params: unknown; address: Address }[]
  durable: NewEffect[]
  /** The organization of the actor; undefined if it belongs to none. */
  owner: string | undefined
}

/** The maximum number of effects in progress, and of those of one kind; more wait as rows. */
const inFlightMax = 256
const ofKindMax = 128
/** The places left free by rows that wait, for organizations of which none waits: each takes a few of them. */
const reserved = 32
const ofOwnerInReserve = 8
/** The number of free places required before waiting rows are queried. */
const roomMin = 32
const ofKindRoomMin = 16
const backOffMs = (attempts: number) => Math.min(60_000, 500 * 2 ** attempts)
const restMs = 60_000

interface EffectsParts {
  store: Store
  clock: Clock
  /** Determines which effects without a living holder this server executes. */
  share: WorkShare
  effectsOf(kind: string): Record<string, Effect> | undefined
  onError(error: unknown, what: string): void
}

export class EffectRunner {
  readonly #poller: Poller
  readonly #inFlight = new Map<string, Promise<void>>()
  /** Effects of commits in progress: the actors in memory are still those before them. */
  readonly #committing = new Set<string>()
  /** The effects in progress, by kind: those of one kind, however many and slow, leave places to the others. */
  readonly #ofKind = new Map<string, number>()
  /** The places in `#ofKind` of each organization, as far as it is known, by kind and organization. */
  readonly #ofOwner = new Map<string, number>()
  /** The kinds of which rows may be waiting for lack of room, and the organizations of those that were turned away. */
  #crowded = new Map<string, Set<string>>()

  #unsubscribe = () => {}

  constructor(private readonly parts: EffectsParts) {
    this.#poller = new Poller(parts.clock, () => this.#beginDue())
  }

  /**
   * Sorts the requested effects of one unit of work by type. Throws for an effect without implementation, before
   * anything is stored.
   */
  plan(address: Address, kind: AnyKind, effects: readonly RequestedEffect[], owner?: string): Planned {
    const planned: Planned = { hints: [], durable: [], owner }
    for (const { name, params } of effects) {
      const effect = kind.effects[name]
      if (!effect) throw new Error(`The effect ${name} of the statechart ${address.kind} has no implementation.`)
      if (effect === 'inCommit') continue
      if ('hint' in effect) planned.hints.push({ run: effect.hint, params, address })
      else {
        const stored = JSON.stringify(params ?? null)
        planned.durable.push({
          id: Bun.randomUUIDv7(),
          kind: address.kind,
          actor_id: address.id,
          name,
          params: stored,
          attempts: 0,
          // other servers leave the effect to this one while it lives
          ...(this.parts.share.isShared && { holder: this.parts.share.id }),
        })
      }
    }
    return planned
  }

  /** The effects are about to be committed: until `act` or `giveUp`, a query that finds them leaves them alone. */
  hold({ durable }: Planned) {
    for (const { id } of durable) this.#committing.add(id)
  }

  /** The commit failed, or its outcome is unknown. */
  giveUp({ durable }: Planned) {
    for (const { id } of durable) this.#committing.delete(id)
  }

  /** Executes the committed effects. Never throws. */
  act({ hints, durable, owner = '' }: Planned) {
    for (const { id } of durable) this.#committing.delete(id)
    for (const { run, params, address } of hints) {
      try {
        run(params as never, { address })
      } catch (error) {
        this.parts.onError(error, `a hint of ${address.kind}`)
      }
    }
    // Effects not started now are found by the next query, of this process or a later one.
    if (!this.#poller.running) return
    let isBehind = false
    for (const row of durable) {
      if (this.#inFlight.has(row.id)) continue
      const { kind } = row
      // behind the rows of its organization that wait, or those would wait for as long as others are requested
      if (this.#crowded.get(kind)?.has(owner)) isBehind ||= this.#roomForWaiting(kind) > 0
      else if (this.#isRoomFor(kind, owner)) this.#carryOut(row, owner)
      else this.#crowd(kind).add(owner)
    }
    if (isBehind) void this.#poller.now()
  }

  #crowd(kind: string): Set<string> {
    const owners = this.#crowded.get(kind) ?? new Set()
    this.#crowded.set(kind, owners)
    return owners
  }

  #roomOf(kind: string): number {
    return Math.min(inFlightMax - this.#inFlight.size, ofKindMax - (this.#ofKind.get(kind) ?? 0))
  }

  #roomForWaiting(kind: string): number {
    return this.#roomOf(kind) - reserved
  }

  #isRoomFor(kind: string, owner: string): boolean {
    if (this.#roomForWaiting(kind) > 0) return true
    return this.#roomOf(kind) > 0 && (this.#ofOwner.get(`${kind} ${owner}`) ?? 0) < ofOwnerInReserve
  }

  /** Starts the effects left by an earlier process. */
  start(): Promise<void> {
    this.#unsubscribe = this.parts.share.onChange(() => void this.#poller.now())
    return this.#poller.start()
  }

  /** Starts the due effects that statements of a unit of work have stored, besides those of its decisions. */
  look() {
    if (this.#poller.running) void this.#poller.now()
  }

  /** Starts no more effects; resolves once those in progress have ended. */
  async stop() {
    this.#unsubscribe()
    await this.#poller.stop()
    await Promise.allSettled(this.#inFlight.values())
  }

  /** `owner`: undefined for a row that has waited. */
  #carryOut(row: NewEffect, owner?: string) {
    const { id, kind } = row
    const count = (change: 1 | -1) => {
      add(this.#ofKind, kind, change)
      if (owner !== undefined) add(this.#ofOwner, `${kind} ${owner}`, change)
    }
    const done = this.#attempt(row).finally(() => {
      this.#inFlight.delete(id)
      count(-1)
      if (this.#isRoomForWaiting()) void this.#poller.now()
    })
    this.#inFlight.set(id, done)
    count(1)
  }

  #isRoomForWaiting(): boolean {
    if (inFlightMax - this.#inFlight.size < reserved + roomMin) return false
    for (const kind of this.#crowded.keys()) if (this.#roomForWaiting(kind) >= ofKindRoomMin) return true
    return false
  }

  async #attempt({ id, kind, actor_id, name, params, attempts }: NewEffect) {
    try {
      const effect = this.parts.effectsOf(kind)?.[name]
      if (typeof effect !== 'object' || !('durable' in effect))
        throw new Error(`Unknown durable effect: ${kind}.${name}.`)
      const again = await effect.durable(JSON.parse(params) as never, { address: { kind, id: actor_id }, effectId: id })
      if (again) await this.#postpone({ id, attempts: 0 }, again.againMs)
      else await this.parts.store.commit([deleteEffect(this.parts.store, { id })], null)
    } catch (error) {
      this.parts.onError(error, `the effect ${name} of ${kind}`)
      await this.#postpone({ id, attempts: attempts + 1 }, backOffMs(attempts)).catch(() => {})
    }
  }

  async #postpone(row: Pick<EffectRow, 'id' | 'attempts'>, ms: number) {
    const dueAt = this.parts.clock.now() + ms
    this.#poller.expect(dueAt)
    await this.parts.store.commit([postponeEffect(this.parts.store, { ...row, dueAt })], null)
  }

  #fullKinds(): string[] {
    return [...this.#ofKind.keys()].filter((kind) => this.#roomForWaiting(kind) <= 0)
  }

  /** Starts the first effects for which there is room, a few at most. Returns those. */
  #beginSome(due: readonly EffectRow[]): EffectRow[] {
    const begun: EffectRow[] = []
    for (const row of due) {
      if (begun.length === fewMax) break
      if (this.#roomForWaiting(row.kind) <= 0) continue
      this.#carryOut(row)
      begun.push(row)
    }
    return begun
  }

  /** Starts due effects, as far as there is room. Returns the time of the next query. */
  async #beginDue(): Promise<number> {
    const { store, share } = this.parts
    const now = this.parts.clock.now()
    const horizon = now + lookAgainMs(share, restMs)
    const mine = { slots: slotsOf(share), self: share.id }
    const crowded = this.#crowded
    // those that are turned away meanwhile stay in it
    this.#crowded = new Map()
    try {
      for (;;) {
        // a kind without room could hide any number of rows of the others
        const full = this.#fullKinds()
        const without = JSON.stringify(full)
        const rows = await store.all(dueEffects(store, { ...mine, without, now: horizon, limit: inFlightMax + 1 }))
        const waiting = rows.filter(({ id }) => !this.#inFlight.has(id) && !this.#committing.has(id))
        const due = waiting.filter(({ due_at }) => due_at <= now)
        const begun = this.#poller.running ? this.#beginSome(due) : []
        const isHidden = rows.length > inFlightMax && this.#fullKinds().length > full.length
        if (begun.length === fewMax || isHidden) {
          // yields to other requests
          await nextTurn()
          continue
        }
        const left = rows.length > inFlightMax ? rows : due.filter((row) => !begun.includes(row))
        for (const kind of new Set([...full, ...left.map((row) => row.kind)])) {
          for (const owner of crowded.get(kind) ?? []) this.#crowd(kind).add(owner)
          this.#crowd(kind)
        }
        return waiting.find(({ due_at }) => due_at > now)?.due_at ?? horizon
      }
    } catch (error) {
      this.parts.onError(error, 'the effects')
      return now + 1_000
    }
  }
}

/** Changes a count; one of zero is left out. */
function add(counts: Map<string, number>, name: string, change: 1 | -1) {
  const count = (counts.get(name) ?? 0) + change
  if (count === 0) counts.delete(name)
  else counts.set(name, count)
}
