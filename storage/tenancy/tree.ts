/** Look-ups in an organization's tree for the access guard: by id, within the parent. */
import type { Kysely } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { EnvironmentRow, Tables } from '../tables.ts'

const projects = rowsOf('projects', 'id')
const environments = rowsOf('environments', 'id')
const agents = rowsOf('agents', 'id')

export const findProjectStatus = projects.only('status').find('id', 'organization_id')
export const findOrganizationOfProject = projects.only('organization_id').find()
export const findEnvironmentState = environments.only('state').find('id', 'project_id')
export const findAgentStatus = agents.only('status').find('id', 'project_id')

/**
 * The status of a Project and of an Environment in it; `environment` is null if the Project has no such Environment.
 */
export const findPlaceStatus = query(
  (db, values: { organizationId: string; projectId: string; environmentId: string }) =>
    db
      .selectFrom('projects')
      .leftJoin('environments', (join) =>
        join.onRef('environments.project_id', '=', 'projects.id').on('environments.id', '=', values.environmentId),
      )
      .select(['projects.status as project', 'environments.state as environment'])
      .where('projects.id', '=', values.projectId)
      .where('projects.organization_id', '=', values.organizationId),
)

/** The Project of an Agent in the organization, unless the Agent is being deleted. */
export const findProjectOfAgent = agents
  .where(({ eb }) => eb('status', '<>', 'deleting'))
  .only('project_id')
  .find('id', 'organization_id')

/** An Environment with its Project's slug, its kind and its active Deployment. */
export interface NamedEnvironment {
  project_id: string
  project_slug: string
  environment_id: string
  kind: EnvironmentRow['kind']
  active_deployment_id: string | null
}

const named = (db: Kysely<Tables>) =>
  db
    .selectFrom('projects')
    .innerJoin('environments', 'environments.project_id', 'projects.id')
    .select([
      'projects.id as project_id',
      'projects.slug as project_slug',
      'environments.id as environment_id',
      'environments.kind',
      'environments.active_deployment_id',
    ])
    .where('projects.status', '<>', 'deleting')

/** The Environment of this kind in the Project with this slug. */
export const findNamedEnvironment = query(
  (db, values: { organizationId: string; projectSlug: string; kind: EnvironmentRow['kind'] }) =>
    named(db)
      .where('projects.organization_id', '=', values.organizationId)
      .where('projects.slug', '=', values.projectSlug)
      .where('environments.kind', '=', values.kind),
)

/** The same, by id. */
export const getNamedEnvironment = query((db, values: { organizationId: string; environmentId: string }) =>
  named(db)
    .where('environments.id', '=', values.environmentId)
    .where('projects.organization_id', '=', values.organizationId),
)

/** The Environments with an active Deployment, by Project slug and kind. */
export const listServingEnvironments = query((db, values: { organizationId: string; limit: number }) =>
  named(db)
    .where('projects.organization_id', '=', values.organizationId)
    .where('environments.active_deployment_id', 'is not', null)
    .orderBy('projects.slug')
    .orderBy('environments.kind')
    .limit(values.limit),
)

/** The same of one Project. */
export const listServingEnvironmentsOf = query((db, values: { organizationId: string; projectId: string }) =>
  named(db)
    .where('projects.id', '=', values.projectId)
    .where('projects.organization_id', '=', values.organizationId)
    .where('environments.active_deployment_id', 'is not', null)
    .orderBy('environments.kind'),
)
