/**
 * The immutable runtime bundle of a Deployment: everything that its runs need, already resolved. It contains no secrets: these
 * are read by the pinned version, and only while they are enabled. Source: contract 3, "materializing"; requirement 9.2.
 */

import type { AgentContent } from '../../authoring/agents/content.ts'
import type { DefinitionSource } from '../../authoring/definitions/source.ts'

/** An exact version of a provider credential. */
export interface CredentialPin {
  id: string
  version: number
}

export interface BundledAgent {
  agentId: string
  agentRevisionId: string
  slug: string
  name: string
  content: AgentContent
  grantedOperations: string[]
  /** Internal delegates: the Agent for each name. */
  delegates: Record<string, string>
  /** The provider setting of this Agent in the snapshot. */
  setting: {
    provider: string | null
    model: string | null
    settings: Record<string, unknown>
    credential: CredentialPin | null
  } | null
}

export interface BundledDefinition {
  definitionId: string
  definitionRevisionId: string
  name: string
  source: DefinitionSource
}

export interface BundledVariable {
  variableId: string
  version: number
  name: string
  /** The Agent that it is bound to under a key; null if it is for all Agents. */
  agentId: string | null
  bindingKey: string | null
}

export interface BundledConnection {
  connectionId: string
  connectionVersionId: string
  kind: 'http' | 'database' | 'object_storage' | 'messaging' | 'custom'
  name: string
  settings: Record<string, unknown>
  credential: CredentialPin | null
  /** The consent that replaces the version's own; omitted if there is none. */
  grantId?: string
  agentId: string | null
  bindingKey: string | null
}

export interface Bundle {
  version: 1
  organizationId: string
  projectId: string
  environmentId: string
  deploymentId: string
  releaseId: string
  configurationRevisionId: string
  agents: BundledAgent[]
  definitions: BundledDefinition[]
  variables: BundledVariable[]
  connections: BundledConnection[]
}
