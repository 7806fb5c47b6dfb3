/** API keys. Source: requirement 5; contract 1, "API key". */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isNull } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { ApiKeyRow, Tables } from '../tables.ts'

const apiKeys = rowsOf('api_keys', 'id')

export const insertApiKey = apiKeys.insert()

/** Keys with the current role of their creators; none whose creator is no longer a member of the organization. */
const keysOfMembers = (db: Kysely<Tables>) =>
  db
    .selectFrom('api_keys')
    .innerJoin('memberships', (join) =>
      join
        .onRef('memberships.organization_id', '=', 'api_keys.organization_id')
        .onRef('memberships.user_id', '=', 'api_keys.created_by'),
    )
    .innerJoin('organizations', 'organizations.id', 'api_keys.organization_id')
    .select([
      'api_keys.id',
      'api_keys.organization_id',
      'api_keys.operations',
      'api_keys.project_id',
      'api_keys.environment_id',
      'api_keys.agent_id',
      'api_keys.created_by',
      'api_keys.status',
      'api_keys.expires_at',
      'api_keys.last_used_at',
      'memberships.role',
      'organizations.slug',
      'organizations.status as organization_status',
    ])

/**
 * The key with this hash (SHA-256, hexadecimal), with the current role of its creator; no row if there is no such key
 * or its creator is no longer a member.
 */
export const findApiKey = query((db, values: { secretHash: string }) =>
  keysOfMembers(db).where('api_keys.secret_hash', '=', values.secretHash),
)
export type FoundKey = NonNullable<ReturnType<typeof findApiKey>['row']>

/** The same, by the key's id. */
export const findApiKeyById = query((db, values: { id: string }) =>
  keysOfMembers(db).where('api_keys.id', '=', values.id),
)

/** Status and expiry of the key with this hash, whether or not its creator is still a member. */
export const apiKeyStatus = apiKeys.only('status', 'expires_at').find('secret_hash')

/** Records a use at `at`, unless one after `unlessAfter` is already recorded. */
export const noteApiKeyUse = write((db, values: { id: string; at: number; unlessAfter: number }) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: values.at })
    .where('id', '=', values.id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', values.unlessAfter)])),
)

const shownColumns = [
  'id',
  'name',
  'prefix',
  'operations',
  'project_id',
  'environment_id',
  'agent_id',
  'created_by',
  'status',
  'expires_at',
  'last_used_at',
  'created_at',
  'replaced_by',
] as const satisfies readonly (keyof ApiKeyRow)[]

/** The columns of a key that clients may see. */
export type ShownKeyRow = Pick<ApiKeyRow, (typeof shownColumns)[number]>
const shownKeys = apiKeys.only(...shownColumns)

/** The organization's key with this id; undefined if it does not exist or belongs to another organization. */
export const findShownKey = shownKeys.find('id', 'organization_id')

/** Newest first, ids below `before`. */
export const listShownKeys = shownKeys.newest('id', 'organization_id')

const usableKeys = (db: Kysely<Tables>, organizationId: string, now: number) =>
  db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    // A literal: a partial index serves a query only if the text implies the index's condition.
    .where('status', '=', sql.lit('active' as const))
    .where('expires_at', '>', now)

/** Number of the organization's keys that are neither revoked nor expired at `now`. */
export const countUsableKeys = query((db, values: { organizationId: string; now: number }) =>
  usableKeys(db, values.organizationId, values.now),
)

/** The key is not bound to a resource of this kind, or the resource exists and is not being deleted. */
const isThere = (boundTo: string | null, where: RawBuilder<unknown>) =>
  sql<boolean>`(${isNull(boundTo)} or exists (select 1 from ${where} and id = ${boundTo}))`

interface NewKey extends ApiKeyRow {
  /** The id of the key or session of the request; null: the request had none. */
  madeBy: string | null
  usableMax: number
}

/**
 * Whether the key was not revoked, or the session has not ended, nor ended for the organization of the membership, and
 * neither has expired at `now`.
 */
const isInForce = (credentialId: string | null, now: number) =>
  sql<boolean>`(${isNull(credentialId)}
    or exists (select 1 from api_keys where id = ${credentialId} and status = 'active' and expires_at > ${now})
    or exists (select 1 from sessions where id = ${credentialId} and expires_at > ${now}
      and created_at > coalesce(memberships.sessions_ended_at, -1)))`

/**
 * Inserts a key. `StaleWrite` unless its creator is a member of the organization, which is active, and the credential
 * of the request is still in force; the Project, Environment and Agent that it is bound to belong together and are not
 * being deleted; and the organization has fewer than `usableMax` usable keys.
 */
export const insertApiKeyInPlace = write(
  (db, { usableMax, madeBy, ...row }: NewKey) =>
    insertFrom(
      db,
      'api_keys',
      row,
      db
        .selectFrom('memberships')
        .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
        .where('memberships.organization_id', '=', row.organization_id)
        .where('memberships.user_id', '=', row.created_by)
        .where('organizations.status', '=', 'active')
        .where(isInForce(madeBy, row.created_at))
        .where(usableKeys(db, row.organization_id, row.created_at), '<', usableMax)
        .where(
          isThere(
            row.project_id,
            sql`projects where organization_id = ${row.organization_id} and status <> 'deleting'`,
          ),
        )
        .where(
          isThere(row.environment_id, sql`environments where project_id = ${row.project_id} and state <> 'deleting'`),
        )
        .where(isThere(row.agent_id, sql`agents where project_id = ${row.project_id} and status <> 'deleting'`)),
    ),
  1,
)

interface KeyChange {
  organizationId: string
  id: string
  name: string
  expiresAt: number
  wasName: string
  wasExpiresAt: number
  wasStatus: ApiKeyRow['status']
}

/** Sets the key's name and expiry; `StaleWrite` if it has changed since it was read. */
export const changeApiKey = write(
  (db, values: KeyChange) =>
    db
      .updateTable('api_keys')
      .set({ name: values.name, expires_at: values.expiresAt })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where('name', '=', values.wasName)
      .where('expires_at', '=', values.wasExpiresAt)
      .where('status', '=', values.wasStatus),
  1,
)

interface KeyRotation {
  organizationId: string
  id: string
  /** The id of the new key. */
  replacedBy: string
  status: ApiKeyRow['status']
  expiresAt: number
  wasName: string
  wasExpiresAt: number
}

/**
 * Records the key's replacement, and its new status and expiry. `StaleWrite` if it is not active, has been replaced
 * already or has changed since it was read.
 */
export const rotateApiKey = write(
  (db, values: KeyRotation) =>
    db
      .updateTable('api_keys')
      .set({ replaced_by: values.replacedBy, status: values.status, expires_at: values.expiresAt })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where('name', '=', values.wasName)
      .where('expires_at', '=', values.wasExpiresAt)
      .where('status', '=', 'active')
      .where('replaced_by', 'is', null),
  1,
)

/** Revokes the key, whatever its status. */
export const revokeApiKey = write(
  (db, values: { organizationId: string; id: string }) =>
    db
      .updateTable('api_keys')
      .set({ status: 'revoked' })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId),
  1,
)
