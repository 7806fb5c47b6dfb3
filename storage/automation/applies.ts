/** Applies, their manifests, and the resources that they created. Source: contract 10, "Apply". */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'

const applies = rowsOf('applies', 'id')
const manifests = rowsOf('apply_manifests', 'apply_id')
const appliedResources = rowsOf('applied_resources', 'resource_id')

/** `UniqueViolation` while another Apply of the Environment is in progress. */
export const insertApply = applies.insert()
export const updateApply = applies.move()

/** Any Apply, for the runtime. */
export const getApply = applies.find()

/** The organization's Apply with this id; undefined if it does not exist or belongs to another organization. */
export const findApply = applies.find('id', 'organization_id')

/** The Project and Environment of an Apply in the organization. */
export const findPlaceOfApply = applies.only('project_id', 'environment_id').find('id', 'organization_id')

/** Newest first, ids below `before`. */
export const listAppliesOfEnvironment = applies.newest('id', 'environment_id', 'organization_id')
export const listAppliesOfProject = applies.newest('id', 'project_id', 'organization_id')
export const listAppliesOfOrganization = applies.newest('id', 'organization_id')

/** Applies that wait for the Deployment that they created, in the order of Deployment ids after this one. */
export const listDeployingApplies = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('applies')
    .select(['id', 'deployment_id'])
    .where(sql<boolean>`state = 'deploying'`)
    .where('deployment_id', '>', values.after)
    .orderBy('deployment_id')
    .limit(values.limit),
)

/** The Apply that waits for this Deployment. */
export const findApplyDeploying = query((db, values: { deploymentId: string }) =>
  db
    .selectFrom('applies')
    .select('id')
    .where('deployment_id', '=', values.deploymentId)
    .where(sql<boolean>`state = 'deploying'`),
)

/** The requests of an Environment's Applies, with their Deployments; newest first, ids below `before`. */
export const listRequestsOfEnvironment = applies
  .only('id', 'request', 'deployment_id')
  .newest('id', 'environment_id', 'organization_id')

/** The last successful Apply of the Environment. */
export const findLastApplied = query((db, values: { environmentId: string }) =>
  db
    .selectFrom('applies')
    .select(['release_id', 'deployment_id'])
    .where('environment_id', '=', values.environmentId)
    .where(sql<boolean>`state = 'applied'`)
    .where('deployment_id', 'is not', null)
    .orderBy('id', 'desc')
    .limit(1),
)

/** The resources that an Apply may create; each is a column of its row. */
const noting = (column: 'release_id' | 'deployment_id' | 'activation_id') =>
  write(
    (db, values: { id: string; made: string }) =>
      db
        .updateTable('applies')
        .set({ [column]: values.made })
        .where('id', '=', values.id)
        .where(({ eb, or }) => or([eb(column, 'is', null), eb(column, '=', values.made)])),
    1,
  )
/**
 * Records the resource that the Apply created, in the unit of work that creates it. `StaleWrite` if another server has
 * created one.
 */
export const noteRelease = noting('release_id')
export const noteDeployment = noting('deployment_id')
export const noteActivation = noting('activation_id')

/**
 * Fails the unit of work with `StaleWrite` if the Apply has left the state: a paused server may still do the work of a
 * state that another server has done meanwhile.
 */
export const assertApplyIn = write(
  (db, values: { id: string; state: string }) =>
    db
      .updateTable('applies')
      .set({ updated_at: sql<number>`updated_at` })
      .where('id', '=', values.id)
      .where('state', '=', values.state),
  1,
)

interface Noted {
  id: string
  releaseId: string | null
  deploymentId: string | null
  activationId: string | null
}

/** Fails the unit of work with `StaleWrite` if another server has created a resource of the Apply. */
export const assertNoted = write(
  (db, values: Noted) =>
    db
      .updateTable('applies')
      .set({ updated_at: sql<number>`updated_at` })
      .where('id', '=', values.id)
      .where(sql<boolean>`release_id is not distinct from ${values.releaseId}`)
      .where(sql<boolean>`deployment_id is not distinct from ${values.deploymentId}`)
      .where(sql<boolean>`activation_id is not distinct from ${values.activationId}`),
  1,
)

export const insertManifest = manifests.insert()
export const findManifest = manifests.find()
export const removeManifest = manifests.remove()

/** Records that an Apply created the resource. */
export const insertAppliedResource = appliedResources.insertOrKeep()

/** The Project's resources that were created by Applies, by id, after this one. */
export const listAppliedResources = query((db, values: { projectId: string; after: string; limit: number }) =>
  db
    .selectFrom('applied_resources')
    .select('resource_id')
    .where('project_id', '=', values.projectId)
    .where('resource_id', '>', values.after)
    .orderBy('resource_id')
    .limit(values.limit),
)
export const removeAppliedResource = appliedResources.remove()
