/** Deployments, Activations and Environment histories. Row types for Kysely; the migrations define the tables. */
export interface DeploymentRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  release_id: string
  configuration_revision_id: string
  /** Which credential versions it uses. */
  credentials: 'pinned' | 'current'
  state: string
  version: number
  machine_version: string
  context: string
  digest: string | null
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
  updated_at: number
  ready_at: number | null
}

/** Everything that a run needs from its Deployment. */
interface DeploymentBundleRow {
  deployment_id: string
  /** JSON. */
  bundle: string
  digest: string
  created_at: number
}

/** A provider credential that a Deployment uses, in some version. */
interface DeploymentCredentialRow {
  deployment_id: string
  credential_id: string
}

export interface ActivationRow {
  id: string
  organization_id: string
  environment_id: string
  deployment_id: string
  previous_deployment_id: string | null
  generation: number
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
}

/** An Apply: the request, the planned changes, and what it has created so far. */
export interface ApplyRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  /** JSON: the request without the manifest. */
  request: string
  /** JSON, as the API shows it. */
  plan: string
  release_id: string | null
  deployment_id: string | null
  activation_id: string | null
  state: string
  version: number
  machine_version: string
  context: string
  created_by_type: 'user' | 'apiKey'
  created_by_id: string
  created_at: number
  updated_at: number
}

/** The manifest of an Apply that has not ended; sealed because it may contain values of variables. */
interface ApplyManifestRow {
  apply_id: string
  sealed: string
}

/** A resource created by an Apply, which another Apply may prune. */
interface AppliedResourceRow {
  resource_id: string
  project_id: string
}

/** One event of an Environment's history. */
export interface EnvironmentEventRow {
  environment_id: string
  sequence: number
  id: string
  type: string
  /** JSON: the Event as it is shown and delivered. */
  body: string
  at: number
  /** The span of the event's subject; null without a trace. */
  trace: string | null
}

interface EnvironmentSequenceRow {
  environment_id: string
  sequence: number
  /** When the number was assigned; never earlier than that of its predecessor. */
  at: number
}

export interface DeliveryTables {
  deployments: DeploymentRow
  deployment_bundles: DeploymentBundleRow
  deployment_credentials: DeploymentCredentialRow
  activations: ActivationRow
  applies: ApplyRow
  apply_manifests: ApplyManifestRow
  applied_resources: AppliedResourceRow
  environment_events: EnvironmentEventRow
  environment_sequences: EnvironmentSequenceRow
}
