/** Integrations and the versions of their clients. Source: requirement 4.8; contract 4, `Integration`. */
import { rowsOf } from '../rows.ts'
import { query } from '../statement.ts'

const integrations = rowsOf('integrations', 'id')
const integrationVersions = rowsOf('integration_versions', 'id')

/** The path of an integration. */
interface IntegrationKey {
  organizationId: string
  id: string
}

export const insertIntegration = integrations.insert()

export const updateIntegration = integrations.move('client_id', 'current_version_id', 'current_version')

/** Any integration, for the runtime; requests also filter by organization. */
export const getIntegration = integrations.find()

/** The organization's integration with this id; undefined if it does not exist or belongs to another organization. */
export const findIntegration = integrations.find('id', 'organization_id')

/** The organization's integration for a preset. */
export const findIntegrationOfPreset = integrations.find('organization_id', 'preset_key')

/** All integrations of an organization, newest first: at most one per preset. */
export const listIntegrations = query((db, values: { organizationId: string }) =>
  db.selectFrom('integrations').selectAll().where('organization_id', '=', values.organizationId).orderBy('id', 'desc'),
)

export const insertIntegrationVersion = integrationVersions.insert()

/** An exact version, whatever the integration's status; undefined once the integration is deleted. */
export const findIntegrationVersion = query((db, values: IntegrationKey & { version: number }) =>
  db
    .selectFrom('integrations')
    .innerJoin('integration_versions as pinned', 'pinned.integration_id', 'integrations.id')
    .select(['pinned.id', 'pinned.number', 'pinned.client_id', 'pinned.sealed', 'integrations.preset_key'])
    .where('integrations.id', '=', values.id)
    .where('integrations.organization_id', '=', values.organizationId)
    .where('pinned.number', '=', values.version),
)

/** Deletes an integration with all of its versions and their secrets. */
export const deleteIntegration = integrations.removeOne('id', 'organization_id')
