/** Deployments and their bundles. The row is the actor's: every change of it grows `version`. Source: contract 3. */
import { query, write } from './statement.ts'
import type { DeploymentBundleRow, DeploymentRow } from './tables.ts'

/** Only into an active Environment of a Project that is not paused; else `StaleWrite`. */
export const insertDeployment = write(
  (db, row: DeploymentRow) =>
    db
      .insertInto('deployments')
      .columns([
        'id',
        'organization_id',
        'project_id',
        'environment_id',
        'release_id',
        'configuration_revision_id',
        'state',
        'version',
        'machine_version',
        'context',
        'digest',
        'created_by_type',
        'created_by_id',
        'created_at',
        'updated_at',
        'ready_at',
      ])
      .expression(
        db
          .selectFrom('environments')
          .innerJoin('projects', 'projects.id', 'environments.project_id')
          .select(({ val }) => [
            val(row.id).as('id'),
            'environments.organization_id',
            'environments.project_id',
            'environments.id as environment_id',
            val(row.release_id).as('release_id'),
            val(row.configuration_revision_id).as('configuration_revision_id'),
            val(row.state).as('state'),
            val(row.version).as('version'),
            val(row.machine_version).as('machine_version'),
            val(row.context).as('context'),
            val(row.digest).as('digest'),
            val(row.created_by_type).as('created_by_type'),
            val(row.created_by_id).as('created_by_id'),
            val(row.created_at).as('created_at'),
            val(row.updated_at).as('updated_at'),
            val(row.ready_at).as('ready_at'),
          ])
          .where('environments.id', '=', row.environment_id)
          .where('environments.organization_id', '=', row.organization_id)
          .where('environments.state', '=', 'active')
          .where('projects.status', '=', 'active'),
      ),
  1,
)

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface DeploymentUpdate
  extends Pick<
    DeploymentRow,
    'id' | 'state' | 'version' | 'machine_version' | 'context' | 'digest' | 'ready_at' | 'updated_at'
  > {
  from: number
}

export const updateDeployment = write(
  (db, row: DeploymentUpdate) =>
    db
      .updateTable('deployments')
      .set({
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        digest: row.digest,
        ready_at: row.ready_at,
        updated_at: row.updated_at,
      })
      .where('id', '=', row.id)
      .where('version', '=', row.from),
  1,
)

/** Any Deployment, for the runtime; a request looks it up with its organization. */
export const getDeployment = query((db, values: { id: string }) =>
  db.selectFrom('deployments').selectAll().where('id', '=', values.id),
)

/** The Deployment at this path, or undefined: absent and foreign look the same. */
export const findDeployment = query((db, values: { organizationId: string; environmentId: string; id: string }) =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where('id', '=', values.id)
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId),
)

/** Where a Deployment of the organization lives. */
export const findPlaceOfDeployment = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('deployments')
    .select(['project_id', 'environment_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Newest first, from below this id. */
export const listDeployments = query(
  (db, values: { organizationId: string; environmentId: string; before: string; limit: number }) =>
    db
      .selectFrom('deployments')
      .selectAll()
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.before)
      .orderBy('id', 'desc')
      .limit(values.limit),
)

export const insertDeploymentBundle = write((db, row: DeploymentBundleRow) =>
  db.insertInto('deployment_bundles').values(row),
)

/** The bundle of any Deployment; whether the caller may use it is settled before. */
export const getDeploymentBundle = query((db, values: { deploymentId: string }) =>
  db.selectFrom('deployment_bundles').selectAll().where('deployment_id', '=', values.deploymentId),
)

/** An Agent, where it may be part of what serves. */
interface AgentPlace {
  organizationId: string
  projectId: string
  agentId: string
}

/** The active Deployments of the Project whose Release pins the Agent. */
export const listActiveDeploymentsOfAgent = query((db, values: AgentPlace & { limit: number }) =>
  db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.active_deployment_id')
    .innerJoin('release_pins', 'release_pins.release_id', 'deployments.release_id')
    .select('deployments.id')
    .where('environments.project_id', '=', values.projectId)
    .where('environments.organization_id', '=', values.organizationId)
    .where('release_pins.resource_id', '=', values.agentId)
    .limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` when an active Deployment pins the Agent, or when the Agent is not there. */
export const agentWithoutActiveDeployment = write(
  (db, values: AgentPlace) =>
    db
      .updateTable('agents')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('environments')
              .innerJoin('deployments', 'deployments.id', 'environments.active_deployment_id')
              .innerJoin('release_pins', 'release_pins.release_id', 'deployments.release_id')
              .select('deployments.id')
              .where('environments.project_id', '=', values.projectId)
              .where('release_pins.resource_id', '=', values.agentId),
          ),
        ),
      ),
  1,
)
