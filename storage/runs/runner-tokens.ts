/** The tokens with which runners register for a pool. */
import { type Kysely, sql } from 'kysely'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { RunnerTokenRow, Tables } from '../tables.ts'

const runnerTokens = rowsOf('runner_tokens', 'id')

const shownColumns = [
  'id',
  'pool_id',
  'prefix',
  'status',
  'expires_at',
  'last_used_at',
  'created_by',
  'created_at',
] as const satisfies readonly (keyof RunnerTokenRow)[]
/** The columns of a token that may be shown. */
export type ShownTokenRow = Pick<RunnerTokenRow, (typeof shownColumns)[number]>
const shownTokens = runnerTokens.only(...shownColumns)

const liveTokens = (db: Kysely<Tables>, poolId: string, now: number) =>
  db
    .selectFrom('runner_tokens')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('pool_id', '=', poolId)
    .where('status', '=', 'active')
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))

/** Inserts a token if the pool has fewer than `tokensMax` usable tokens; otherwise `StaleWrite`. */
export const insertRunnerToken = write(
  (db, { tokensMax, ...row }: RunnerTokenRow & { tokensMax: number }) =>
    insertFrom(
      db,
      'runner_tokens',
      row,
      db
        .selectFrom('runner_pools')
        .where('id', '=', row.pool_id)
        .where(liveTokens(db, row.pool_id, row.created_at), '<', tokensMax),
    ),
  1,
)

/** Tokens before an id, newest first. */
export const listRunnerTokens = shownTokens.newest('id', 'pool_id')

export const findRunnerToken = shownTokens.find('id', 'pool_id')

/** Makes a usable token expire at `expiresAt`, unless it expires earlier. `StaleWrite` if it is not usable. */
export const endRunnerToken = write(
  (db, values: { id: string; expiresAt: number; now: number }) =>
    db
      .updateTable('runner_tokens')
      .set({
        expires_at: sql<number>`case when expires_at is null or expires_at > ${values.expiresAt} then ${values.expiresAt} else expires_at end`,
      })
      .where('id', '=', values.id)
      .where('status', '=', 'active')
      .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', values.now)])),
  1,
)

/** Revokes the token, whatever its status. */
export const revokeRunnerToken = write(
  (db, values: { id: string }) =>
    db.updateTable('runner_tokens').set({ status: 'revoked' }).where('id', '=', values.id),
  1,
)

/** The tokens that a user has created for the pools of an organization, or for those of the deployment. */
interface TokensOfMember {
  organizationId: string
  userId: string
}
type Owner = 'organization' | 'deployment'

/** Pools of the deployment belong to the first organization. */
const poolsOf = (db: Kysely<Tables>, owner: Owner, organizationId: string) => {
  const pools = db.selectFrom('runner_pools').select('runner_pools.id')
  if (owner === 'organization') return pools.where('organization_id', '=', organizationId)
  return pools
    .where('organization_id', 'is', null)
    .where(({ exists, selectFrom }) =>
      exists(selectFrom('installation').select('id').where('first_organization_id', '=', organizationId)),
    )
}

const ofMember = (owner: Owner) => ({
  list: query((db, { organizationId, userId }: TokensOfMember) =>
    db
      .selectFrom('runner_tokens')
      .select('id')
      .where('pool_id', 'in', poolsOf(db, owner, organizationId))
      .where('created_by', '=', userId)
      .where('status', '=', 'active'),
  ),
  revoke: write((db, { organizationId, userId }: TokensOfMember) =>
    db
      .updateTable('runner_tokens')
      .set({ status: 'revoked' })
      .where('pool_id', 'in', poolsOf(db, owner, organizationId))
      .where('created_by', '=', userId)
      .where('status', '=', 'active'),
  ),
})
/** Lists and revokes the tokens of a member, by the owner of their pools. */
export const runnerTokensOfMember = { organization: ofMember('organization'), deployment: ofMember('deployment') }

/** The token with this hash, and the organization of its pool. */
export const findRegistration = query((db, values: { secretHash: string }) =>
  db
    .selectFrom('runner_tokens')
    .innerJoin('runner_pools', 'runner_pools.id', 'runner_tokens.pool_id')
    .select([
      'runner_tokens.id',
      'runner_tokens.pool_id',
      'runner_tokens.status',
      'runner_tokens.expires_at',
      'runner_tokens.last_used_at',
      'runner_pools.organization_id',
    ])
    .where('runner_tokens.secret_hash', '=', values.secretHash),
)

/** The status of the token; no row once its pool is deleted. */
export const runnerTokenStatus = runnerTokens.only('status').find()

/** Records that the token was used at `at`, unless a use after `unlessAfter` is already recorded. */
export const noteRunnerTokenUse = write((db, values: { id: string; at: number; unlessAfter: number }) =>
  db
    .updateTable('runner_tokens')
    .set({ last_used_at: values.at })
    .where('id', '=', values.id)
    .where(({ eb, or }) => or([eb('last_used_at', 'is', null), eb('last_used_at', '<=', values.unlessAfter)])),
)
