/**
 * The Releases of a Project: exact revisions that fit together, resolved once. What is resolved and what is pinned is the
 * same: each pin is stored only if it still is what was read. Source: requirement 1, 9.2; contract 3.
 */

import {
  findPinnedAgent,
  findPinnedDefinition,
  findRelease,
  insertRelease,
  listProvidedKeys,
  listReleases,
  pinAgent,
  pinDefinition,
} from '../../../storage/authoring/releases.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { ReleaseRow } from '../../../storage/tables.ts'
import { ApiError, deletionInProgress, type Issue, invalid, orNotFound } from '../../platform/http/answers/errors.ts'
import { orNoSuch } from '../../platform/http/answers/references.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { nextTurn } from '../../platform/time/next-turn.ts'
import { fieldOfEach, listOf, repeated } from '../definitions/loose.ts'
import type { SystemAgents } from '../system-agents/system-agents.ts'
import { readableRelease } from './differences/readable.ts'
import { releaseDifferences } from './differences/releases.ts'
import type { ReleaseDiff } from './differences/schema.ts'
import { agentNode, definitionNode } from './graph.ts'
import { presentRelease } from './present.ts'
import { type Graph, resolveGraph } from './resolve.ts'
import type { DelegateAttachment, NewRelease, Release } from './schema.ts'
import { asksEnvironment, type Provided } from './sources.ts'

export interface ReleaseParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  systemAgents: Pick<SystemAgents, 'find'>
}

interface Place {
  organizationId: string
  projectId: string
}

/** How often to resolve again if a pinned resource is renamed or deleted meanwhile. */
const attemptsMax = 3

export class Releases {
  constructor(private readonly parts: ReleaseParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, projectId: string, request: PageRequest) {
    const { store, cursors } = this.parts
    const scope = { list: 'releases', organizationId, filters: { projectId } }
    return readLargePage(
      { cursors, scope },
      request,
      (after, limit) => {
        const before = belowNumber(after)
        return store.all(listReleases(store, { organizationId, projectId, before, limit }))
      },
      ({ number }) => [number],
      presentRelease,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, projectId: string, releaseId: string): Promise<Release> {
    const { store } = this.parts
    const row = orNotFound(await store.first(findRelease(store, { organizationId, projectId, id: releaseId })))
    return presentRelease(row)
  }

  /** The differences from `against`, by name, as far as the caller may read them. Throws `notFound`, `noSuch`. */
  async diff(caller: Caller, projectId: string, releaseId: string, against: string): Promise<ReleaseDiff> {
    const { store } = this.parts
    const { organizationId } = caller
    const find = (id: string) => store.first(findRelease(store, { organizationId, projectId, id }))
    const after = orNotFound(await find(releaseId))
    const before = orNoSuch(await find(against), 'Release in this Project', '/query/against')
    const { nameOf: _, ...data } = await releaseDifferences(store, before, after)
    return readableRelease(caller, projectId, data)
  }

  /**
   * Throws `validation_failed` (422) for a repeated pin, `notFound` for a pin that there is not, `unresolved_reference`
   * and `delegate_cycle` (422) with every issue, `deletion_in_progress` (409).
   */
  async create(caller: Caller, projectId: string, body: NewRelease, record: RequestRecord): Promise<Release> {
    const { store } = this.parts
    const place = { organizationId: caller.organizationId, projectId }
    const issues = repeatedPins(body)
    if (issues.length > 0) throw invalid(issues)
    for (let attempt = 1; ; attempt += 1) {
      const graph = await this.#load(place, body)
      const provided = await this.#provided(projectId, graph)
      const row = this.#row(caller, projectId, body, await this.#resolve(graph, provided, body))
      try {
        await store.commit([
          insertRelease(store, row),
          withinBound(store, 'releases', place.organizationId, projectId),
          ...this.#pins(place, row.id, body, graph),
          ...record({ data: { id: row.id } }),
        ])
        return await this.get(caller, projectId, row.id)
      } catch (error) {
        if (!(error instanceof StaleWrite)) throw error
        if (attempt === attemptsMax) throw deletionInProgress()
      }
    }
  }

  /** Reads the pinned revisions one by one: together they may be large, and other requests get turns. Throws `notFound`. */
  async #load(place: Place, { agents, definitions = [] }: NewRelease): Promise<Graph> {
    const { store } = this.parts
    const graph: Graph = { agents: [], definitions: [] }
    for (const [index, { agentId, agentRevisionId }] of agents.entries()) {
      const key = { ...place, resourceId: agentId, revisionId: agentRevisionId }
      const at = `/body/agents/${index}`
      const row = orNoSuch(await store.first(findPinnedAgent(store, key)), 'revision in this Project', at)
      graph.agents.push(agentNode(agentId, row, at))
      await nextTurn()
    }
    for (const [index, { definitionId, definitionRevisionId }] of definitions.entries()) {
      const key = { ...place, resourceId: definitionId, revisionId: definitionRevisionId }
      const at = `/body/definitions/${index}`
      const found = await store.first(findPinnedDefinition(store, key))
      const row = orNoSuch(found, 'revision in this Project', at)
      graph.definitions.push(definitionNode(definitionId, row, at))
      await nextTurn()
    }
    return graph
  }

  /** The complete attachments of a graph in which everything is found. */
  async #resolve(
    graph: Graph,
    provided: Provided,
    { delegateAttachments = [] }: NewRelease,
  ): Promise<DelegateAttachment[]> {
    const isSystemAgent = (id: string) => this.parts.systemAgents.find(id) !== undefined
    const { attachments, lost, cycles } = await resolveGraph(graph, provided, delegateAttachments, isSystemAgent)
    if (lost.length > 0) {
      const message = 'The Release does not hold everything that its parts refer to.'
      throw new ApiError(422, 'unresolved_reference', message, { details: { issues: [...lost, ...cycles] } })
    }
    if (cycles.length > 0) {
      const message = 'Agents of the Release hand work around in a circle.'
      throw new ApiError(422, 'delegate_cycle', message, { details: { issues: cycles } })
    }
    return attachments
  }

  /** The keys that handlers may name: declared by an Agent of the Release, or there in an Environment of the Project. */
  async #provided(projectId: string, { agents, definitions }: Graph): Promise<Provided> {
    const { store } = this.parts
    const keys = { connection: new Set<string>(), variable: new Set<string>() }
    for (const { bindings } of agents) for (const { kind, bindingKey } of bindings) keys[kind].add(bindingKey)
    const rows = definitions.some(asksEnvironment) ? await store.all(listProvidedKeys(store, { projectId })) : []
    for (const { kind, name, binding_key: bindingKey } of rows) {
      keys[kind].add(name)
      if (bindingKey !== null) keys[kind].add(bindingKey)
    }
    return { connections: keys.connection, variables: keys.variable }
  }

  #pins(place: Place, releaseId: string, { agents, definitions = [] }: NewRelease, graph: Graph): Write[] {
    const { store } = this.parts
    return [
      ...agents.map(({ agentId, agentRevisionId }) =>
        pinAgent(store, { ...place, releaseId, resourceId: agentId, revisionId: agentRevisionId }),
      ),
      ...definitions.map(({ definitionId, definitionRevisionId }, index) => {
        const { name } = graph.definitions[index]!
        const pin = { resourceId: definitionId, revisionId: definitionRevisionId, name }
        return pinDefinition(store, { ...place, releaseId, ...pin })
      }),
    ]
  }

  #row(
    { organizationId, principal: by }: Caller,
    projectId: string,
    { agents, definitions = [], description }: NewRelease,
    delegateAttachments: DelegateAttachment[],
  ): Omit<ReleaseRow, 'number'> {
    const at = this.parts.clock.now()
    return {
      id: newId('rel', at),
      organization_id: organizationId,
      project_id: projectId,
      agents: JSON.stringify(agents),
      definitions: JSON.stringify(definitions),
      delegate_attachments: JSON.stringify(delegateAttachments),
      digest: digestOf({ agents, definitions, delegateAttachments }),
      description: description ?? null,
      created_by_type: by.type,
      created_by_id: by.id,
      created_at: at,
    }
  }
}

/** Agents, Definitions and delegates that are named twice. */
function repeatedPins({ agents, definitions, delegateAttachments = [] }: NewRelease): Issue[] {
  const attached = delegateAttachments.map(({ agentId, name }, index) => ({
    path: `/body/delegateAttachments/${index}`,
    name: `${agentId}/${name}`,
  }))
  return [
    ...repeated(fieldOfEach(listOf(agents), 'agentId', '/body/agents')),
    ...repeated(fieldOfEach(listOf(definitions), 'definitionId', '/body/definitions')),
    ...repeated(attached),
  ]
}
