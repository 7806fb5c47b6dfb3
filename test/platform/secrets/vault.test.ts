/** Encrypted secrets, on a real store. Source: design 6. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { parseKeyRing } from '../../../src/platform/secrets/keyring.ts'
import { type SecretPlace, Vault } from '../../../src/platform/secrets/vault.ts'
import { DamagedRecord, StoreRefused } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { insertOrganization } from '../../../storage/tenancy/organizations.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const keyText = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`
const first = keyText('first', 1)
const second = keyText('second', 2)
const clock = { now: () => Date.UTC(2026, 0, 1) }
const ours = 'org_1'
const place: SecretPlace = { organizationId: ours, table: 'provider_credentials', recordId: 'crd_1', version: 1 }

let folder: string
let store: Store
/** Failures for the operator's log. */
let reported: unknown[]
const onError = (error: unknown) => void reported.push(error)
const open = (keys: string) => Vault.open({ store, clock, onError }, parseKeyRing(keys))

beforeEach(async () => {
  reported = []
  folder = await mkdtemp(join(tmpdir(), 'vault-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  for (const id of [ours, 'org_2']) {
    const row = { id, slug: id.replace('_', '-'), name: id, kind: 'team', status: 'active' } as const
    await store.commit([insertOrganization(store, { ...row, created_at: 0, updated_at: 0 })])
  }
})
afterEach(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

describe('a secret', () => {
  test.each([
    ['of one character', 'x'],
    ['of 65,536 characters', 'ä'.repeat(65_536)],
    ['with line breaks and quotes', '{"private_key":"-----BEGIN\\n"}\n'],
  ])('%s is decrypted unchanged', async (_, secret) => {
    const vault = await open(first)
    const sealed = await vault.seal(place, secret)
    expect((await vault.unseal(place, sealed)).reveal()).toBe(secret)
    expect((await (await open(first)).unseal(place, sealed)).reveal()).toBe(secret)
  })

  test('shows nothing of the plaintext, and no two ciphertexts are equal', async () => {
    const vault = await open(first)
    const [one, other] = [await vault.seal(place, 'hunter2'), await vault.seal(place, 'hunter2')]
    expect(one).not.toBe(other)
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('hunter2')
    expect(String(await vault.unseal(place, one))).toBe('[redacted]')
  })

  test('cannot be decrypted once its organization is deleted and forgotten', async () => {
    const vault = await open(first)
    const sealed = await vault.seal(place, 'hunter2')
    await sql`delete from organizations where id = ${ours}`.execute(store.db)
    expect((await vault.unseal(place, sealed)).reveal()).toBe('hunter2')
    vault.forget(ours)
    await expect(vault.unseal(place, sealed)).rejects.toThrow()
  })

  const elsewhere: [string, Partial<SecretPlace>][] = [
    ['another version', { version: 2 }],
    ['another record', { recordId: 'crd_2' }],
    ['another table', { table: 'variables' }],
    ['another organization', { organizationId: 'org_2' }],
  ]
  test.each(elsewhere)('moved to %s does not decrypt', async (_, change) => {
    const vault = await open(first)
    const sealed = await vault.seal(place, 'hunter2')
    await expect(vault.unseal({ ...place, ...change }, sealed)).rejects.toBeInstanceOf(DamagedRecord)
    expect(reported).toEqual([expect.any(DamagedRecord)])
  })

  test.each([
    [
      'a changed byte',
      (sealed: string) => `${sealed.slice(0, -30)}${sealed.at(-30) === 'A' ? 'B' : 'A'}${sealed.slice(-29)}`,
    ],
    ['a tag of four bytes', (sealed: string) => sealed.slice(0, -16)],
    ['nothing left', () => ''],
    ['another header', (sealed: string) => `eyJhbGciOiJkaXIifQ${sealed.slice(sealed.indexOf('.'))}`],
  ])('with %s does not decrypt, and the error does not show it', async (_, damage) => {
    const vault = await open(first)
    const failed = vault.unseal(place, damage(await vault.seal(place, 'hunter2')))
    const error = await failed.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(DamagedRecord)
    expect(Bun.inspect(error)).not.toContain('hunter2')
    expect(reported).toEqual([error])
  })

  test('encrypted by twenty concurrent calls for a new organization is readable for all', async () => {
    const vaults = await Promise.all(Array.from({ length: 20 }, () => open(first)))
    const sealed = await Promise.all(vaults.map((vault) => vault.seal(place, 'hunter2')))
    const fresh = await open(first)
    for (const one of sealed) expect((await fresh.unseal(place, one)).reveal()).toBe('hunter2')
  })

  test('is removed with its organization', async () => {
    const vault = await open(first)
    const sealed = await vault.seal(place, 'hunter2')
    await store.commit([{ sql: 'delete from organizations where id = ?', parameters: [ours] }])
    expect((await store.db.selectFrom('data_keys').selectAll().execute()).length).toBe(0)
    const row = { id: ours, slug: 'again', name: ours, kind: 'team', status: 'active' } as const
    await store.commit([insertOrganization(store, { ...row, created_at: 0, updated_at: 0 })])
    await expect((await open(first)).unseal(place, sealed)).rejects.toBeInstanceOf(DamagedRecord)
  })
})

describe('a digest', () => {
  test('identifies equal values of one organization, and none across organizations', async () => {
    const vault = await open(first)
    const digest = await vault.digest(ours, 'value')
    expect(digest).toMatch(/^hmac-sha256:[0-9a-f]{64}$/)
    expect(await vault.digest(ours, 'value')).toBe(digest)
    expect(await vault.digest(ours, 'other')).not.toBe(digest)
    expect(await vault.digest('org_2', 'value')).not.toBe(digest)
  })
})

describe('the master keys', () => {
  test.each([
    ['another key of the same id', keyText('first', 9), /first is not the one/],
    ['only another key', second, /has no key first/],
  ])('%s: the store is refused with one line', async (_, keys, message) => {
    await open(first)
    const error = await open(keys).then(
      () => undefined,
      (thrown: unknown) => thrown as Error,
    )
    expect(error).toBeInstanceOf(StoreRefused)
    expect(error?.message).toMatch(message)
    expect(error?.message.includes('\n')).toBe(false)
  })

  test('of two servers with different keys that start on an empty store together, one is refused', async () => {
    // both find the store empty before one of them commits
    const opened = await Promise.allSettled([open(first), open(second)])
    const refusals = opened.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    expect(refusals).toEqual([expect.any(StoreRefused)])
    const keptBy = opened[0].status === 'fulfilled' ? first : second
    await open(keptBy)
  })

  test('a new first key wraps the data keys again and touches no secret; then the old one can be removed', async () => {
    const sealed = await (await open(first)).seal(place, 'hunter2')
    await (await open(first)).seal({ ...place, organizationId: 'org_2' }, 'other')
    const vault = await open(`${second},${first}`)
    expect((await vault.unseal(place, sealed)).reveal()).toBe('hunter2')
    // interrupted after one: both rings still work
    expect(await vault.rewrap(1)).toBe(1)
    expect((await (await open(`${second},${first}`)).unseal(place, sealed)).reveal()).toBe('hunter2')
    await expect(open(second)).rejects.toBeInstanceOf(StoreRefused)
    expect(await vault.rewrap(10)).toBe(1)
    expect(await vault.rewrap(10)).toBe(0)
    expect((await (await open(second)).unseal(place, sealed)).reveal()).toBe('hunter2')
    expect((await (await open(`${first},${second}`)).unseal(place, sealed)).reveal()).toBe('hunter2')
  })

  test('a damaged data key stays as it is, and the change continues with all others', async () => {
    const vault = await open(first)
    const sealed = await vault.seal({ ...place, organizationId: 'org_2' }, 'other')
    await vault.seal(place, 'hunter2')
    await store.commit([{ sql: "update data_keys set wrapped = 'x' where organization_id = ?", parameters: [ours] }])
    await expect((await open(`${second},${first}`)).rewrap(10)).rejects.toBeInstanceOf(DamagedRecord)
    const { rows } = await sql<{
      id: string
    }>`select master_key_id as id from data_keys order by organization_id`.execute(store.db)
    expect(rows.map(({ id }) => id)).toEqual(['first', 'second'])
    const later = await open(`${second},${first}`)
    expect((await later.unseal({ ...place, organizationId: 'org_2' }, sealed)).reveal()).toBe('other')
  })

  test.each([
    ['without the new key', first, /has no key second/],
    ['with another new key of the same id', `${keyText('second', 9)},${first}`, /second is not the one/],
  ])('%s, after an interrupted change: the store is refused', async (_, keys, message) => {
    await (await open(first)).seal(place, 'hunter2')
    await (await open(first)).seal({ ...place, organizationId: 'org_2' }, 'other')
    expect(await (await open(`${second},${first}`)).rewrap(1)).toBe(1)
    await expect(open(keys)).rejects.toThrow(message)
    await expect(open(keys)).rejects.toBeInstanceOf(StoreRefused)
  })
})
