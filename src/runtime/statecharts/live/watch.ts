/** A kind of actor that clients may watch, and how to look at its actors. */

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
  /** Hears why a stream broke off; its reader only sees that it did. */
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

  /** The actor as it was last committed. Throws `not_found` (404). */
  async actor(id: string): Promise<Actor> {
    return orNotFound(await this.parts.actors.read({ kind: this.kind, id }))
  }
}
