/** A kind of actor that clients may watch: what its area says of it, and how to look at them. */
import type { Store } from '../../../../storage/store.ts'
import { notFound, orNotFound } from '../../../platform/http/answers/errors.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors, AnyKind } from '../../actors.ts'
import type { Actor, OwnChart } from '../../kind.ts'
import type { Chart } from '../charts/chart.ts'
import { type ChartDescription, describeOwn } from '../describe.ts'
import { type Lookups, lookupsOf } from '../lookups.ts'

/** How an area lets its actors be watched. */
export interface ActorView {
  /** The kind as the runtime knows it. */
  definition: AnyKind
  /** The permission that reads the resource. */
  readPermission: Permission
  /** Others that pass the guard as well, where `find` knows which of them it takes. */
  orPermissions?: readonly Permission[]
  /** Whether the caller may see the resource: false for a missing and for a foreign one. */
  find(caller: Caller, id: string): Promise<boolean>
  /** What the area would tell the statechart of the caller along with such an event; left out: nothing. */
  factsFor?(caller: Caller, actor: Actor<never>, event: string): Promise<object>
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
  readonly #watched: ActorView

  constructor(
    watched: ActorView,
    readonly parts: WatchParts,
  ) {
    this.#watched = watched
    this.definition = watched.definition
    this.kind = watched.definition.kind
    this.readPermission = watched.readPermission
    this.orPermissions = watched.orPermissions ?? []
  }

  /** Of the statechart that the actor with this row is run by. */
  lookups(row: unknown): Lookups {
    return lookupsOf(this.parts.actors.tableOf(this.kind, row))
  }

  /** Of the statechart that the actor is run by now. Throws `not_found` (404). */
  async lookupsNow(id: string): Promise<Lookups> {
    return this.lookups(this.definition.chartOf ? (await this.actor(id)).row : undefined)
  }

  /** Of a statechart that an actor has had. */
  lookupsOfPast(chart: OwnChart): Lookups {
    return lookupsOf(this.parts.actors.tableOfChart(this.kind, chart))
  }

  /** The statechart of the actor in the words of its kind's; undefined where it is that of the kind. */
  describe(row: unknown, ofKind: Chart): ChartDescription | undefined {
    const own = this.definition.chartOf?.(row)
    return own && describeOwn(ofKind, { title: own.title, machine: own.machine() })
  }

  /** What the statechart is told of the caller along with such an event. */
  async factsFor(caller: Caller, actor: Actor, event: string): Promise<object> {
    return (await this.#watched.factsFor?.(caller, actor as Actor<never>, event)) ?? {}
  }

  redact(context: Record<string, unknown>): Record<string, unknown> {
    return this.#watched.redact(context as never)
  }

  /** Whether the caller may see the resource. */
  isVisible(caller: Caller, id: string): Promise<boolean> {
    return this.#watched.find(caller, id)
  }

  /** Throws `not_found` (404) unless the caller may see the resource. */
  async assertVisible(caller: Caller, id: string): Promise<void> {
    if (!(await this.isVisible(caller, id))) throw notFound()
  }

  /** The actor as it was last committed. Throws `not_found` (404). */
  async actor(id: string): Promise<Actor> {
    return orNotFound(await this.parts.actors.read({ kind: this.kind, id }))
  }
}
