/**
 * Rotates keys: a new key replaces the old one, which ends at once or after an overlap, in one commit. The new key has the
 * name, operations, scope and expiry of the old one and acts for the user who rotates it, so rotation gives no more
 * authority than creation. Source: requirement 5.4; contract 1, "API key".
 */
import { StaleWrite } from '../../../storage/errors.ts'
import type { ApiKeyRow } from '../../../storage/tables.ts'
import {
  countUsableKeys,
  findShownKey,
  insertApiKeyInPlace,
  rotateApiKey,
  type ShownKeyRow,
} from '../../../storage/tenancy/api-keys.ts'
import { ApiError, limitExceeded, notFound, orNotFound, permissionDenied } from '../../platform/http/answers/errors.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Permission } from '../../platform/http/guard/permissions.ts'
import { assertPlace } from './place.ts'
import { presentKey } from './present.ts'
import { apiKeyRow } from './row.ts'
import type { RotatedApiKey } from './schema.ts'
import { newSecret } from './secret.ts'
import { type KeysParts, usableKeysMax } from './service.ts'
import { actsForAnother, warningsOf } from './warnings.ts'

/** Retries of a rotation after conflicts with other changes of the key. */
const triesMax = 5

const scopeOf = (row: ShownKeyRow) => ({
  projectId: row.project_id,
  environmentId: row.environment_id,
  agentId: row.agent_id,
})

/** Why a key cannot be rotated (409). */
const ended = (currentState: 'rotated' | 'revoked' | 'expired', message: string, replacedBy?: string) =>
  new ApiError(409, 'invalid_transition', message, { details: { currentState, ...(replacedBy && { replacedBy }) } })

function assertRotatable({ status, expires_at, replaced_by }: ShownKeyRow, now: number): void {
  if (replaced_by) throw ended('rotated', `The key was already rotated: ${replaced_by} replaced it.`, replaced_by)
  if (status === 'revoked') throw ended('revoked', 'The key is revoked; create another one.')
  if (expires_at <= now) throw ended('expired', 'The key has expired; create another one.')
}

/** A rotation ends the old key, so it also requires the permission to revoke it. */
export function assertMayEnd(caller: Caller): void {
  if (!caller.permissions.has('api-keys:revoke')) throw permissionDenied('api-keys:revoke')
}

export class KeyRotation {
  constructor(private readonly parts: KeysParts) {}

  /**
   * Throws `permission_denied` (403) without `api-keys:revoke`; `notFound`; `invalid_transition` (409) for a rotated, revoked or
   * expired key; `limit_exceeded` (422) if the overlap would exceed the limit of usable keys; `deletionInProgress` for its
   * scope.
   */
  async rotate(caller: Caller, keyId: string, overlapSeconds: number, record: RequestRecord): Promise<RotatedApiKey> {
    assertMayEnd(caller)
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#rotate(caller, await this.#find(caller, keyId), overlapSeconds * 1000, record)
      } catch (error) {
        if (!(error instanceof StaleWrite) || tries === triesMax) throw error
      }
    }
  }

  /** Throws `StaleWrite` if the key or its scope was changed since it was read. */
  async #rotate(caller: Caller, found: ShownKeyRow, overlapMs: number, record: RequestRecord): Promise<RotatedApiKey> {
    const { store, clock, tree, revocations } = this.parts
    const { organizationId, userId, credentialId: madeBy } = caller
    const now = clock.now()
    assertRotatable(found, now)
    await assertPlace(tree, organizationId, scopeOf(found), notFound)
    if (overlapMs > 0) await this.#assertRoom(organizationId, now)
    const secret = newSecret()
    const operations = JSON.parse(found.operations) as Permission[]
    const facts = { name: found.name, operations, scope: scopeOf(found), expiresAt: found.expires_at }
    const row = apiKeyRow(secret, { ...facts, organizationId, createdBy: userId }, now)
    const old = endOf(found, now, overlapMs)
    // without an overlap the number of usable keys does not grow
    const usableMax = overlapMs > 0 ? usableKeysMax : Number.MAX_SAFE_INTEGER
    await store.commit([
      // first: the old key may be the caller's own
      insertApiKeyInPlace(store, { ...row, madeBy, usableMax }),
      rotateApiKey(store, {
        organizationId,
        id: found.id,
        replacedBy: row.id,
        status: old.status,
        expiresAt: old.expires_at,
        wasName: found.name,
        wasExpiresAt: found.expires_at,
      }),
      // the audit line names the rotated key
      ...record({ data: { id: found.id } }),
    ])
    await revocations.announce({ credentialId: found.id })
    const warnings = [
      ...warningsOf(facts),
      ...(found.created_by === userId ? [] : [actsForAnother(userId, found.created_by)]),
    ]
    return { ...presentKey(row), secret, ...(warnings.length > 0 && { warnings }), previous: presentKey(old) }
  }

  async #find({ organizationId }: Caller, id: string): Promise<ShownKeyRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findShownKey(store, { organizationId, id })))
  }

  /** During an overlap there is one more usable key. */
  async #assertRoom(organizationId: string, now: number): Promise<void> {
    const { store } = this.parts
    const usable = await store.first(countUsableKeys(store, { organizationId, now }))
    if ((usable?.count ?? 0) < usableKeysMax) return
    throw limitExceeded(
      `An organization has at most ${usableKeysMax} usable keys; revoke one first, or rotate with overlapSeconds 0.`,
    )
  }
}

/** The old key: revoked at once, or with an expiry that is never later than before. */
const endOf = (found: ShownKeyRow, now: number, overlapMs: number): ShownKeyRow & Pick<ApiKeyRow, 'status'> =>
  overlapMs === 0
    ? { ...found, status: 'revoked' }
    : { ...found, expires_at: Math.min(found.expires_at, now + overlapMs) }
