/** The immutable revisions of Agents. Source: requirement 4.9, 9.2; contract 3. */

import { isDeepStrictEqual } from 'node:util'
import {
  advanceAgent,
  findAgent,
  findAgentRevision,
  insertAgentRevision,
  listAgentRevisions,
} from '../../../storage/authoring/agents.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { deletionInProgress, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowNumber, type PageRequest, readLargePage } from '../../platform/http/pagination.ts'
import { type AgentParts, type AgentPlace, keyOf } from './agents.ts'
import { presentRevision, revisionRow } from './present.ts'
import { type RevisionRequest, validated } from './revision-request.ts'
import type { AgentRevision, AgentRevisionPreview } from './schema.ts'

export class AgentRevisions {
  constructor(private readonly parts: AgentParts) {}

  /** Newest first. Throws `invalid_cursor` (422). */
  list({ organizationId }: Caller, { projectId, agentId }: AgentPlace, request: PageRequest) {
    const { store, cursors } = this.parts
    const scope = { list: 'agent-revisions', organizationId, filters: { projectId, agentId } }
    return readLargePage(
      { cursors, scope },
      request,
      (after, limit) => {
        const before = belowNumber(after)
        return store.all(listAgentRevisions(store, { organizationId, agentId, before, limit }))
      },
      ({ number }) => [number],
      presentRevision,
    )
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, agentId: string, revisionId: string): Promise<AgentRevision> {
    const { store } = this.parts
    const row = orNotFound(await store.first(findAgentRevision(store, { organizationId, agentId, id: revisionId })))
    return presentRevision(row)
  }

  /** Publishes; the Agent's latest revision moves along. Throws `validation_failed` (422), `deletion_in_progress` (409). */
  async publish(
    caller: Caller,
    place: AgentPlace,
    body: RevisionRequest,
    record: RequestRecord,
  ): Promise<AgentRevision> {
    const { store, clock } = this.parts
    const { organizationId, principal: by } = caller
    const { agentId } = place
    const request = await validated(body, organizationId)
    const at = clock.now()
    const row = revisionRow({ organizationId, agentId, by, at, ...request })
    await commitOr(store, { stale: deletionInProgress }, [
      // first, so that concurrent publications wait before taking a number
      advanceAgent(store, { ...keyOf(caller, place), revisionId: row.id, at }),
      insertAgentRevision(store, row),
      withinBound(store, 'agentRevisions', organizationId, agentId),
      ...record({ data: { id: row.id } }),
    ])
    return this.get(caller, agentId, row.id)
  }

  /** Checks a revision as `publish` would, and writes nothing. Throws `notFound`, `validation_failed` (422). */
  async preview(caller: Caller, place: AgentPlace, body: RevisionRequest): Promise<AgentRevisionPreview> {
    const { store } = this.parts
    const { organizationId } = caller
    const { agentId } = place
    const { latest_revision_id: id } = orNotFound(await store.first(findAgent(store, keyOf(caller, place))))
    const { content, grantedOperations } = await validated(body, organizationId)
    const latest = id === null ? undefined : await this.get(caller, agentId, id)
    const contentDigest = digestOf(content)
    const isLatest =
      latest?.contentDigest === contentDigest && isDeepStrictEqual(latest.grantedOperations, grantedOperations)
    return { contentDigest, isLatest }
  }
}
