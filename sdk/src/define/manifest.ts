/** A Project as one file: everything by name, without ids and secrets. */
import type {
  AgentContent,
  EntitySource,
  EventKind,
  NewAgentJob,
  NewConnection,
  NewProviderSetting,
  OperationsSource,
  WorkflowSource,
} from '../generated/schemas.ts'

/** A Definition, by its kind. */
export type DefinitionManifest = { description?: string } & (
  | { kind: 'operations'; source: OperationsSource }
  | { kind: 'workflow'; source: WorkflowSource }
  | { kind: 'entity'; source: EntitySource }
)

/** An Agent; its delegates are named by their slugs. */
export interface AgentManifest {
  name?: string
  description?: string
  content: AgentContent
  /** Default: the grants that its tools need. */
  grantedOperations?: string[]
}

/** A variable: its value, a variable of the organization, or a secret that must be set elsewhere. */
export type VariableManifest = { value: string } | { fromOrganization: string; version?: number } | { secret: true }

/** A Connection, with the Agents that may use it. `credential` is the label of a provider credential. */
export interface ConnectionManifest<Agent extends string = string> {
  kind: NewConnection['kind']
  settings: NewConnection['settings']
  credential?: string
  bind?: { agent: Agent; bindingKey: string }[]
}

/** The model of an Agent. `credential` is the label of a provider credential. */
export interface ModelManifest {
  provider?: NonNullable<NewProviderSetting['provider']>
  model?: string
  settings?: NonNullable<NewProviderSetting['settings']>
  credential?: string
}

/** A job that runs an Agent, or a workflow on its behalf, on a schedule. */
export type JobManifest<Agent extends string = string> = {
  agent: Agent
  schedule: NewAgentJob['schedule']
  enabled?: boolean
  overlap?: NonNullable<NewAgentJob['overlap']>
} & (
  | { query: string; workflow?: never; params?: never }
  | { workflow: string; params?: Record<string, unknown>; query?: never }
)

/** The resources of an Environment. */
export interface EnvironmentManifest<Agent extends string = string> {
  /** By name: capitals, digits and underscores. */
  variables?: Record<string, VariableManifest>
  /** By name. */
  connections?: Record<string, ConnectionManifest<Agent>>
  /** By the slug of the Agent. */
  models?: { [Slug in Agent]?: ModelManifest }
  /** By name. */
  jobs?: Record<string, JobManifest<Agent>>
  /** By the address that events are posted to. */
  webhooks?: Record<string, { eventTypes: EventKind[] }>
}

export type EnvironmentKind = 'development' | 'preview' | 'production'

/** A Project as one file. */
export interface Manifest {
  version: 1
  project: { slug: string; name?: string }
  /** By name. */
  definitions?: Record<string, DefinitionManifest>
  /** By slug. */
  agents?: Record<string, AgentManifest>
  environments?: { [Kind in EnvironmentKind]?: EnvironmentManifest }
}
