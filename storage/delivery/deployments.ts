/** Deployments and their bundles. The row is that of an actor: every change increases `version`. Source: contract 3. */
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write, writeTexts } from '../statement.ts'
import type { Store } from '../store.ts'
import type { DeploymentRow, Tables } from '../tables.ts'

const deployments = rowsOf('deployments', 'id')
const deploymentBundles = rowsOf('deployment_bundles', 'deployment_id')

/** `StaleWrite` unless the Environment and its Project are active. */
export const insertDeployment = write(
  (db, row: DeploymentRow) =>
    insertFrom(
      db,
      'deployments',
      row,
      db
        .selectFrom('environments')
        .innerJoin('projects', 'projects.id', 'environments.project_id')
        .where('environments.id', '=', row.environment_id)
        .where('environments.organization_id', '=', row.organization_id)
        .where('environments.state', '=', 'active')
        .where('projects.id', '=', row.project_id)
        .where('projects.status', '=', 'active'),
    ),
  1,
)

export const updateDeployment = deployments.move('digest', 'ready_at')

/** Any Deployment, for the runtime; requests use `findDeployment`, which checks the organization. */
export const getDeployment = deployments.find()

/** The Deployment at this path; undefined if it does not exist or belongs elsewhere. */
export const findDeployment = deployments.find('id', 'environment_id', 'organization_id')

/** The Project and the Environment of a Deployment of the organization. */
export const findPlaceOfDeployment = deployments.only('project_id', 'environment_id').find('id', 'organization_id')

/** Newest first, below this id. */
export const listDeployments = deployments.newest('id', 'environment_id', 'organization_id')

export const insertDeploymentBundle = writeTexts(
  (db, row: Tables['deployment_bundles']) => db.insertInto('deployment_bundles').values(row),
  ({ deployment_id }) => deployment_id,
)

/** Records that the Deployment uses the credential. */
export const insertDeploymentCredential = rowsOf('deployment_credentials', 'deployment_id').insert()

/** The organization of any Deployment. */
export const findOrganizationOfDeployment = deployments.only('organization_id').find()

/** The bundle of any Deployment; the caller has checked access. */
export const getDeploymentBundle = deploymentBundles.find()

/** An Agent of a Project. */
interface AgentPlace {
  organizationId: string
  projectId: string
  agentId: string
}

/**
 * Pins of an Agent or a Definition by the Project's active Deployments. A Project has few Environments, so the query
 * starts with them.
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

/** Fails the unit of work with `StaleWrite` if an active Deployment pins the Agent, or the Agent does not exist. */
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
