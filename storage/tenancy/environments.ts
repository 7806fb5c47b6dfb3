/** Environments. The row is the actor's: every change increases `version`. Source: requirement 2; contract 2. */
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'
import type { EnvironmentRow } from '../tables.ts'

const environments = rowsOf('environments', 'id')

export const insertEnvironment = environments.insert()

export const updateEnvironment = environments.move(
  'generation',
  'head_revision_id',
  'head_number',
  'active_deployment_id',
)

/** Any Environment, for the runtime; requests also filter by organization. */
export const getEnvironment = environments.find()

/** The Environment at this path; undefined if it does not exist or belongs elsewhere. */
export const findEnvironment = environments.find('id', 'project_id', 'organization_id')

/** The Project of an Environment in the organization. */
export const findPlaceOfEnvironment = query((db, values: { id: string; organizationId: string }) =>
  db
    .selectFrom('environments')
    .select(['project_id', 'id as environment_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Development, Preview, Production: the alphabetical order of the kinds is the usual order. */
export const listEnvironments = query(
  (db, values: { organizationId: string; projectId: string; after: EnvironmentRow['kind'] | ''; limit: number }) =>
    db
      .selectFrom('environments')
      .selectAll()
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('kind', '>', values.after as EnvironmentRow['kind'])
      .orderBy('kind')
      .limit(values.limit),
)
