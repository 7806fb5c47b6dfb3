/**
 * Projects, their Environments, Agents, Definitions and Releases. Row types for Kysely; the migrations define the
 * tables.
 */
export interface ProjectRow {
  id: string
  organization_id: string
  slug: string
  name: string
  template_id: string | null
  status: 'active' | 'paused' | 'deleting'
  created_at: number
  updated_at: number
}

export interface EnvironmentRow {
  id: string
  organization_id: string
  project_id: string
  kind: 'development' | 'preview' | 'production'
  name: string
  state: string
  version: number
  machine_version: string
  context: string
  generation: number
  head_revision_id: string
  head_number: number
  active_deployment_id: string | null
  created_at: number
  updated_at: number
}

export interface AgentRow {
  id: string
  organization_id: string
  project_id: string
  slug: string
  name: string
  description: string | null
  status: 'active' | 'deleting'
  latest_revision_id: string | null
  created_at: number
  updated_at: number
}

export interface AgentRevisionRow {
  id: string
  organization_id: string
  agent_id: string
  number: number
  /** JSON: AgentContent, RFC 8785. */
  content: string
  content_digest: string
  /** JSON: operation names. */
  granted_operations: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface DefinitionRow {
  id: string
  organization_id: string
  project_id: string
  name: string
  kind: 'operations' | 'workflow' | 'entity'
  description: string | null
  status: 'active' | 'deleting'
  latest_revision_id: string | null
  created_at: number
  updated_at: number
}

export interface DefinitionRevisionRow {
  id: string
  organization_id: string
  definition_id: string
  number: number
  /** JSON: DefinitionSource, RFC 8785. */
  source: string
  source_digest: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

export interface ReleaseRow {
  id: string
  organization_id: string
  project_id: string
  number: number
  /** JSON: agentId, agentRevisionId. */
  agents: string
  /** JSON: definitionId, definitionRevisionId. */
  definitions: string
  /** JSON: agentId, name, delegateAgentId. */
  delegate_attachments: string
  digest: string
  description: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

/** A revision pinned by a Release, keyed by its resource: an Agent or a Definition. */
interface ReleasePinRow {
  resource_id: string
  release_id: string
  revision_id: string
}

export interface SystemAgentRow {
  agent_id: string
  agent_revision_id: string
  number: number
  content_digest: string
  content: string
  created_at: number
}

export interface ProjectsTables {
  system_agent_revisions: SystemAgentRow
  projects: ProjectRow
  environments: EnvironmentRow
  agents: AgentRow
  agent_revisions: AgentRevisionRow
  definitions: DefinitionRow
  definition_revisions: DefinitionRevisionRow
  releases: ReleaseRow
  release_pins: ReleasePinRow
}
