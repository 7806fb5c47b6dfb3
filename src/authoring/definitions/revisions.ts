/** The immutable revisions of Definitions. Source: requirement 1, "Delivery path", 9.2; contract 3. */

import { entityChart } from '../../../machines/entity.ts'
import {
  advanceDefinition,
  findDefinitionRevision,
  insertDefinitionRevision,
  listDefinitionRevisions,
} from '../../../storage/authoring/definitions.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import { type ChartDescription, describeOwn } from '../../runtime/statecharts/describe.ts'
import { originOfChart } from '../../runtime/statecharts/simulation/origins.ts'
import type { Simulation, SimulationOfMachine } from '../../runtime/statecharts/simulation/schema.ts'
import { simulate } from '../../runtime/statecharts/simulation/simulate.ts'
import { type DefinitionParts, type DefinitionPlace, Definitions, keyOf } from './definitions.ts'
import { chartOfEntity } from './entity-chart.ts'
import { presentRevision, revisionRow } from './present.ts'
import { previewRevision } from './revision-preview.ts'
import { type RevisionRequest, validated } from './revision-request.ts'
import type { DefinitionRevision, RevisionPreview } from './schema.ts'

export class DefinitionRevisions {
  readonly #definitions: Definitions

  constructor(private readonly parts: DefinitionParts) {
    this.#definitions = new Definitions(parts)
  }

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, place: DefinitionPlace, request: PageRequest) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const { projectId, definitionId } = place
    await this.#definitions.find(keyOf(caller, place))
    const scope = { list: 'definition-revisions', organizationId, filters: { projectId, definitionId } }
    return readLargePage(
      { cursors, scope },
      request,
      (after, limit) => {
        const before = belowNumber(after)
        return store.all(listDefinitionRevisions(store, { organizationId, definitionId, before, limit }))
      },
      ({ number }) => [number],
      presentRevision,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: DefinitionPlace, revisionId: string): Promise<DefinitionRevision> {
    await this.#definitions.find(keyOf(caller, place))
    return this.#read(caller, place.definitionId, revisionId)
  }

  /** The statechart that entities of the revision are run by. Throws `notFound`, also for a Definition of another kind. */
  async machine(caller: Caller, place: DefinitionPlace, revisionId: string): Promise<ChartDescription> {
    return describeOwn(entityChart, await this.#chart(caller, place, revisionId))
  }

  /** Simulates a new entity of the revision. Throws as `machine`, and 422 for input that does not fit the statechart. */
  async simulate(
    caller: Caller,
    place: DefinitionPlace,
    revisionId: string,
    request: SimulationOfMachine,
  ): Promise<Simulation> {
    const { machine } = await this.#chart(caller, place, revisionId)
    const origin = originOfChart({ machine, input: entityChart.input }, entityChart.machine.id)
    return simulate(origin, request, this.parts.clock.now())
  }

  async #chart(caller: Caller, place: DefinitionPlace, revisionId: string) {
    const { name } = await this.#definitions.find(keyOf(caller, place))
    const { source } = await this.#read(caller, place.definitionId, revisionId)
    if (!('states' in source)) throw notFound()
    return { title: `Entity ${name}`, machine: chartOfEntity(name, source.states) }
  }

  /** Publishes; the Definition's latest revision moves along. Throws `notFound`, `validation_failed` (422). */
  async publish(
    caller: Caller,
    place: DefinitionPlace,
    body: RevisionRequest,
    record: RequestRecord,
  ): Promise<DefinitionRevision> {
    const { store, clock } = this.parts
    const { organizationId, principal: by } = caller
    const key = keyOf(caller, place)
    const { definitionId } = place
    const { kind } = await this.#definitions.find(key)
    const source = await validated(kind, body, organizationId)
    const at = clock.now()
    const row = revisionRow({ organizationId, definitionId, source, by, at })
    await commitOr(store, { stale: notFound }, [
      // first, so that concurrent publications wait before taking a number
      advanceDefinition(store, { ...key, revisionId: row.id, at }),
      insertDefinitionRevision(store, row),
      withinBound(store, 'definitionRevisions', organizationId, definitionId),
      ...record({ data: { id: row.id } }),
    ])
    return this.#read(caller, definitionId, row.id)
  }

  /** Previews `publish` without writing. Throws as `publish`. */
  async preview(caller: Caller, place: DefinitionPlace, body: RevisionRequest): Promise<RevisionPreview> {
    const definition = await this.#definitions.find(keyOf(caller, place))
    const source = await validated(definition.kind, body, caller.organizationId)
    const { id, latest_revision_id: latestId } = definition
    const latest = latestId === null ? undefined : await this.#read(caller, id, latestId)
    return previewRevision(this.parts.store, caller, { definition, source, latestDigest: latest?.sourceDigest })
  }

  async #read({ organizationId }: Caller, definitionId: string, revisionId: string) {
    const { store } = this.parts
    const row = orNotFound(
      await store.first(findDefinitionRevision(store, { organizationId, definitionId, id: revisionId })),
    )
    return presentRevision(row)
  }
}
