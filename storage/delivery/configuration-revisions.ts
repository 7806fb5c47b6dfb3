/** Configuration Revisions: immutable copies of an Environment's configuration. Source: requirement 1; contract 3. */
import { type RawBuilder, sql } from 'kysely'
import { rowsAsJson } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { unmarked } from '../runtime/marked.ts'
import { query, write } from '../statement.ts'

const configurationRevisions = rowsOf('configuration_revisions', 'id')

export const insertConfigurationRevision = configurationRevisions.insert()

export const findConfigurationRevision = configurationRevisions.find('id', 'environment_id', 'organization_id')

/** Newest first, below this number. */
export const listConfigurationRevisions = configurationRevisions.newest('number', 'environment_id', 'organization_id')

/** The configuration of an Environment at one moment. Each part is a JSON array of arrays. */
export interface ConfigurationText {
  /** `[id, name, version, agentId, bindingKey, status]` */
  variables: string
  /** `[id, currentVersionId, agentId, bindingKey, credentialId, credentialVersion, name, status]` */
  connections: string
  /** `[settingId, agentId, provider, model, settings, credentialId, credentialVersion]` */
  settings: string
}

type Part = (environmentId: string) => RawBuilder<string>

const c = (name: string) => sql.ref(name)

const variables: Part = (environmentId) => sql<string>`(
  select ${rowsAsJson([c('id'), c('name'), c('version'), c('agent_id'), c('binding_key'), c('status')], c('id'))}
  from variables where environment_id = ${environmentId} and ${unmarked('variables')})`

// A null version stands for the current one, which is resolved here.
const version = (of: string) => sql`coalesce(${c(`${of}.provider_credential_version`)}, ${c('p.current_version')})`

const connections: Part = (environmentId) => sql<string>`(
  select ${rowsAsJson(
    [
      c('n.id'),
      c('n.current_version_id'),
      c('n.agent_id'),
      c('n.binding_key'),
      c('v.provider_credential_id'),
      version('v'),
      c('n.name'),
      c('n.status'),
    ],
    c('n.id'),
  )}
  from connections n
  join connection_versions v on v.id = n.current_version_id
  left join provider_credentials p on p.id = v.provider_credential_id
  where n.environment_id = ${environmentId} and ${unmarked('n')})`

const settings: Part = (environmentId) => sql<string>`(
  select ${rowsAsJson(
    [
      c('s.setting_id'),
      c('s.agent_id'),
      c('s.provider'),
      c('s.model'),
      c('s.settings'),
      c('s.provider_credential_id'),
      version('s'),
    ],
    c('s.setting_id'),
  )}
  from provider_settings s
  left join provider_credentials p on p.id = s.provider_credential_id
  where s.environment_id = ${environmentId})`

/** Reads the whole configuration in one statement, so that it is consistent. */
export const readConfiguration = query((db, values: { organizationId: string; environmentId: string }) =>
  db
    .selectFrom('environments')
    .select([
      variables(values.environmentId).as('variables'),
      connections(values.environmentId).as('connections'),
      settings(values.environmentId).as('settings'),
    ])
    .where('id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId),
)

/** Fails the unit of work with `StaleWrite` if any field of the configuration has changed since it was read. */
export const configurationUnchanged = write(
  (db, values: ConfigurationText & { environmentId: string }) =>
    db
      .updateTable('environments')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.environmentId)
      .where(sql<boolean>`${variables(values.environmentId)} = ${values.variables}`)
      .where(sql<boolean>`${connections(values.environmentId)} = ${values.connections}`)
      .where(sql<boolean>`${settings(values.environmentId)} = ${values.settings}`),
  1,
)
