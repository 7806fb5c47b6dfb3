/** Everything that a Deployment pins. What is missing is undefined, for validation to tell of. Source: contract 3, "Deployment". */
import type { ConnectionRow } from '../../../storage/tables.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import type { PinnedConnection, PinnedSetting, PinnedVariable } from '../configuration-revisions/content.ts'

export interface DeployedAgent {
  agentId: string
  agentRevisionId: string
  /** undefined: the Agent or the revision is not there. */
  found: { slug: string; name: string; content: AgentContent; grantedOperations: string[] } | undefined
  status: 'active' | 'deleting' | undefined
  /** Delegates within the server: the Agent behind each name. */
  delegates: Record<string, string>
}

export interface DeployedDefinition {
  definitionId: string
  definitionRevisionId: string
  found: { name: string; source: DefinitionSource } | undefined
  status: 'active' | 'deleting' | undefined
}

export interface DeployedConnection extends PinnedConnection {
  /** Empty when there is no such Connection any more. */
  name: string
  found: { name: string; kind: ConnectionRow['kind']; settings: Record<string, unknown> } | undefined
  /** The consent behind it. */
  grantId: string | null
  status: ConnectionRow['status'] | undefined
}

export interface Pinned {
  agents: DeployedAgent[]
  definitions: DeployedDefinition[]
  /** Those for all Agents, and those that are bound to an Agent of the Release. */
  variables: PinnedVariable[]
  connections: DeployedConnection[]
  /** Of the Agents of the Release. */
  settings: PinnedSetting[]
  /** Of all texts together, in characters. */
  size: number
}
