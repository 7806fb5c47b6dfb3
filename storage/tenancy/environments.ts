/** Environments. The row is the actor's: every change of it grows `version`. Source: requirement 2; contract 2. */
import { query, write } from '../statement.ts'
import type { EnvironmentRow } from '../tables.ts'

export const insertEnvironment = write((db, row: EnvironmentRow) => db.insertInto('environments').values(row))

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface EnvironmentUpdate
  extends Pick<
    EnvironmentRow,
    | 'id'
    | 'state'
    | 'version'
    | 'machine_version'
    | 'context'
    | 'generation'
    | 'head_revision_id'
    | 'head_number'
    | 'active_deployment_id'
    | 'updated_at'
  > {
  from: number
}

export const updateEnvironment = write(
  (db, row: EnvironmentUpdate) =>
    db
      .updateTable('environments')
      .set({
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        generation: row.generation,
        head_revision_id: row.head_revision_id,
        head_number: row.head_number,
        active_deployment_id: row.active_deployment_id,
        updated_at: row.updated_at,
      })
      .where('id', '=', row.id)
      .where('version', '=', row.from),
  1,
)

/** Any Environment, for the runtime; a request looks it up with its organization. */
export const getEnvironment = query((db, values: { id: string }) =>
  db.selectFrom('environments').selectAll().where('id', '=', values.id),
)

/** The Environment at this path, or undefined: absent and foreign look the same. */
export const findEnvironment = query((db, values: { organizationId: string; projectId: string; id: string }) =>
  db
    .selectFrom('environments')
    .selectAll()
    .where('id', '=', values.id)
    .where('project_id', '=', values.projectId)
    .where('organization_id', '=', values.organizationId),
)

/** Which Project an Environment of the organization belongs to. */
export const findProjectOfEnvironment = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('environments')
    .select('project_id')
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
