/** Integrations and the versions of their clients. Source: requirement 4.8; contract 4, `Integration`. */
import { query, write } from '../statement.ts'
import type { IntegrationRow, IntegrationVersionRow } from '../tables.ts'

/** An integration, named by its path. */
export interface IntegrationKey {
  organizationId: string
  id: string
}

export const insertIntegration = write((db, row: IntegrationRow) => db.insertInto('integrations').values(row))

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface IntegrationUpdate
  extends Pick<
    IntegrationRow,
    | 'id'
    | 'client_id'
    | 'current_version_id'
    | 'current_version'
    | 'state'
    | 'version'
    | 'machine_version'
    | 'context'
    | 'updated_at'
  > {
  from: number
}

export const updateIntegration = write(
  (db, row: IntegrationUpdate) =>
    db
      .updateTable('integrations')
      .set({
        client_id: row.client_id,
        current_version_id: row.current_version_id,
        current_version: row.current_version,
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        updated_at: row.updated_at,
      })
      .where('id', '=', row.id)
      .where('version', '=', row.from),
  1,
)

/** Any integration, for the runtime; a request looks it up with its organization. */
export const getIntegration = query((db, values: { id: string }) =>
  db.selectFrom('integrations').selectAll().where('id', '=', values.id),
)

/** The integration if it is the organization's: absent and foreign look the same. */
export const findIntegration = query((db, values: IntegrationKey) =>
  db
    .selectFrom('integrations')
    .selectAll()
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** What the organization has registered for a preset. */
export const findIntegrationOfPreset = query((db, values: { organizationId: string; presetKey: string }) =>
  db
    .selectFrom('integrations')
    .selectAll()
    .where('organization_id', '=', values.organizationId)
    .where('preset_key', '=', values.presetKey),
)

/** All of an organization, newest first: at most one for each preset. */
export const listIntegrations = query((db, values: { organizationId: string }) =>
  db.selectFrom('integrations').selectAll().where('organization_id', '=', values.organizationId).orderBy('id', 'desc'),
)

export const insertIntegrationVersion = write((db, row: IntegrationVersionRow) =>
  db.insertInto('integration_versions').values(row),
)

/** An exact version, whatever has become of the integration since; undefined once that is deleted. */
export const findIntegrationVersion = query((db, values: IntegrationKey & { version: number }) =>
  db
    .selectFrom('integrations')
    .innerJoin('integration_versions as pinned', 'pinned.integration_id', 'integrations.id')
    .select(['pinned.id', 'pinned.number', 'pinned.client_id', 'pinned.sealed', 'integrations.preset_key'])
    .where('integrations.id', '=', values.id)
    .where('integrations.organization_id', '=', values.organizationId)
    .where('pinned.number', '=', values.version),
)

/** With all of its versions, and the secrets in them. */
export const deleteIntegration = write(
  (db, values: IntegrationKey) =>
    db.deleteFrom('integrations').where('id', '=', values.id).where('organization_id', '=', values.organizationId),
  1,
)
