/** Connections and their versions. Source: requirement 2, 4.3, 9.2; contract 4. */
import { sql } from 'kysely'
import { freeAccount } from '../accounts/oauth-grants.ts'
import { activeEnvironment } from '../active-parents.ts'
import { contains, elementsOf, isNull } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { markedAndUnbound, unmarked } from '../runtime/marked.ts'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { ConnectionRow, ConnectionVersionRow } from '../tables.ts'
import { isReferable } from './credential-references.ts'

const connections = rowsOf('connections', 'id').where(() => unmarked('connections'))

/** The path of a Connection. */
export interface ConnectionKey {
  organizationId: string
  environmentId: string
  id: string
}

/** Fields of the version's OAuth consent; null without consent. */
export interface ConsentOfVersion {
  preset_key: string | null
  /** JSON. */
  scopes: string | null
  account_id: string | null
  account_label: string | null
}

/** A Connection with its current version, for lists and look-ups. */
export interface CurrentConnection extends ConnectionRow, ConsentOfVersion {
  number: number
  version_created_at: number
  settings: string
  provider_credential_id: string | null
}

const isThere = (agentId: string | null, projectId: string) => sql<boolean>`(${isNull(agentId)} or exists (
  select 1 from agents where agents.id = ${agentId} and agents.project_id = ${projectId} and agents.status = 'active'))`

/**
 * `StaleWrite` if the Environment is being deleted or has `connectionsMax` Connections, or if the Agent is not an
 * active one of the Project.
 */
export const insertConnection = write(
  (db, { projectId, connectionsMax, ...row }: ConnectionRow & { projectId: string; connectionsMax: number }) =>
    insertFrom(
      db,
      'connections',
      row,
      activeEnvironment(db, row)
        .where('projects.id', '=', projectId)
        .where(isThere(row.agent_id, projectId))
        .where(connections.fewerThan(connectionsMax, 'environment_id', row.environment_id)),
    ),
  1,
)

const versionColumns = [
  'id',
  'organization_id',
  'connection_id',
  'number',
  'settings',
  'provider_credential_id',
  'provider_credential_version',
  'oauth_grant_id',
  'created_at',
] as const

/** A new version without its number. Null settings or consent are copied from the previous version. */
export type NewConnectionVersion = Omit<ConnectionVersionRow, 'number' | 'settings'> & { settings: string | null }

/**
 * Assigns the Connection's next number, so numbers have no gaps and no duplicates. `StaleWrite` if the organization has
 * no such credential or version of it (null: the current one).
 */
export const insertConnectionVersion = write(
  (db, row: NewConnectionVersion) =>
    db
      .insertInto('connection_versions')
      .columns(versionColumns)
      .expression(
        db
          .selectFrom('connections')
          .select(({ val }) => [
            val(row.id).as('id'),
            'connections.organization_id',
            'connections.id as connection_id',
            sql<number>`coalesce((select max(number) from connection_versions
              where connection_id = connections.id), 0) + 1`.as('number'),
            sql<string>`coalesce(${row.settings}, (select settings from connection_versions
              where connection_id = connections.id order by number desc limit 1))`.as('settings'),
            val(row.provider_credential_id).as('provider_credential_id'),
            val(row.provider_credential_version).as('provider_credential_version'),
            sql<string | null>`coalesce(${row.oauth_grant_id}, (select oauth_grant_id from connection_versions
              where connection_id = connections.id order by number desc limit 1))`.as('oauth_grant_id'),
            val(row.created_at).as('created_at'),
          ])
          .where('connections.id', '=', row.connection_id)
          .where('connections.organization_id', '=', row.organization_id)
          .where(unmarked('connections'))
          .where(isReferable(row.organization_id, row.provider_credential_id, row.provider_credential_version)),
      ),
  1,
)

/** The changes; null leaves a field unchanged. `setsBinding` says whether to set the binding, which may be null. */
interface ConnectionUpdate extends ConnectionKey {
  projectId: string
  name: string | null
  /** A status set by a client has no reason. */
  status: 'active' | 'disabled' | null
  setsBinding: 0 | 1
  agentId: string | null
  bindingKey: string | null
  /** The new version, and the one that it was derived from. */
  currentVersionId: string | null
  previousVersionId: string | null
  at: number
}

/** `StaleWrite` if another version came first, or if the Agent is not an active one of the Project. */
export const updateConnection = write(
  (db, values: ConnectionUpdate) =>
    db
      .updateTable('connections')
      .set({
        name: sql<string>`coalesce(${values.name}, name)`,
        status: sql<'active' | 'disabled'>`coalesce(${values.status}, status)`,
        status_reason: sql<string | null>`case when ${isNull(values.status)} then status_reason else null end`,
        agent_id: sql<string | null>`case when ${values.setsBinding} = 1 then ${values.agentId} else agent_id end`,
        binding_key: sql<
          string | null
        >`case when ${values.setsBinding} = 1 then ${values.bindingKey} else binding_key end`,
        current_version_id: sql<string>`coalesce(${values.currentVersionId}, current_version_id)`,
        updated_at: values.at,
      })
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where(unmarked('connections'))
      .where(sql<boolean>`current_version_id = coalesce(${values.previousVersionId}, current_version_id)`)
      .where(isThere(values.agentId, values.projectId)),
  1,
)

/** Whether a snapshot pins the Connection. Pins are JSON, so a text search for the id comes first. */
const isPinned = (id: string) => sql<boolean>`case when ${contains('snapshot.content', id)} then exists (
  select 1 from ${elementsOf('snapshot.content', 'connections', 'pin')}
  where pin.value ->> 'connectionId' = ${id}) else false end`

/** Configuration Revisions of the Environment, newest first, numbers below `before`: 1 for those that pin the Connection. */
export const listPinsOfConnection = query(
  (db, values: Pick<ConnectionKey, 'environmentId' | 'id'> & { before: number; limit: number }) =>
    db
      .selectFrom('configuration_revisions as snapshot')
      .select([
        'snapshot.id',
        'snapshot.number',
        sql<0 | 1>`case when ${isPinned(values.id)} then 1 else 0 end`.as('pins'),
      ])
      .where('snapshot.environment_id', '=', values.environmentId)
      .where('snapshot.number', '<', values.before)
      .orderBy('snapshot.number', 'desc')
      .limit(values.limit),
)

/**
 * Marks the Connection as deleted. `StaleWrite` if a Configuration Revision of the Environment pins it whose number is
 * above `seen`: there may be thousands, so the caller looks at the others before.
 */
const markUnpinned = write(
  (db, values: ConnectionKey & { seen: number }) =>
    db
      .updateTable('connections')
      .set(markedAndUnbound)
      .where(unmarked('connections'))
      .where('id', '=', values.id)
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('configuration_revisions as snapshot')
              .select('snapshot.number')
              .where('snapshot.environment_id', '=', values.environmentId)
              .where('snapshot.number', '>', values.seen)
              .where(isPinned(values.id)),
          ),
        ),
      ),
  1,
)

/** The same, with its account, which is free for another Connection. */
export const deleteConnection = (store: Pick<Store, 'db'>, values: ConnectionKey & { seen: number }): Write[] => [
  markUnpinned(store, values),
  freeAccount(store, { connectionId: values.id }),
]

/** Columns of the current version and its consent. */
const shown = [
  'current.number',
  'current.created_at as version_created_at',
  'current.settings',
  'current.provider_credential_id',
  'consent.preset_key',
  'consent.scopes',
  'consent.account_id',
  'consent.account_label',
] as const

/** The Connection at this path; undefined if it does not exist or belongs elsewhere. */
export const findConnection = query((db, values: ConnectionKey) =>
  db
    .selectFrom('connections')
    .innerJoin('connection_versions as current', 'current.id', 'connections.current_version_id')
    .leftJoin('oauth_grants as consent', 'consent.id', 'current.oauth_grant_id')
    .selectAll('connections')
    .select(shown)
    .where('connections.id', '=', values.id)
    .where('connections.environment_id', '=', values.environmentId)
    .where('connections.organization_id', '=', values.organizationId)
    .where(unmarked('connections')),
)

/** Connections of an Environment before an id, newest first; with `agentId`, only those bound to it or to none. */
export const listConnections = listByName(
  (
    db,
    values: Omit<ConnectionKey, 'id'> & Named & { agentId: string | null; beforeId: string; limit: number },
    isNamed,
  ) =>
    db
      .selectFrom('connections')
      .innerJoin('connection_versions as current', 'current.id', 'connections.current_version_id')
      .leftJoin('oauth_grants as consent', 'consent.id', 'current.oauth_grant_id')
      .selectAll('connections')
      .select(shown)
      .where('connections.environment_id', '=', values.environmentId)
      .where('connections.organization_id', '=', values.organizationId)
      .where('connections.id', '<', values.beforeId)
      .where(unmarked('connections'))
      .$if(isNamed, (list) => list.where('connections.name', '=', values.named as string))
      .where(sql<boolean>`(${isNull(values.agentId)} or connections.agent_id is null
        or connections.agent_id = ${values.agentId})`)
      .orderBy('connections.id', 'desc')
      .limit(values.limit),
)

/** Number of Connections of an Environment. */
export const countConnections = connections.count('environment_id')
