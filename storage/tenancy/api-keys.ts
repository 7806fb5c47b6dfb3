/** API keys. Source: requirement 5; contract 1, "API key". */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isNull } from '../by-engine.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { ApiKeyRow, Tables } from '../tables.ts'

const apiKeys = rowsOf('api_keys', 'id')

export const insertApiKey = apiKeys.insert()

/** Keys, and what their creators are in the organization today; none of those who are no members any more. */
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
 * The key with this hash (SHA-256, hexadecimal) and what its creator is in the organization today; no row when there is
 * no such key, and none when its creator is no member any more.
 */
export const findApiKey = query((db, values: { secretHash: string }) =>
  keysOfMembers(db).where('api_keys.secret_hash', '=', values.secretHash),
)
export type FoundKey = NonNullable<ReturnType<typeof findApiKey>['row']>

/** The same by the key's id. */
export const findApiKeyById = query((db, values: { id: string }) =>
  keysOfMembers(db).where('api_keys.id', '=', values.id),
)

/** Whether the key with this hash can be used, regardless of its creator. */
export const apiKeyStatus = apiKeys.only('status', 'expires_at').find('secret_hash')

/** Notes that the key was used at `at`, unless a use after `unlessAfter` is noted already. */
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

/** What may be shown of a key. */
export type ShownKeyRow = Pick<ApiKeyRow, (typeof shownColumns)[number]>

/** The key if it is the organization's: absent and foreign look the same. */
export const findShownKey = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('api_keys')
    .select(shownColumns)
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** Newest first, from before an id. */
export const listShownKeys = query((db, values: { organizationId: string; before: string; limit: number }) =>
  db
    .selectFrom('api_keys')
    .select(shownColumns)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .orderBy('id', 'desc')
    .limit(values.limit),
)

const usableKeys = (db: Kysely<Tables>, organizationId: string, now: number) =>
  db
    .selectFrom('api_keys')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    // as it is written in the index of active keys
    .where('status', '=', sql.lit('active' as const))
    .where('expires_at', '>', now)

/** How many keys of the organization are neither revoked nor expired at `now`. */
export const countUsableKeys = query((db, values: { organizationId: string; now: number }) =>
  usableKeys(db, values.organizationId, values.now),
)

/** The key is bound to nothing of this sort, or to what is there to stay. */
const isThere = (boundTo: string | null, where: RawBuilder<unknown>) =>
  sql<boolean>`(${isNull(boundTo)} or exists (select 1 from ${where} and id = ${boundTo}))`

/**
 * Adds a key, when at that moment its creator belongs to the organization, what it is bound to is there, together and to
 * stay, and fewer than `usableMax` keys of the organization can be used. Fails with `StaleWrite` otherwise.
 */
export const insertApiKeyInPlace = write(
  (db, { usableMax, ...row }: ApiKeyRow & { usableMax: number }) =>
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

/** Renames the key and sets its end, if it is still as it was found. */
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
  /** The new key. */
  replacedBy: string
  status: ApiKeyRow['status']
  expiresAt: number
  wasName: string
  wasExpiresAt: number
}

/** Notes what replaces the key, and ends it, if it is active, was never replaced, and is still as it was found. */
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
