/**
 * The use of secrets: values given over HTTP are read by the services, on the same store. Source: requirement 3, 9.2;
 * contract 3, 4.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CredentialSecrets } from '../../../src/delivery/provider-credentials/secrets.ts'
import { VariableValues } from '../../../src/delivery/variables/values.ts'
import { loadMasterKeys } from '../../../src/platform/secrets/keyring.ts'
import { SecretUnavailable } from '../../../src/platform/secrets/unavailable.ts'
import { Vault } from '../../../src/platform/secrets/vault.ts'
import { openStore } from '../../../storage/open.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { openTroupe } from '../../support/troupe.ts'
import { credentialsPath, organizationVariablesPath } from './world.ts'

const clock = new HandClock()
const hour = 3_600_000
let folder: string
let store: Store
let credentials: CredentialSecrets
let variables: VariableValues
let organizationId: string
/** Ids by their meaning. */
const ids: Record<string, string> = {}

async function made(client: Client, name: string, path: string, body: object, changes: object[] = []) {
  const { status, body: answer } = await client.post(path, body)
  expect([name, status < 300]).toEqual([name, true])
  ids[name] = answer.data.id
  for (const change of changes) expect((await client.patch(`${path}/${answer.data.id}`, change)).status).toBe(200)
  clock.advance(1)
}

async function furnish(client: Client) {
  const credential = (name: string, body: object = {}, changes: object[] = []) =>
    made(
      client,
      name,
      credentialsPath,
      { label: name, provider: 'custom', credentialType: 'api_key', secret: `hunter2, secret of ${name}`, ...body },
      changes,
    )
  await credential('plain')
  await client.post(`${credentialsPath}/${ids.plain}/versions`, { secret: 'hunter2, second secret of plain' })
  await credential('disabled', {}, [{ status: 'disabled' }])
  await credential('enabled', {}, [{ status: 'disabled' }, { status: 'active' }])
  await credential('ending', { expiresAt: new Date(clock.now() + hour).toISOString() })
  await credential('deleted')
  await client.delete(`${credentialsPath}/${ids.deleted}`)
  await credential('moved')
  await credential('xai old', { provider: 'xai' })
  await credential('xai newest', { provider: 'xai' })
  await client.post(`${credentialsPath}/${ids['xai newest']}/versions`, { secret: 'second' })
  await credential('xai disabled', { provider: 'xai' }, [{ status: 'disabled' }])
  await credential('xai ending', { provider: 'xai', expiresAt: new Date(clock.now() + hour).toISOString() })

  for (const name of ['SOURCE', 'SOURCE_DISABLED', 'SOURCE_MOVED']) {
    const changes = [
      { value: `hunter2, second of ${name}` },
      ...(name === 'SOURCE_DISABLED' ? [{ status: 'disabled' }] : []),
    ]
    await made(client, name, organizationVariablesPath, { name, value: `hunter2, first of ${name}` }, changes)
  }
  const project = (await client.post('/api/v1/projects', { slug: 'project', name: 'Project' })).body.data.id
  const environments = (await client.get(`/api/v1/projects/${project}/environments`)).body.data.items
  const base = `/api/v1/projects/${project}/environments/${environments[0].id}/variables`
  const variable = (name: string, body: object, changes: object[] = []) =>
    made(client, name, base, { name, ...body }, changes)
  await variable('OWN', { value: 'hunter2, first of OWN' }, [{ value: 'hunter2, second of OWN' }])
  await variable('EMPTY', { value: '' })
  await variable('OFF', { value: 'hunter2, value of OFF' }, [{ status: 'disabled' }])
  await variable('GONE', { value: 'hunter2, value of GONE' })
  await client.delete(`${base}/${ids.GONE}`)
  await variable('MOVED', { value: 'hunter2, value of MOVED' })
  for (const [name, source] of [
    ['TAKEN', 'SOURCE'],
    ['TAKEN_OFF', 'SOURCE_DISABLED'],
    ['TAKEN_MOVED', 'SOURCE_MOVED'],
  ]) {
    await variable(name as string, { sourceVariableId: ids[source as string], sourceVersion: 1 })
  }
  await variable('CHANGING', { value: 'hunter2, own at first' }, [{ sourceVariableId: ids.SOURCE, sourceVersion: 2 }])
}

/** Replaces a version's ciphertext by another record's, which the API does not allow. */
function move(file: string, table: string, owner: string, to: string, from: string) {
  const database = new Database(file, { strict: true })
  database.run(`drop trigger ${table}_are_immutable`)
  const sql = `update ${table} set sealed = (select sealed from ${table} where ${owner} = ?1 and version = 1) where ${owner} = ?2 and version = 1`
  expect(database.query(sql).run(from, to).changes).toBe(1)
  database.close()
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-reveal-'))
  const troupe = await openTroupe({ folder, clock, environment: { TROUPE_RUNNER: 'none' } })
  organizationId = (await troupe.owner.get('/api/v1/organizations/default')).body.data.id
  await furnish(troupe.owner)
  await troupe.stop()
  move(troupe.file, 'provider_credential_versions', 'credential_id', ids.moved!, ids.plain!)
  move(troupe.file, 'variable_versions', 'variable_id', ids.MOVED!, ids.OWN!)
  move(troupe.file, 'organization_variable_versions', 'variable_id', ids.SOURCE_MOVED!, ids.SOURCE!)
  const location = `sqlite:${troupe.file}`
  store = await openStore(location)
  const ring = loadMasterKeys({ store: location, environment: 'development', masterKeys: null })
  const vault = await Vault.open({ store, clock, onError() {} }, ring)
  credentials = new CredentialSecrets({ store, clock, vault })
  variables = new VariableValues({ store, vault })
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

/** The secret, or the reason why there is none. */
const reasonOf = (error: unknown) => {
  expect(error).toBeInstanceOf(SecretUnavailable)
  expect(Bun.inspect(error)).not.toContain('hunter2')
  return (error as SecretUnavailable).reason
}
const credential = (name: string, version: number, organization = organizationId) =>
  credentials
    .reveal({ organizationId: organization, credentialId: ids[name]!, version })
    .then((s) => s.reveal(), reasonOf)
const variable = (name: string, version: number, organization = organizationId) =>
  variables.reveal({ organizationId: organization, variableId: ids[name]!, version }).then((s) => s.reveal(), reasonOf)

describe('a credential', () => {
  test.each<[string, number, string]>([
    ['plain', 1, 'hunter2, secret of plain'],
    ['plain', 2, 'hunter2, second secret of plain'],
    ['plain', 3, 'missing'],
    ['plain', 0, 'missing'],
    ['disabled', 1, 'disabled'],
    ['enabled', 1, 'hunter2, secret of enabled'],
    ['deleted', 1, 'missing'],
    ['moved', 1, 'unreadable'],
  ])('%s, version %d: %s', async (name, version, outcome) => {
    expect((await credential(name, version)) as string).toBe(outcome)
  })

  test('of another organization is missing', async () => {
    expect(await credential('plain', 1, 'org_other')).toBe('missing')
  })

  test('can be checked without being decrypted', async () => {
    const about = (name: string) =>
      credentials.assertUsable({ organizationId, credentialId: ids[name]!, version: 1 }).then(() => 'usable', reasonOf)
    expect([await about('plain'), await about('moved'), await about('disabled')]).toEqual([
      'usable',
      'usable',
      'disabled',
    ])
  })

  test('for a vendor is the newest usable one, at its current version', async () => {
    const newest = () => credentials.newestActive(organizationId, 'xai')
    expect(await newest()).toEqual({ id: ids['xai ending']!, version: 1 })
    expect(await credential('ending', 1)).toBe('hunter2, secret of ending')
    clock.advance(hour)
    expect(await credential('ending', 1)).toBe('expired')
    expect(await newest()).toEqual({ id: ids['xai newest']!, version: 2 })
    expect(await credentials.newestActive(organizationId, 'cohere')).toBeUndefined()
    expect(await credentials.newestActive('org_other', 'xai')).toBeUndefined()
  })
})

describe('a variable', () => {
  test.each<[string, number, string]>([
    ['OWN', 1, 'hunter2, first of OWN'],
    ['OWN', 2, 'hunter2, second of OWN'],
    ['OWN', 3, 'missing'],
    ['EMPTY', 1, ''],
    ['OFF', 1, 'disabled'],
    ['GONE', 1, 'missing'],
    ['MOVED', 1, 'unreadable'],
    ['TAKEN', 1, 'hunter2, first of SOURCE'],
    ['TAKEN_OFF', 1, 'source_disabled'],
    ['TAKEN_MOVED', 1, 'unreadable'],
    ['CHANGING', 1, 'hunter2, own at first'],
    ['CHANGING', 2, 'hunter2, second of SOURCE'],
  ])('%s, version %d: %s', async (name, version, outcome) => {
    expect((await variable(name, version)) as string).toBe(outcome)
  })

  test('of another organization is missing', async () => {
    expect(await variable('OWN', 1, 'org_other')).toBe('missing')
    expect(await variable('TAKEN', 1, 'org_other')).toBe('missing')
  })

  test('can be checked without being decrypted', async () => {
    const about = (name: string) =>
      variables.assertUsable({ organizationId, variableId: ids[name]!, version: 1 }).then(() => 'usable', reasonOf)
    expect(await about('MOVED')).toBe('usable')
    expect(await about('TAKEN_OFF')).toBe('source_disabled')
  })
})

test('an organization without its data key has only unreadable secrets', async () => {
  await store.commit([{ sql: 'delete from data_keys', parameters: [] }])
  const location = `sqlite:${join(folder, 'troupe.db')}`
  const ring = loadMasterKeys({ store: location, environment: 'development', masterKeys: null })
  const fresh = new CredentialSecrets({ store, clock, vault: await Vault.open({ store, clock, onError() {} }, ring) })
  const failed = fresh.reveal({ organizationId, credentialId: ids.plain!, version: 1 })
  expect(await failed.then(() => 'revealed', reasonOf)).toBe('unreadable')
})
