/** Agents and revisions as they are stored and as they are shown. Source: contract 3. */
import { newId } from '../../../storage/ids.ts'
import type { AgentRevisionRow, AgentRow } from '../../../storage/tables.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { AgentContent } from './content.ts'
import type { Agent, AgentRevision } from './schema.ts'

interface NewRevision {
  organizationId: string
  agentId: string
  content: AgentContent
  grantedOperations: readonly string[]
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** A row for a new revision; its number comes with the insert. The content is stored as it was written: a model reads a schema in its author's order. */
export function revisionRow(revision: NewRevision): Omit<AgentRevisionRow, 'number'> {
  const { organizationId, agentId, content, grantedOperations, by, at } = revision
  return {
    id: newId('agr', at),
    organization_id: organizationId,
    agent_id: agentId,
    content: JSON.stringify(content),
    content_digest: digestOf(content),
    granted_operations: JSON.stringify(grantedOperations),
    created_by_type: by.type,
    created_by_id: by.id,
    created_at: at,
  }
}

export const presentAgent = (row: AgentRow): Agent => ({
  id: row.id,
  projectId: row.project_id,
  slug: row.slug,
  name: row.name,
  description: row.description,
  status: row.status,
  latestRevisionId: row.latest_revision_id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

export const presentRevision = (row: AgentRevisionRow): AgentRevision => ({
  id: row.id,
  agentId: row.agent_id,
  number: row.number,
  content: JSON.parse(row.content) as AgentContent,
  contentDigest: row.content_digest,
  grantedOperations: JSON.parse(row.granted_operations) as string[],
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
})
