/** A kind of actor that clients may watch: what its area says of it, and the look-ups made of its statechart. */
import type { Store } from '../../storage/store.ts'
import type { Caller } from '../http/caller.ts'
import { notFound } from '../http/errors.ts'
import type { Permission } from '../http/permissions.ts'
import type { Actors, AnyKind } from '../runtime/actors.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Actor } from '../runtime/kind.ts'
import type { DecisionTable } from '../runtime/table.ts'
import { eventsByState, listMoves } from './moves.ts'

/** How an area lets its actors be watched. */
export interface WatchedKind {
  /** The kind as the runtime knows it. */
  definition: AnyKind
  /** The permission that reads the resource. */
  readPermission: Permission
  /** Others that open the door as well, where `find` knows which of them it takes. */
  orPermissions?: readonly Permission[]
  /** Whether the caller may see the resource: false for a missing and for a foreign one. */
  find(caller: Caller, id: string): Promise<boolean>
  /** The part of the kind's context that may be shown: an allowlist, instants as RFC 3339. */
  redact(context: never): Record<string, unknown>
}

export interface WatchParts {
  actors: Actors
  store: Store
  clock: Clock
  /** Hears why a stream broke off; its reader only sees that it did. */
  onError(error: unknown, what: string): void
}

export class Watch {
  readonly kind: string
  readonly definition: AnyKind
  readonly readPermission: Permission
  readonly orPermissions: readonly Permission[]
  readonly table: DecisionTable
  readonly #watched: WatchedKind
  readonly #events: ReadonlyMap<string, string[]>
  /** Every move of the chart, by state and event: the states that it can lead to. */
  readonly #targets = new Map<string, Map<string, Set<string>>>()

  constructor(
    watched: WatchedKind,
    readonly parts: WatchParts,
  ) {
    this.#watched = watched
    this.definition = watched.definition
    this.kind = watched.definition.kind
    this.readPermission = watched.readPermission
    this.orPermissions = watched.orPermissions ?? []
    this.table = parts.actors.table(this.kind)
    this.#events = eventsByState(this.table)
    for (const { from, event, to } of listMoves(this.table)) {
      const events = this.#targets.get(from) ?? new Map<string, Set<string>>()
      this.#targets.set(from, events.set(event, (events.get(event) ?? new Set()).add(to)))
    }
  }

  /** The events that the state has a row for, whether or not a guard would let them pass. */
  nextEvents(state: string): string[] {
    return this.#events.get(state) ?? []
  }

  /** Whether no event can ever move an actor out of this state. */
  isTerminal(state: string): boolean {
    return this.nextEvents(state).length === 0
  }

  /** Whether the chart has a row from here to there by this event. */
  hasMove(from: string, event: string, to: string): boolean {
    return this.#targets.get(from)?.get(event)?.has(to) ?? false
  }

  redact(context: Record<string, unknown>): Record<string, unknown> {
    return this.#watched.redact(context as never)
  }

  /** Throws `not_found` (404) unless the caller may see the resource. */
  async assertVisible(caller: Caller, id: string): Promise<void> {
    if (!(await this.#watched.find(caller, id))) throw notFound()
  }

  /** The actor as it was last committed. Throws `not_found` (404). */
  async actor(id: string): Promise<Actor> {
    const actor = await this.parts.actors.read({ kind: this.kind, id })
    if (!actor) throw notFound()
    return actor
  }
}
