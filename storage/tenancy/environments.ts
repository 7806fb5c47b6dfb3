/** Environments. The row is the actor's: every change of it grows `version`. Source: requirement 2; contract 2. */
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

/** Any Environment, for the runtime; a request looks it up with its organization. */
export const getEnvironment = environments.find()

/** The Environment at this path, or undefined: absent and foreign look the same. */
export const findEnvironment = environments.find('id', 'project_id', 'organization_id')

/** Where an Environment of the organization lives. */
export const findPlaceOfEnvironment = query((db, values: { id: string; organizationId: string }) =>
  db
    .selectFrom('environments')
    .select(['project_id', 'id as environment_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Development, Preview, Production: the order of the kinds' names is the order that people know. */
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
