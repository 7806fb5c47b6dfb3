/** Deployments, Activations and the history of an Environment. Rows as Kysely knows them: the migrations say the rest. */
export interface DeploymentRow {
  id: string
  organization_id: string
  project_id: string
  environment_id: string
  release_id: string
  configuration_revision_id: string
  /** Of which credentials it takes which version. */
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

/** Everything that a run needs of its Deployment. */
export interface DeploymentBundleRow {
  deployment_id: string
  /** JSON. */
  bundle: string
  digest: string
  created_at: number
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

/** One event of an Environment's history. */
export interface EnvironmentEventRow {
  environment_id: string
  sequence: number
  id: string
  type: string
  /** JSON: the Event as it is shown and delivered. */
  body: string
  at: number
}

export interface EnvironmentSequenceRow {
  environment_id: string
  sequence: number
  /** When it was taken; never before the one taken before. */
  at: number
}

export interface DeliveryTables {
  deployments: DeploymentRow
  deployment_bundles: DeploymentBundleRow
  activations: ActivationRow
  environment_events: EnvironmentEventRow
  environment_sequences: EnvironmentSequenceRow
}
