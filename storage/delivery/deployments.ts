/** Deployments and their bundles. The row is the actor's: every change of it grows `version`. Source: contract 3. */
import { query, write } from '../statement.ts'
import type { Store } from '../store.ts'
import type { DeploymentBundleRow, DeploymentRow } from '../tables.ts'

const columns = [
  'id',
  'organization_id',
  'project_id',
  'environment_id',
  'release_id',
  'configuration_revision_id',
  'credentials',
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
] as const

/** Only into an active Environment of a Project that is not paused; else `StaleWrite`. */
export const insertDeployment = write(
  (db, row: DeploymentRow) =>
    db
      .insertInto('deployments')
      .columns(columns)
      .expression(
        db
          .selectFrom('environments')
          .innerJoin('projects', 'projects.id', 'environments.project_id')
          .select(({ val }) => columns.map((column) => val(row[column]).as(column)))
          .where('environments.id', '=', row.environment_id)
          .where('environments.organization_id', '=', row.organization_id)
          .where('environments.state', '=', 'active')
          .where('projects.id', '=', row.project_id)
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

/**
 * What the active Deployments of the Project pin of an Agent or a Definition. A Project has few Environments: they are
 * looked at first.
 */
export const activePins = (db: Store['db'], { projectId, resourceId }: { projectId: string; resourceId: string }) =>
  db
    .selectFrom('environments')
    .innerJoin('deployments', 'deployments.id', 'environments.active_deployment_id')
    .innerJoin('release_pins', 'release_pins.release_id', 'deployments.release_id')
    .select('deployments.id')
    .where('environments.project_id', '=', projectId)
    .where('release_pins.resource_id', '=', resourceId)

/** The active Deployments of the Project whose Release pins the Agent. */
export const listActiveDeploymentsOfAgent = query((db, values: AgentPlace & { limit: number }) =>
  activePins(db, { projectId: values.projectId, resourceId: values.agentId })
    .where('environments.organization_id', '=', values.organizationId)
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
      .where(({ not, exists }) =>
        not(exists(activePins(db, { projectId: values.projectId, resourceId: values.agentId }))),
      ),
  1,
)
