/**
 * Creates, rotates and revokes the tokens of runner pools. A token is deleted only with its pool. Source: contract 1,
 * 5.
 */

import { newId } from '../../../storage/ids.ts'
import { operatorTokenId } from '../../../storage/runs/first-runner-pool.ts'
import {
  endRunnerToken,
  findRunnerToken,
  insertRunnerToken,
  listRunnerTokens,
  revokeRunnerToken,
  type ShownTokenRow,
} from '../../../storage/runs/runner-tokens.ts'
import type { Write } from '../../../storage/store.ts'
import type { RunnerTokenRow } from '../../../storage/tables.ts'
import { ApiError, conflict, invalid, limitExceeded, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { hashSecret } from '../../platform/secrets/tokens.ts'
import { expiryOfNew } from '../../tenancy/api-keys/expiry.ts'
import { findPool } from './access.ts'
import type { RunnerPoolsParts } from './pools.ts'
import type { CreatedRunnerToken, NewRunnerToken, RunnerToken, RunnerTokenRotation } from './schema.ts'
import { runnerSecrets } from './secret.ts'

/** The maximum number of usable tokens per pool. */
const tokensMax = 20

type TokenPath = { poolId: string; tokenId: string }

const present = (row: ShownTokenRow): RunnerToken => ({
  id: row.id,
  poolId: row.pool_id,
  prefix: row.prefix,
  origin: row.id === operatorTokenId ? 'configuration' : 'api',
  status: row.status,
  expiresAt: timestampOrNull(row.expires_at),
  lastUsedAt: timestampOrNull(row.last_used_at),
  createdBy: row.created_by,
  createdAt: timestamp(row.created_at),
})

const isUsable = ({ status, expires_at }: ShownTokenRow, now: number) =>
  status === 'active' && (expires_at === null || expires_at > now)

export class RunnerPoolTokens {
  constructor(private readonly parts: Omit<RunnerPoolsParts, 'exclusiveness'>) {}

  /** Newest first. Throws `notFound`, `invalid_cursor` (422). */
  async list(caller: Caller, poolId: string, request: PageRequest) {
    const { store, cursors } = this.parts
    await findPool(store, caller, poolId)
    const { organizationId } = caller
    return readPage<ShownTokenRow, RunnerToken>(
      { cursors, scope: { list: `runner-tokens ${poolId}`, organizationId } },
      request,
      (last, limit) => store.all(listRunnerTokens(store, { poolId, before: belowId(last), limit })),
      ({ id }) => [id],
      present,
    )
  }

  /** Throws `notFound`, `limit_exceeded` and 422. */
  async create(
    caller: Caller,
    poolId: string,
    body: NewRunnerToken,
    record: RequestRecord,
  ): Promise<CreatedRunnerToken> {
    const check = () => findPool(this.parts.store, caller, poolId)
    return this.#add(caller, poolId, body, { also: [], check }, record)
  }

  /**
   * Creates a replacement; the rotated token remains valid for a while. Throws as `create` does, and 409 if the token
   * is not usable.
   */
  async rotate(
    caller: Caller,
    { poolId, tokenId }: TokenPath,
    { overlapSeconds = 3_600, expiresAt }: RunnerTokenRotation,
    record: RequestRecord,
  ): Promise<CreatedRunnerToken> {
    const { store, clock, revocations } = this.parts
    const now = clock.now()
    const check = async () => {
      const row = await this.find(caller, { poolId, tokenId })
      if (!isUsable(row, now)) throw conflict(row.status === 'revoked' ? 'revoked' : 'expired')
    }
    const also = [endRunnerToken(store, { id: tokenId, expiresAt: now + overlapSeconds * 1_000, now })]
    const made = await this.#add(caller, poolId, expiresAt === undefined ? {} : { expiresAt }, { also, check }, record)
    await revocations.announce({ credentialId: tokenId })
    return made
  }

  /**
   * Revokes the token permanently: it leases nothing from the next request on, and the runs of its attempts are queued
   * again. Idempotent. Throws `notFound`, `set_by_operator` (409).
   */
  async revoke(caller: Caller, path: TokenPath, record: RequestRecord): Promise<RunnerToken> {
    const { store, revocations } = this.parts
    const token = present({ ...(await this.find(caller, path)), status: 'revoked' })
    await commitOr(store, { stale: notFound }, [
      revokeRunnerToken(store, { id: path.tokenId }),
      ...record({ data: token }),
    ])
    await revocations.announce({ credentialId: path.tokenId })
    return token
  }

  /** A token that the API may change. Throws `notFound`, `set_by_operator` (409). */
  async find(caller: Caller, { poolId, tokenId }: TokenPath): Promise<ShownTokenRow> {
    const { store } = this.parts
    await findPool(store, caller, poolId)
    const row = orNotFound(await store.first(findRunnerToken(store, { poolId, id: tokenId })))
    if (tokenId !== operatorTokenId) return row
    throw new ApiError(409, 'set_by_operator', 'This token is set by TROUPE_RUNNER_TOKEN. Change it there.')
  }

  /** `check` runs again if the commit is refused: it throws what has changed since, unless that is the number of tokens. */
  async #add(
    { userId }: Caller,
    poolId: string,
    { expiresAt }: NewRunnerToken,
    { also, check }: { also: Write[]; check: () => Promise<unknown> },
    record: RequestRecord,
  ): Promise<CreatedRunnerToken> {
    const { store, clock } = this.parts
    await check()
    const now = clock.now()
    const expiry = expiresAt === undefined ? { at: null } : expiryOfNew(expiresAt, now)
    if ('problem' in expiry) throw invalid([{ path: '/body/expiresAt', message: expiry.problem }])
    const secret = runnerSecrets.newSecret()
    const row: RunnerTokenRow = {
      id: newId('rtk', now),
      pool_id: poolId,
      prefix: runnerSecrets.visiblePrefix(secret),
      secret_hash: hashSecret(secret),
      status: 'active',
      expires_at: expiry.at,
      last_used_at: null,
      created_by: userId,
      created_at: now,
    }
    const token = present(row)
    // the stored answer omits the secret
    const stale = async () => {
      await check()
      return tooMany()
    }
    await commitOr(store, { stale }, [
      insertRunnerToken(store, { ...row, tokensMax }),
      ...also,
      ...record({ data: token }),
    ])
    return { ...token, secret }
  }
}

const tooMany = () =>
  limitExceeded(`The limit of ${tokensMax} usable tokens per runner pool is reached. Revoke one first.`)
