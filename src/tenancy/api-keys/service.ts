/**
 * Creates, reads, changes and revokes API keys. Keys are never deleted, because the audit log refers to them. Source:
 * requirement 5.4; contract 1, "API key", "Keys and organizations".
 */
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import {
  changeApiKey,
  countUsableKeys,
  findShownKey,
  insertApiKeyInPlace,
  listShownKeys,
  revokeApiKey,
  type ShownKeyRow,
} from '../../../storage/tenancy/api-keys.ts'
import { invalid, limitExceeded, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Caller, Identity, Scope } from '../../platform/http/guard/caller.ts'
import type { Tree } from '../../platform/http/guard/parts.ts'
import { belowId, type PageRequest, readPage } from '../../platform/http/pagination.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Revocations } from '../authority/revocations.ts'
import { expiryOfChanged } from './expiry.ts'
import { readNewKey } from './new-key.ts'
import { assertPlace } from './place.ts'
import { presentKey } from './present.ts'
import { apiKeyRow } from './row.ts'
import type { ApiKey, ChangeKeyBody, CreatedApiKey, CreateKeyBody } from './schema.ts'
import { newSecret } from './secret.ts'
import { warningsOf } from './warnings.ts'

/** The most usable keys of one organization. */
export const usableKeysMax = 1_000

/** Retries of a change after conflicts with other changes of the key. */
const triesMax = 5

export interface KeysParts {
  store: Store
  clock: Pick<Clock, 'now'>
  cursors: Cursors
  revocations: Revocations
  tree: Tree
}

export class Keys {
  constructor(private readonly parts: KeysParts) {}

  list(caller: Caller, asked: PageRequest) {
    const { store, cursors } = this.parts
    const { organizationId } = caller
    return readPage<ShownKeyRow, ApiKey>(
      { cursors, scope: { list: 'api-keys', organizationId } },
      asked,
      (after, limit) => store.all(listShownKeys(store, { organizationId, before: belowId(after), limit })),
      ({ id }) => [id],
      presentKey,
    )
  }

  /** Throws `notFound`. */
  async get(caller: Pick<Caller, 'organizationId'>, keyId: string): Promise<ApiKey> {
    return presentKey(await this.#find(caller, keyId))
  }

  /** The key with which a request is sent. */
  current({ credentialId, organizationId }: Identity): Promise<ApiKey> {
    // a key always has an organization
    return this.get({ organizationId: organizationId as string }, credentialId)
  }

  /**
   * Creates a key for the caller's user; the caller's own operations and scope do not limit it. Throws `validation_failed`,
   * `limit_exceeded`; `notFound` and `deletionInProgress` for its scope; `StaleWrite` if the caller's credential was
   * revoked since the request began.
   */
  async create(
    caller: Pick<Caller, 'organizationId' | 'userId'> & Partial<Pick<Caller, 'credentialId'>>,
    body: CreateKeyBody,
    record: RequestRecord,
  ): Promise<CreatedApiKey> {
    const { store, clock } = this.parts
    const { organizationId, userId, credentialId: madeBy = null } = caller
    const now = clock.now()
    const requested = readNewKey(body, now)
    await this.#assertPossible(organizationId, requested.scope, now)
    const secret = newSecret()
    const row = apiKeyRow(secret, { ...requested, organizationId, createdBy: userId }, now)
    const key = presentKey(row)
    // something changed since we looked: say what it was
    const stale = (error: Error) => this.#assertPossible(organizationId, requested.scope, now).then(() => error)
    await commitOr(store, { stale }, [
      insertApiKeyInPlace(store, { ...row, madeBy, usableMax: usableKeysMax }),
      // the stored answer must not contain the secret
      ...record({ data: key }),
    ])
    const warnings = warningsOf(requested)
    return { ...key, secret, ...(warnings.length > 0 && { warnings }) }
  }

  /** Throws what creating such a key now would throw. */
  async assertCreatable({ organizationId }: Pick<Caller, 'organizationId'>, body: CreateKeyBody): Promise<void> {
    const now = this.parts.clock.now()
    await this.#assertPossible(organizationId, readNewKey(body, now).scope, now)
  }

  /** Changes the name or shortens the life. Throws `notFound`, `validation_failed`. */
  async change(caller: Caller, keyId: string, body: ChangeKeyBody, record: RequestRecord): Promise<ApiKey> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#change(caller, await this.#find(caller, keyId), body, record)
      } catch (error) {
        if (!(error instanceof StaleWrite) || tries === triesMax) throw error
      }
    }
  }

  /** Revokes the key permanently, from the next request; again changes nothing. Throws `notFound`. */
  async revoke(caller: Caller, keyId: string, record: RequestRecord): Promise<ApiKey> {
    const { store, revocations } = this.parts
    const key = presentKey({ ...(await this.#find(caller, keyId)), status: 'revoked' })
    await store.commit([
      revokeApiKey(store, { organizationId: caller.organizationId, id: keyId }),
      ...record({ data: key }),
    ])
    await revocations.announce({ credentialId: keyId })
    return key
  }

  async #find({ organizationId }: Pick<Caller, 'organizationId'>, id: string): Promise<ShownKeyRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findShownKey(store, { organizationId, id })))
  }

  /** Throws `StaleWrite` if the key was changed since it was read. */
  async #change(
    { organizationId }: Caller,
    found: ShownKeyRow,
    body: ChangeKeyBody,
    record: RequestRecord,
  ): Promise<ApiKey> {
    const { store, clock, revocations } = this.parts
    const expiry =
      body.expiresAt === undefined
        ? { at: found.expires_at }
        : expiryOfChanged(body.expiresAt, found.expires_at, clock.now())
    if ('problem' in expiry) throw invalid([{ path: '/body/expiresAt', message: expiry.problem }])
    const changed = { ...found, name: body.name ?? found.name, expires_at: expiry.at }
    const key = presentKey(changed)
    await store.commit([
      changeApiKey(store, {
        organizationId,
        id: found.id,
        name: changed.name,
        expiresAt: changed.expires_at,
        wasName: found.name,
        wasExpiresAt: found.expires_at,
        wasStatus: found.status,
      }),
      ...record({ data: key }, presentKey(found)),
    ])
    await revocations.announce({ credentialId: found.id })
    return key
  }

  /** Throws unless a key with this scope could be created now. */
  async #assertPossible(organizationId: string, scope: Scope, now: number): Promise<void> {
    const { store, tree } = this.parts
    await assertPlace(tree, organizationId, scope)
    const usable = await store.first(countUsableKeys(store, { organizationId, now }))
    if ((usable?.count ?? 0) < usableKeysMax) return
    throw limitExceeded(`An organization has at most ${usableKeysMax} usable keys; revoke one first.`)
  }
}
