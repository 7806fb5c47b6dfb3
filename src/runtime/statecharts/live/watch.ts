/** A kind of actor that clients may watch, and access to its actors. */

import type { AnyEventObject } from 'xstate'
import type { Chart } from '../../../../machines/charts/chart.ts'
import type { Store } from '../../../../storage/store.ts'
import { notFound, orNotFound } from '../../../platform/http/answers/errors.ts'
import { isWithinScope } from '../../../platform/http/guard/authorization-scope.ts'
import type { Caller } from '../../../platform/http/guard/caller.ts'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../actors.ts'
import type { Actor, ActorView, AnyKind, OwnChart } from '../../kind.ts'
import { type ChartDescription, describeOwn } from '../describe.ts'
import { type Lookups, lookupsOf } from '../lookups.ts'

export interface WatchParts {
  actors: Actors
  store: Store
  clock: Clock
  /** Gets the error that broke a stream; the reader only sees the stream end. */
  onError(error: unknown, what: string): void
}

export class Watch {
  readonly kind: string
  readonly #view: ActorView

  constructor(
    readonly definition: AnyKind,
    readonly parts: WatchParts,
  ) {
    if (!definition.view) throw new Error(`The kind ${definition.kind} does not say what it shows.`)
    this.kind = definition.kind
    this.#view = definition.view
  }

  get readPermission(): Permission {
    return this.#view.permission
  }

  get orPermissions(): readonly Permission[] {
    return this.#view.orPermissions ?? []
  }

  /** The statechart of the actor with this row. */
  lookups(row: unknown): Lookups {
    return lookupsOf(this.parts.actors.tableOf(this.kind, row))
  }

  /** The current statechart of the actor. Throws `not_found` (404). */
  async lookupsNow(id: string): Promise<Lookups> {
    return this.lookups(this.definition.chartOf ? (await this.actor(id)).row : undefined)
  }

  /** An earlier statechart of an actor. */
  lookupsOfPast(chart: OwnChart): Lookups {
    return lookupsOf(this.parts.actors.tableOfChart(this.kind, chart))
  }

  /** The description of the actor's statechart with the texts of its kind; undefined if it is that of the kind. */
  describe(row: unknown, ofKind: Chart): ChartDescription | undefined {
    const own = this.definition.chartOf?.(row)
    return own && describeOwn(ofKind, { title: own.title, machine: own.machine() })
  }

  /** Facts about the caller and the request that are added to such an event. */
  async factsFor(caller: Caller, actor: Actor, event: AnyEventObject): Promise<object> {
    return (await this.#view.facts?.(caller, actor, event)) ?? {}
  }

  redact(context: Record<string, unknown>): Record<string, unknown> {
    return this.#view.show(context)
  }

  /** Whether the caller may see the resource. */
  async isVisible(caller: Caller, id: string): Promise<boolean> {
    const { store } = this.parts
    if ('isVisible' in this.#view) return this.#view.isVisible(store, caller, id)
    const found = await store.first(this.#view.place(store, { id, organizationId: caller.organizationId }))
    if (!found) return false
    const { project_id: projectId, environment_id: environmentId, agent_id: agentId = caller.scope.agentId } = found
    return isWithinScope(caller, this.readPermission, { projectId, environmentId, agentId })
  }

  /** Throws `not_found` (404) unless the caller may see the resource. */
  async assertVisible(caller: Caller, id: string): Promise<void> {
    if (!(await this.isVisible(caller, id))) throw notFound()
  }

  /** The actor as last committed. Throws `not_found` (404). */
  async actor(id: string): Promise<Actor> {
    return orNotFound(await this.parts.actors.read({ kind: this.kind, id }))
  }
}
