/** The pins of a Deployment. Missing parts are undefined, which validation reports. Source: contract 3, "Deployment". */
import type { ConnectionRow } from '../../../storage/tables.ts'
import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'
import type { PinnedConnection, PinnedSetting, PinnedVariable } from '../configuration-revisions/content.ts'

export interface DeployedAgent {
  agentId: string
  agentRevisionId: string
  /** undefined if the Agent or the revision is missing. */
  found: { slug: string; name: string; content: AgentContent; grantedOperations: string[] } | undefined
  status: 'active' | 'deleting' | undefined
  /** Internal delegates: the Agent for each name. */
  delegates: Record<string, string>
}

export interface DeployedDefinition {
  definitionId: string
  definitionRevisionId: string
  found: { name: string; source: DefinitionSource } | undefined
  status: 'active' | 'deleting' | undefined
}

export interface DeployedConnection extends PinnedConnection {
  /** Empty if neither the Configuration Revision nor the Connection has one. */
  name: string
  found: { name: string; kind: ConnectionRow['kind']; settings: Record<string, unknown> } | undefined
  /** Its consent. */
  grantId: string | null
  status: ConnectionRow['status'] | undefined
}

export interface Pinned {
  agents: DeployedAgent[]
  definitions: DeployedDefinition[]
  /** The variables for all Agents, and those bound to an Agent of the Release. */
  variables: PinnedVariable[]
  connections: DeployedConnection[]
  /** The settings of the Agents of the Release. */
  settings: PinnedSetting[]
  /** The total text in characters. */
  size: number
}
