/** Look-ups in an organization's tree for the access guard: by id, within the parent. */
import type { Kysely } from 'kysely'
import { query } from '../statement.ts'
import type { EnvironmentRow, Tables } from '../tables.ts'

export const findProjectStatus = query((db, values: { organizationId: string; projectId: string }) =>
  db
    .selectFrom('projects')
    .select('status')
    .where('id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

export const findOrganizationOfProject = query((db, values: { projectId: string }) =>
  db.selectFrom('projects').select('organization_id').where('id', '=', values.projectId),
)

export const findEnvironmentState = query((db, values: { projectId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .select('state')
    .where('id', '=', values.environmentId)
    .where('project_id', '=', values.projectId),
)

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

export const findAgentStatus = query((db, values: { projectId: string; agentId: string }) =>
  db.selectFrom('agents').select('status').where('id', '=', values.agentId).where('project_id', '=', values.projectId),
)

/** The Project of an Agent in the organization, unless the Agent is being deleted. */
export const findProjectOfAgent = query((db, values: { organizationId: string; agentId: string }) =>
  db
    .selectFrom('agents')
    .select('project_id')
    .where('id', '=', values.agentId)
    .where('organization_id', '=', values.organizationId)
    .where('status', '<>', 'deleting'),
)

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
