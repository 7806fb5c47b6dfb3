/**
 * Secrets at rest. Each organization has its own data key, wrapped by the first master key; its secrets are sealed with
 * that key, each for one table, record and version. After a change of the first master key, only the data keys are
 * wrapped again. The deletion of an organization removes its data key, and makes its sealed secrets unreadable. Source:
 * design 6.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { DamagedRecord, StoreRefused } from '../../../storage/errors.ts'
import {
  getCanary,
  getDataKey,
  insertCanary,
  insertDataKey,
  listDataKeyOfEachMasterKey,
  listDataKeysBeside,
  replaceCanary,
  rewrapDataKey,
} from '../../../storage/platform/secrets.ts'
import type { Store } from '../../../storage/store.ts'
import type { CanaryRow, DataKeyRow } from '../../../storage/tables.ts'
import { RecentlyUsed } from '../cache.ts'
import { Secret } from '../operating/secret.ts'
import type { Clock } from '../time/clock.ts'
import { deriveKeyFrom, type KeyRing } from './keyring.ts'
import { type Belonging, seal, Unreadable, unseal } from './sealed.ts'

/** The place of a secret: the only one where it can be decrypted. */
export interface SecretPlace {
  organizationId: string
  table: string
  recordId: string
  version: number
}

const canaryText = 'These master keys belong to this store.'
const cacheMax = 1_000
const text = new TextEncoder()
const belongingOf = ({ organizationId, table, recordId, version }: SecretPlace) => ({
  typ: 'secret',
  organization: organizationId,
  table,
  record: recordId,
  version,
})
const dataKeyBelonging = (organizationId: string) => ({ typ: 'data-key', organization: organizationId })

interface VaultParts {
  store: Store
  clock: Pick<Clock, 'now'>
  /** Learns of each secret that cannot be decrypted. */
  onError(error: unknown, what: string): void
}

export class Vault {
  readonly #dataKeys = new RecentlyUsed<Uint8Array>(cacheMax)
  readonly #wrappingKeys: ReadonlyMap<string, Uint8Array>
  readonly #primary: string

  private constructor(
    private readonly parts: VaultParts,
    ring: KeyRing,
  ) {
    this.#primary = ring.primary.id
    this.#wrappingKeys = new Map([...ring.keys].map(([id, key]) => [id, deriveKeyFrom(key, 'data-keys')]))
  }

  /** Throws `StoreRefused`, with one line for the operator, if these are not the master keys of the store. */
  static async open(parts: VaultParts, ring: KeyRing): Promise<Vault> {
    const vault = new Vault(parts, ring)
    await vault.#assertDataKeysBeside(await vault.#assertCanary())
    return vault
  }

  /** Drops the data key of an organization that may have been deleted. */
  forget(organizationId: string): void {
    this.#dataKeys.delete(organizationId)
  }

  /** The ciphertext of a secret, for this place only. */
  async seal(place: SecretPlace, secret: string): Promise<string> {
    return seal(await this.#dataKey(place.organizationId), belongingOf(place), text.encode(secret))
  }

  /** The secret. Throws `DamagedRecord` if the ciphertext was not sealed for this place, and reports it. */
  async unseal(place: SecretPlace, sealed: string): Promise<Secret> {
    try {
      const plain = await unseal(await this.#dataKey(place.organizationId), belongingOf(place), sealed)
      return new Secret(new TextDecoder().decode(plain))
    } catch (error) {
      const failure =
        error instanceof Unreadable
          ? new DamagedRecord(`The secret of ${place.table} ${place.recordId} cannot be decrypted.`, { cause: error })
          : error
      // callers fail closed, and tell only the tenant
      if (failure instanceof DamagedRecord) this.parts.onError(failure, 'the decryption of a secret')
      throw failure
    }
  }

  /** Distinguishes equal values from different ones, and reveals nothing else: an HMAC under the organization's key. */
  async digest(organizationId: string, value: string): Promise<string> {
    const key = deriveKeyFrom(await this.#dataKey(organizationId), 'digests')
    return `hmac-sha256:${createHmac('sha256', key).update(value).digest('hex')}`
  }

  /**
   * Wraps again up to `limit` data keys that an older master key wraps, and returns how many it found. Once none is
   * left, the older master keys may be removed from the ring. Throws `DamagedRecord` after all others are wrapped.
   */
  async rewrap(limit: number): Promise<number> {
    const { background: store } = this.parts.store
    const rows = await store.all<DataKeyRow>(listDataKeysBeside(store, { masterKeyId: this.#primary, limit }))
    const attempts = await Promise.allSettled(
      rows.map(async (row) => {
        const organizationId = row.organization_id
        const key = await this.#unwrap(row)
        const wrapped = await this.#wrap(organizationId, key)
        return rewrapDataKey(store, { organizationId, from: row.master_key_id, masterKeyId: this.#primary, wrapped })
      }),
    )
    const writes = attempts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    // the canary comes last: until then the older keys are needed, and a start requires them
    if (rows.length === 0) {
      const canary = await this.#findCanary()
      if (canary?.master_key_id !== this.#primary) writes.push(replaceCanary(store, await this.#newCanary()))
    }
    if (writes.length > 0) await store.commit(writes)
    for (const each of attempts) if (each.status === 'rejected') throw each.reason
    return rows.length
  }

  /** Returns the id of the master key that the canary proves. */
  async #assertCanary(): Promise<string> {
    const found = (await this.#findCanary()) ?? (await this.#firstCanary())
    await this.#assertWrapped(found.master_key_id, { typ: 'canary' }, found.sealed)
    return found.master_key_id
  }

  /** Until a change of the first master key is complete, data keys need other master keys than the canary. */
  async #assertDataKeysBeside(provenId: string): Promise<void> {
    const { store } = this.parts
    const rows = await store.all<DataKeyRow>(listDataKeyOfEachMasterKey(store, {}))
    for (const { master_key_id: id, organization_id, wrapped } of rows) {
      if (id !== provenId) await this.#assertWrapped(id, dataKeyBelonging(organization_id), wrapped)
    }
  }

  /** Throws `StoreRefused` unless the master key with this id has sealed this. */
  async #assertWrapped(masterKeyId: string, belonging: Belonging, sealed: string): Promise<void> {
    const key = this.#wrappingKeys.get(masterKeyId)
    if (!key) {
      throw new StoreRefused(
        `TROUPE_MASTER_KEYS: has no key ${masterKeyId}, which the secrets of this store are encrypted with.`,
      )
    }
    await unseal(key, belonging, sealed).catch((cause: unknown) => {
      throw new StoreRefused(
        `TROUPE_MASTER_KEYS: the key ${masterKeyId} is not the one that the secrets of this store are encrypted with.`,
        { cause },
      )
    })
  }

  #findCanary(): Promise<CanaryRow | undefined> {
    const { store } = this.parts
    return store.first<CanaryRow>(getCanary(store, {}))
  }

  /** The canary of a new store; of servers that start on it together, the first one inserts its own. */
  async #firstCanary(): Promise<CanaryRow> {
    const { store } = this.parts
    const own = { id: 1, ...(await this.#newCanary()) }
    await store.commit([insertCanary(store, own)])
    return (await this.#findCanary()) ?? own
  }

  async #newCanary(): Promise<Omit<CanaryRow, 'id'>> {
    const sealed = await seal(this.#wrappingKey(this.#primary), { typ: 'canary' }, text.encode(canaryText))
    return { master_key_id: this.#primary, sealed }
  }

  async #dataKey(organizationId: string): Promise<Uint8Array> {
    const known = this.#dataKeys.get(organizationId)
    if (known) return known
    const { store } = this.parts
    const row =
      (await store.first<DataKeyRow>(getDataKey(store, { organizationId }))) ?? (await this.#newDataKey(organizationId))
    const key = await this.#unwrap(row)
    this.#dataKeys.set(organizationId, key)
    return key
  }

  /** A data key for an organization that has none; of several created concurrently the first is kept. */
  async #newDataKey(organizationId: string): Promise<DataKeyRow> {
    const { store, clock } = this.parts
    const wrapped = await this.#wrap(organizationId, randomBytes(32))
    const row = { organization_id: organizationId, master_key_id: this.#primary, wrapped, created_at: clock.now() }
    await store.commit([insertDataKey(store, row)], null)
    return (await store.first<DataKeyRow>(getDataKey(store, { organizationId }))) ?? row
  }

  #wrap(organizationId: string, key: Uint8Array): Promise<string> {
    return seal(this.#wrappingKey(this.#primary), dataKeyBelonging(organizationId), key)
  }

  async #unwrap({ organization_id, master_key_id, wrapped }: DataKeyRow): Promise<Uint8Array> {
    try {
      return await unseal(this.#wrappingKey(master_key_id), dataKeyBelonging(organization_id), wrapped)
    } catch (cause) {
      throw new DamagedRecord(`The data key of ${organization_id} cannot be unwrapped.`, { cause })
    }
  }

  #wrappingKey(id: string): Uint8Array {
    const key = this.#wrappingKeys.get(id)
    if (!key) throw new DamagedRecord(`There is no master key ${id}.`)
    return key
  }
}
