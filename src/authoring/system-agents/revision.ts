/** A revision of a System Agent, and the digest that tells one content from another. Source: contract 3, 5. */
import type { SystemAgentRow } from '../../../storage/tables.ts'
import type { AgentContent } from '../agents/content.ts'

/** Immutable. */
export interface SystemAgentRevision {
  agentId: string
  agentRevisionId: string
  /** 1, 2, 3 … for each agent. */
  number: number
  name: string
  content: AgentContent
  /** `sha256:` and 64 hexadecimal digits, over the RFC 8785 form of the content. */
  contentDigest: string
  /** Epoch milliseconds. */
  createdAt: number
}

export function fromRow(row: SystemAgentRow): SystemAgentRevision {
  // shared by every run of the agent: it must not be changed
  const content = JSON.parse(row.content, (_, value: unknown) => Object.freeze(value)) as AgentContent
  return {
    agentId: row.agent_id,
    agentRevisionId: row.agent_revision_id,
    number: row.number,
    name: content.presentation?.displayName ?? row.agent_id,
    content,
    contentDigest: row.content_digest,
    createdAt: row.created_at,
  }
}
