/** The catalogue of presets. Source: requirement 4.3, 4.8, 9.3; contract 4, "Presets". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { presetAt } from '../integrations/provider.ts'
import { anotherOrganization } from '../integrations/world.ts'

const lists = ['/api/v1/connection-presets', '/api/v1/organization-integrations/presets']
let folder: string
let troupe: Troupe

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-presets-'))
  const presetsFile = join(folder, 'presets.json')
  const acme = {
    ...presetAt('acme', 'https://id.example.com'),
    issuer: 'https://id.example.com',
    userinfoEndpoint: 'https://id.example.com/me',
    apiBaseUrl: 'https://api.example.com',
    authorizationParameters: { prompt: 'consent' },
  }
  await Bun.write(presetsFile, JSON.stringify([acme]))
  troupe = await openTroupe({
    environment: {
      TROUPE_RUNNER: 'none',
      TROUPE_PRESETS_FILE: presetsFile,
      TROUPE_PUBLIC_URL: 'https://troupe.example.com/',
    },
  })
})
afterAll(async () => {
  await troupe?.stop()
  await rm(folder, { recursive: true, force: true })
})

test.each(lists)('%s lists the built-in presets and those of the file, by key', async (path) => {
  const { status, body } = await troupe.owner.get(path)
  expect(status).toBe(200)
  expect(Object.keys(body)).toEqual(['data'])
  expect(body.data.items.map(({ presetKey }: { presetKey: string }) => presetKey)).toEqual(['acme', 'google-workspace'])
})

const { issuer: _, ...shown } = presetAt('acme', 'https://id.example.com')

test('a preset shows what an administrator and a browser need, and nothing else', async () => {
  const { status, body } = await troupe.owner.get('/api/v1/connection-presets/acme')
  expect(status).toBe(200)
  expect(body).toEqual({
    data: {
      ...shown,
      pkce: true,
      redirectUri: 'https://troupe.example.com/api/oauth/callback/acme',
    },
  })
})

test('google-workspace has the addresses of Google, and default scopes that Google documents', async () => {
  const { data } = (await troupe.owner.get('/api/v1/connection-presets/google-workspace')).body
  expect(data).toMatchObject({
    authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenEndpoint: 'https://oauth2.googleapis.com/token',
    principalBinding: 'user',
    pkce: true,
    redirectUri: 'https://troupe.example.com/api/oauth/callback/google-workspace',
  })
  const documented = data.scopes.map(({ name }: { name: string }) => name)
  for (const scope of data.defaultScopes) expect(documented).toContain(scope)
})

test.each(['nobody', 'Acme', '__proto__', 'x'.repeat(100)])('the unknown preset %s returns 404', async (key) => {
  const { status, body } = await troupe.owner.get(`/api/v1/connection-presets/${key}`)
  expect([status, body.error.code]).toEqual([404, 'not_found'])
})

test('the catalogue is the same for every organization', async () => {
  const { client } = await anotherOrganization(troupe)
  for (const path of [...lists, '/api/v1/connection-presets/acme']) {
    expect((await client.get(path)).body).toEqual((await troupe.owner.get(path)).body)
  }
})

test.each([
  ['connections:presets:list', lists[0]],
  ['organization-integrations:presets:list', lists[1]],
])('%s is sufficient for %s', async (permission, path) => {
  const made = await troupe.owner.post('/api/v1/api-keys', { name: permission, operations: [permission] })
  const client = troupe.as(made.body.data.secret)
  expect((await client.get(path as string)).status).toBe(200)
  const other = await client.get(lists.find((list) => list !== path) as string)
  expect([other.status, other.body.error.code]).toEqual([403, 'permission_denied'])
})

test('an invalid file stops the start with one line, before anything is opened', async () => {
  const broken = join(folder, 'broken.json')
  await Bun.write(broken, JSON.stringify([{ presetKey: 'acme' }]))
  // opening it would cause another error first
  const store = join(folder, 'troupe.db')
  await Bun.write(store, 'not a store')
  await expect(openTroupe({ folder, environment: { TROUPE_PRESETS_FILE: broken } })).rejects.toThrow(
    `TROUPE_PRESETS_FILE: ${broken}: /0/name: Is required.`,
  )
  expect(await Bun.file(store).text()).toBe('not a store')
})
