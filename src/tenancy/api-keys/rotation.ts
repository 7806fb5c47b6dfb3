/**
 * Rotating a key: a new one takes its place, and the old one ends at once or after an overlap. Both are one commit. The new
 * key has the name, the operations, the scope and the end of the old one, and acts for whoever rotates it, never for
 * somebody else: rotating gives nobody more than creating a key would. Source: requirement 5.4; contract 1, "API key".
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
import { ApiError, limitExceeded, orNotFound, permissionDenied } from '../../platform/http/answers/errors.ts'
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

/** How often a rotation starts again because somebody else changed the key in between. */
const triesMax = 5

const scopeOf = (row: ShownKeyRow) => ({
  projectId: row.project_id,
  environmentId: row.environment_id,
  agentId: row.agent_id,
})

/** Why a key cannot be rotated any more (409). */
const ended = (currentState: 'rotated' | 'revoked' | 'expired', message: string, replacedBy?: string) =>
  new ApiError(409, 'invalid_transition', message, { details: { currentState, ...(replacedBy && { replacedBy }) } })

function assertRotatable({ status, expires_at, replaced_by }: ShownKeyRow, now: number): void {
  if (replaced_by) throw ended('rotated', `The key was rotated before: ${replaced_by} has replaced it.`, replaced_by)
  if (status === 'revoked') throw ended('revoked', 'The key is revoked; create another one.')
  if (expires_at <= now) throw ended('expired', 'The key has expired; create another one.')
}

export class KeyRotation {
  constructor(private readonly parts: KeysParts) {}

  /**
   * Throws `permission_denied` (403) without `api-keys:revoke`; `notFound`; `invalid_transition` (409) for a key that is
   * rotated, revoked or expired; `limit_exceeded` (422) when two usable keys in place of one are too many;
   * `deletionInProgress` for what it is bound to.
   */
  async rotate(caller: Caller, keyId: string, overlapSeconds: number, record: RequestRecord): Promise<RotatedApiKey> {
    if (!caller.permissions.has('api-keys:revoke')) throw permissionDenied('api-keys:revoke')
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#rotate(caller, await this.#find(caller, keyId), overlapSeconds * 1000, record)
      } catch (error) {
        if (!(error instanceof StaleWrite) || tries === triesMax) throw error
      }
    }
  }

  /** Throws `StaleWrite` when something is not as it was found any more. */
  async #rotate(caller: Caller, found: ShownKeyRow, overlapMs: number, record: RequestRecord): Promise<RotatedApiKey> {
    const { store, clock, tree, revocations } = this.parts
    const { organizationId, userId } = caller
    const now = clock.now()
    assertRotatable(found, now)
    await assertPlace(tree, organizationId, scopeOf(found))
    if (overlapMs > 0) await this.#assertRoom(organizationId, now)
    const secret = newSecret()
    const operations = JSON.parse(found.operations) as Permission[]
    const facts = { name: found.name, operations, scope: scopeOf(found), expiresAt: found.expires_at }
    const row = apiKeyRow(secret, { ...facts, organizationId, createdBy: userId }, now)
    const old = endOf(found, now, overlapMs)
    await store.commit([
      rotateApiKey(store, {
        organizationId,
        id: found.id,
        replacedBy: row.id,
        status: old.status,
        expiresAt: old.expires_at,
        wasName: found.name,
        wasExpiresAt: found.expires_at,
      }),
      // one that takes the place of another at once is not one more
      insertApiKeyInPlace(store, { ...row, usableMax: overlapMs > 0 ? usableKeysMax : Number.MAX_SAFE_INTEGER }),
      // the audit log names the key that was rotated
      ...record({ data: { id: found.id } }),
    ])
    await revocations.announce({ credentialId: found.id })
    const warnings = [
      ...warningsOf(operations),
      ...(found.created_by === userId ? [] : [actsForAnother(userId, found.created_by)]),
    ]
    return { ...presentKey(row), secret, ...(warnings.length > 0 && { warnings }), previous: presentKey(old) }
  }

  async #find({ organizationId }: Caller, id: string): Promise<ShownKeyRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findShownKey(store, { organizationId, id })))
  }

  /** With an overlap there is one usable key more for a while. */
  async #assertRoom(organizationId: string, now: number): Promise<void> {
    const { store } = this.parts
    const usable = await store.first(countUsableKeys(store, { organizationId, now }))
    if ((usable?.count ?? 0) < usableKeysMax) return
    throw limitExceeded(
      `An organization has at most ${usableKeysMax} keys that can be used; revoke one first, or rotate with overlapSeconds 0.`,
    )
  }
}

/** The old key: revoked at once, or at an end that is never later than it was. */
const endOf = (found: ShownKeyRow, now: number, overlapMs: number): ShownKeyRow & Pick<ApiKeyRow, 'status'> =>
  overlapMs === 0
    ? { ...found, status: 'revoked' }
    : { ...found, expires_at: Math.min(found.expires_at, now + overlapMs) }
