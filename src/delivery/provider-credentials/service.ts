/** Creates, changes, rotates and deletes provider credentials. Source: requirement 4.7; contract 4. */

import { revokeCredentialVersion, touchRevokedCredential } from '../../../storage/delivery/credential-uses.ts'
import {
  advanceCredential,
  type CredentialKey,
  deleteUnpinnedCredential,
  findCredential,
  insertCredential,
  insertCredentialVersion,
  listAllCredentialVersions,
  listCredentials,
  listCredentialVersions,
  listPinningDeployments,
  updateCredential,
} from '../../../storage/delivery/provider-credentials.ts'
import { newId } from '../../../storage/ids.ts'
import type { ProviderCredentialRow } from '../../../storage/tables.ts'
import { ApiError, limitExceeded, notFound, orNotFound } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import { retryOnConflict } from '../../platform/http/changes/retry-on-conflict.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dependentsMax, placeInWords, presentPlace, someOf } from '../dependents.ts'
import { readExpiry } from './expiry.ts'
import { presentCredential, type ShownVersion } from './present.ts'
import type { CredentialChanges, CredentialUse, NewCredential, ProviderCredential } from './schema.ts'
import { credentialPlace } from './secrets.ts'
import { type UseParts, usesOf } from './uses.ts'

/** The most credentials of one organization. */
const credentialsMax = 200
/** The most versions of one credential. */
const versionsMax = 100

export interface CredentialsParts extends UseParts {
  clock: Pick<Clock, 'now'>
  vault: Vault
}

export class Credentials {
  constructor(private readonly parts: CredentialsParts) {}

  /** All of the organization, newest first, or those with a label. */
  async list(
    { organizationId }: Caller,
    { label = null }: { label?: string | null } = {},
  ): Promise<{ items: ProviderCredential[] }> {
    const { store } = this.parts
    const rows = await store.all(listCredentials(store, { organizationId, named: label }))
    const versions = await store.all(listAllCredentialVersions(store, { organizationId }))
    const byCredential = Map.groupBy<string, ShownVersion & { credential_id: string }>(
      versions,
      ({ credential_id }) => credential_id,
    )
    return { items: rows.map((row) => presentCredential(row, byCredential.get(row.id) ?? [])) }
  }

  /** Throws `notFound`. */
  async get({ organizationId }: Caller, id: string): Promise<ProviderCredential> {
    const { store } = this.parts
    const row = await this.#find({ organizationId, id })
    return presentCredential(row, await store.all(listCredentialVersions(store, { credentialId: id })))
  }

  /** Creates it with the secret as version 1. Throws `validation_failed`, `limit_exceeded` (422). */
  async create({ organizationId }: Caller, body: NewCredential, record: RequestRecord): Promise<ProviderCredential> {
    const { store, clock, vault } = this.parts
    const now = clock.now()
    const row: ProviderCredentialRow = {
      id: newId('crd', now),
      organization_id: organizationId,
      label: body.label,
      provider: body.provider,
      credential_type: body.credentialType,
      status: 'active',
      expires_at: readExpiry(body.expiresAt ?? null, now),
      current_version: 1,
      created_at: now,
      updated_at: now,
    }
    const sealed = await vault.seal(credentialPlace({ organizationId, credentialId: row.id, version: 1 }), body.secret)
    const version = { credential_id: row.id, version: 1, sealed, created_at: now }
    const data = presentCredential(row, [version])
    // a deleted organization is a missing reference
    await commitOr(store, { stale: tooMany }, [
      insertCredential(store, { ...row, credentialsMax }),
      insertCredentialVersion(store, version),
      ...record({ data }),
    ])
    return data
  }

  /** Changes the given fields, but no secret. Throws `notFound`, `validation_failed`. */
  async change(
    caller: Caller,
    id: string,
    changes: CredentialChanges,
    record: RequestRecord,
  ): Promise<ProviderCredential> {
    const { store, clock } = this.parts
    const { organizationId } = caller
    const at = clock.now()
    const { label, status, expiresAt } = changes
    const before = presentCredential(await this.#find({ organizationId, id }), [])
    const update = updateCredential(store, {
      organizationId,
      id,
      label: label ?? null,
      status: status ?? null,
      setsExpiry: expiresAt === undefined ? 0 : 1,
      expiresAt: expiresAt === undefined ? null : readExpiry(expiresAt, at),
      at,
    })
    await commitOr(store, { stale: notFound }, [
      ...(Object.keys(changes).length === 0 ? [] : [update]),
      ...record({ data: { id } }, before),
    ])
    return this.get(caller, id)
  }

  /** Adds a secret as the next version; pins keep theirs. Throws `notFound`, `limit_exceeded` (422). */
  rotate({ organizationId }: Caller, id: string, secret: string, record: RequestRecord): Promise<ProviderCredential> {
    const { store, clock, vault } = this.parts
    return retryOnConflict(async () => {
      const found = await this.#find({ organizationId, id })
      const was = found.current_version
      if (was >= versionsMax) {
        throw limitExceeded(`A provider credential has at most ${versionsMax} versions; create another one.`)
      }
      const at = clock.now()
      const version = was + 1
      const sealed = await vault.seal(credentialPlace({ organizationId, credentialId: id, version }), secret)
      const versions = await store.all(listCredentialVersions(store, { credentialId: id }))
      const added = { credential_id: id, version, sealed, created_at: at }
      const after = { ...found, current_version: version, updated_at: at }
      const data = presentCredential(after, [...versions.slice(0, was), added])
      await store.commit([
        advanceCredential(store, { organizationId, id, version, was, at }),
        insertCredentialVersion(store, added),
        ...record({ data }),
      ])
      return data
    })
  }

  /** The uses of its versions. Throws `notFound`. */
  async uses({ organizationId }: Caller, id: string): Promise<{ items: CredentialUse[] }> {
    await this.#find({ organizationId, id })
    return { items: await usesOf(this.parts, { organizationId, id }) }
  }

  /** Throws `notFound` if there is no such version. */
  async findVersion({ organizationId }: Caller, id: string, version: number): Promise<void> {
    if (version > (await this.#find({ organizationId, id })).current_version) throw notFound()
  }

  /** Revokes the version permanently; again changes nothing. Throws `notFound`. */
  async revoke(caller: Caller, id: string, version: number, record: RequestRecord): Promise<ProviderCredential> {
    const { store, clock } = this.parts
    const key = { organizationId: caller.organizationId, id }
    await this.findVersion(caller, id, version)
    const revoked = { ...key, version, at: clock.now() }
    await store.commit([
      revokeCredentialVersion(store, revoked),
      touchRevokedCredential(store, revoked),
      ...record({ data: { id } }),
    ])
    return this.get(caller, id)
  }

  /** Deletes all of its versions. Throws `notFound`, `credential_in_use` (409). */
  async remove({ organizationId }: Caller, id: string, record: RequestRecord): Promise<void> {
    const { store } = this.parts
    const key = { organizationId, id }
    await this.#find(key)
    // deleted since it was read, or pinned
    await commitOr(store, { stale: () => this.#find(key).then(() => this.#inUse(key)) }, [
      deleteUnpinnedCredential(store, key),
      ...record(undefined),
    ])
  }

  async #inUse(key: CredentialKey): Promise<ApiError> {
    const { store } = this.parts
    const rows = await store.all(listPinningDeployments(store, { ...key, limit: dependentsMax }))
    const dependents = rows.map((row) => ({ type: 'deployment', id: row.id, ...presentPlace(row) }))
    // none if that has changed since
    const places = rows.length === 0 ? '' : `, in ${someOf(rows.map(placeInWords))}`
    const message =
      `An active Deployment pins the credential${places}. Disable the credential instead, or first activate a Deployment ` +
      'without it there.'
    return new ApiError(409, 'credential_in_use', message, { details: { dependents } })
  }

  async #find(key: CredentialKey): Promise<ProviderCredentialRow> {
    const { store } = this.parts
    return orNotFound(await store.first(findCredential(store, key)))
  }
}

const tooMany = () =>
  limitExceeded(`An organization has at most ${credentialsMax} provider credentials; delete one first.`)
