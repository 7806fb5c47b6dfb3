/** The Agents of a Project: their identity and metadata. Source: requirement 4.9; contract 3. */
import { describeAgent, findAgent, insertAgent, listAgents, renameAgent } from '../../../storage/authoring/agents.ts'
import type { AuthoredKey } from '../../../storage/authoring/authored.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentRow } from '../../../storage/tables.ts'
import { agentsWithin } from '../../../storage/tenancy/quotas.ts'
import { deletionInProgress, notFound, orNotFound, slugTaken } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequestBySlug } from '../../platform/http/pagination.ts'
import { readSearchedPage } from '../../platform/http/searched-page.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { withProgress } from '../../tenancy/deletions/progress.ts'
import type { LimitsOfOrganizations } from '../../tenancy/organizations/limits.ts'
import { presentAgent } from './present.ts'
import type { Agent, AgentChanges, NewAgent } from './schema.ts'

export interface AgentParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  billing: { terms: LimitsOfOrganizations }
}

/** The ids in the path of an Agent. */
export interface AgentPlace {
  projectId: string
  agentId: string
}

export class Agents {
  constructor(private readonly parts: AgentParts) {}

  /** Newest first; a key that is bound to an Agent sees that one. Throws `invalid_cursor` (422). */
  list(caller: Caller, projectId: string, { slug, ...request }: PageRequestBySlug & { search?: string }) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    const { agentId } = caller.scope
    const filters = { projectId, slug, search: request.search, ...(agentId !== null && { agentId }) }
    const scope = { list: 'agents', organizationId, filters }
    return readSearchedPage(
      { cursors, scope },
      request,
      async (after, limit) => {
        const before = belowId(after)
        if (agentId === null) {
          return store.all(listAgents(store, { organizationId, projectId, named: slug ?? null, before, limit }))
        }
        const found = await store.all(findAgent(store, { organizationId, projectId, id: agentId }))
        return found.filter((agent) => slug === undefined || agent.slug === slug)
      },
      ({ id }) => [id],
      presentAgent,
      ({ name, slug }) => `${name} ${slug}`,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Caller, place: AgentPlace): Promise<Agent> {
    return withProgress(this.parts.store, presentAgent(await this.#find(keyOf(caller, place))))
  }

  /** An identity without a revision. Throws `slug_taken` and `deletion_in_progress` (409), `limit_exceeded` (422). */
  async create(caller: Caller, projectId: string, body: NewAgent, record: RequestRecord): Promise<Agent> {
    const { store, clock, billing } = this.parts
    const { organizationId } = caller
    const limits = await billing.terms.limits(organizationId)
    const now = clock.now()
    const row: AgentRow = {
      id: newId('agt', now),
      organization_id: organizationId,
      project_id: projectId,
      slug: body.slug,
      name: body.name,
      description: body.description ?? null,
      status: 'active',
      latest_revision_id: null,
      created_at: now,
      updated_at: now,
    }
    const agent = presentAgent(row)
    await commitOr(
      store,
      { unique: { 'agents.slug': () => slugTaken('Agent of the Project', 409) }, stale: deletionInProgress },
      [insertAgent(store, row), ...agentsWithin(store, organizationId, limits.agents), ...record({ data: agent })],
    )
    return agent
  }

  /** Changes the given fields, not its revisions. Throws `notFound`, also if its deletion has just begun. */
  async update(
    caller: Caller,
    place: AgentPlace,
    { name, description }: AgentChanges,
    record: RequestRecord,
  ): Promise<Agent> {
    const { store, clock } = this.parts
    const key = keyOf(caller, place)
    const at = clock.now()
    const before = presentAgent(await this.#find(key))
    await commitOr(store, { stale: notFound }, [
      ...(name === undefined ? [] : [renameAgent(store, { ...key, name, at })]),
      ...(description === undefined ? [] : [describeAgent(store, { ...key, description, at })]),
      ...record({ data: { id: key.id } }, before),
    ])
    return presentAgent(await this.#find(key))
  }

  async #find(key: AuthoredKey): Promise<AgentRow> {
    return orNotFound(await this.parts.store.first(findAgent(this.parts.store, key)))
  }
}

/** The storage key of an Agent. */
export const keyOf = ({ organizationId }: Caller, { projectId, agentId }: AgentPlace): AuthoredKey => ({
  organizationId,
  projectId,
  id: agentId,
})
