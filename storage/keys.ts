/** API keys. Source: requirement 5; contract 1, "API key". */
import { query, write } from './statement.ts'
import type { ApiKeyRow } from './tables.ts'

export const insertApiKey = write((db, row: ApiKeyRow) => db.insertInto('api_keys').values(row))

/**
 * The key with this hash (SHA-256, hexadecimal) and what its creator is in the organization today; no row when there is
 * no such key, and none when its creator is no member any more.
 */
export const findApiKey = query((db, values: { secretHash: string }) =>
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
    .where('api_keys.secret_hash', '=', values.secretHash),
)

/** Whether the key with this hash can be used, whoever made it. */
export const apiKeyStatus = query((db, values: { secretHash: string }) =>
  db.selectFrom('api_keys').select(['status', 'expires_at']).where('secret_hash', '=', values.secretHash),
)

/** Notes that the key was used at `at`, unless a use after `unlessAfter` is noted already. */
export const noteApiKeyUse = write((db, values: { id: string; at: number; unlessAfter: number }) =>
  db
    .updateTable('api_keys')
    .set({ last_used_at: values.at })
    .where('id', '=', values.id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', values.unlessAfter)])),
)
