import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { issuesOf, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
/** A server that lets tenants name private addresses. */
let lenient: Troupe
let lenientPath: string
let count = 0

beforeAll(async () => {
  world = await openWorld()
  lenient = await openTroupe({ environment: { TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' } })
  const { body } = await lenient.owner.post('/api/v1/projects', { slug: 'project', name: 'Project' })
  const path = `/api/v1/projects/${body.data.id}/environments`
  lenientPath = `${path}/${(await lenient.owner.get(path)).body.data.items[0].id}/connections`
})
afterAll(() => Promise.all([world?.stop(), lenient?.stop()]))

const bodyOf = (kind: string, settings: object) => {
  count += 1
  return { name: `connection ${count}`, kind, settings }
}
const create = (kind: string, settings: object) => world.owner.post(world.connectionsPath, bodyOf(kind, settings))

const database = { engine: 'postgres', host: 'db.example.com', port: 5432, database: 'shop' }
const storage = { endpoint: 'https://s3.example.com', bucket: 'files' }
const messaging = { protocol: 'amqp', url: 'amqps://broker.example.com/orders' }
const http = { baseUrl: 'https://api.example.com/v1' }

describe('settings are stored as given', () => {
  test.each<[string, object]>([
    ['http', http],
    ['http', { ...http, auth: 'bearer', headers: { Accept: 'application/json', 'X-Tenant': 'acme' } }],
    ['http', { ...http, auth: 'basic' }],
    ['http', { ...http, auth: 'header', headerName: 'X-Api-Key' }],
    ['http', { ...http, auth: 'header', headerName: 'Authorization' }],
    ['http', { baseUrl: 'https://api.example.com:8443' }],
    ['database', database],
    ['database', { ...database, host: '2001:4860:4860::8888' }],
    ['object_storage', storage],
    ['object_storage', { ...storage, region: 'eu-central-1' }],
    ['messaging', messaging],
    ['messaging', { ...messaging, topic: 'orders@eu' }],
    ['messaging', { protocol: 'kafka', url: 'kafka://broker.example.com:9093', topic: 'orders' }],
    ['messaging', { protocol: 'amqp', url: 'amqps://broker.example.com:5671/shop?heartbeat=30' }],
    ['custom', {}],
    ['custom', { any: { depth: [1, 'two', null, true] }, maxTokens: 5, homepage: 'https://example.com/@name' }],
  ])('%s %j', async (kind, settings) => {
    const { status, body } = await create(kind, settings)
    expect([status, body.data?.settings]).toEqual([200, settings])
  })
})

describe('invalid settings are 422 with their paths', () => {
  test.each<[string, object, string[]]>([
    ['http', {}, ['baseUrl']],
    ['http', { baseUrl: '' }, ['baseUrl']],
    ['http', { baseUrl: `https://example.com/${'a'.repeat(2048)}` }, ['baseUrl']],
    ['http', { baseUrl: 'https://api.example.com/?key=1' }, ['baseUrl']],
    ['http', { ...http, timeout: 1 }, ['timeout']],
    ['http', { ...http, auth: 'digest' }, ['auth']],
    ['http', { ...http, auth: 'header' }, ['headerName']],
    ['http', { ...http, headerName: 'X-Api-Key' }, ['headerName']],
    ['http', { ...http, auth: 'bearer', headerName: 'X-Api-Key' }, ['headerName']],
    ['http', { ...http, auth: 'header', headerName: 'not a name' }, ['headerName']],
    ['http', { ...http, auth: 'header', headerName: 'Host' }, ['headerName']],
    ['http', { ...http, headers: ['a'] }, ['headers']],
    ['http', { ...http, headers: { A: 1 } }, ['headers/A']],
    ...[
      'Authorization',
      'authorization',
      'Cookie',
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'Proxy-Authorization',
      'Proxy-Connection',
      'X-Api-Key',
      'X-Auth-Token',
    ].map((name): [string, object, string[]] => ['http', { ...http, headers: { [name]: 'a' } }, [`headers/${name}`]]),
    ['http', { ...http, headers: { 'X-A': 'a\r\nCookie: b' } }, ['headers/X-A']],
    ['http', { ...http, headers: { 'X A': 'a' } }, ['headers/X A']],
    ['http', { ...http, headers: { 'a/b~c': 'a' } }, ['headers/a~1b~0c']],
    [
      'http',
      { ...http, headers: { Cookie: 'a', Host: 'b' }, auth: 'header' },
      ['headerName', 'headers/Cookie', 'headers/Host'],
    ],
    ['database', { ...database, engine: 'Post gres' }, ['engine']],
    ['database', { ...database, port: 0 }, ['port']],
    ['database', { ...database, port: 65_536 }, ['port']],
    ['database', { ...database, port: '5432' }, ['port']],
    ['database', { ...database, database: '' }, ['database']],
    ['database', { ...database, password: 'x' }, ['password']],
    ['database', {}, ['engine', 'host', 'port', 'database']],
    ['object_storage', { ...storage, bucket: 'a/b' }, ['bucket']],
    ['object_storage', { ...storage, endpoint: 'https://s3.example.com/?sig=1' }, ['endpoint']],
    ['object_storage', { ...storage, secretAccessKey: 'x' }, ['secretAccessKey']],
    ['messaging', { ...messaging, topic: 'a\nb' }, ['topic']],
    ['messaging', { ...messaging, url: 'amqps://broker.example.com/?password=x' }, ['url']],
    ['messaging', { url: messaging.url }, ['protocol']],
    ...['apiKey', 'api_key', 'API-KEY', 'password', 'clientSecret', 'accessToken', 'privateKey', 'credentials'].map(
      (name): [string, object, string[]] => ['custom', { nested: [{ [name]: 'x' }] }, [`nested/0/${name}`]],
    ),
    ['custom', { database: { url: 'postgres://user:password@db.example.com/shop' } }, ['database/url']],
    ['database', { ...database, database: 'postgres://user:password@db.example.com/shop' }, ['database']],
    ['http', { ...http, headers: { 'X-A': 'https://user:password@example.com' } }, ['headers/X-A']],
    ['messaging', { ...messaging, topic: 'amqp://user@broker.example.com' }, ['topic']],
    ['messaging', { ...messaging, url: `${messaging.url}?next=amqp://user:password@example.com` }, ['url']],
    ['custom', { text: 'x'.repeat(16 * 1024) }, ['']],
    ['custom', { text: 'ä'.repeat(8 * 1024) }, ['']],
  ])('%s %j', async (kind, settings, places) => {
    const reply = await create(kind, settings)
    expect(verdict(reply)).toEqual([422, 'validation_failed'])
    expect(issuesOf(reply)).toEqual(places.map((place) => `/body/settings${place && `/${place}`}`))
  })

  test('16 KiB of JSON are accepted', async () => {
    const text = 'x'.repeat(16 * 1024 - '{"text":""}'.length)
    expect((await create('custom', { text })).status).toBe(200)
    expect((await create('custom', { text: `${text}x` })).status).toBe(422)
  })
})

const refused = [
  ['http', { baseUrl: 'http://api.example.com' }, 'baseUrl'],
  ['http', { baseUrl: 'https://localhost' }, 'baseUrl'],
  ['http', { baseUrl: 'https://10.0.0.1' }, 'baseUrl'],
  ['http', { baseUrl: 'https://api.example.com:5432' }, 'baseUrl'],
  ['database', { ...database, host: '127.0.0.1' }, 'host'],
  ['database', { ...database, host: 'db.internal' }, 'host'],
  ['database', { ...database, host: '0x7f.1' }, 'host'],
  ['database', { ...database, host: '::1' }, 'host'],
  ['object_storage', { ...storage, endpoint: 'http://s3.example.com' }, 'endpoint'],
  ['object_storage', { ...storage, endpoint: 'https://[::1]:9000' }, 'endpoint'],
  ['messaging', { ...messaging, url: 'amqp://broker.example.com' }, 'url'],
  ['messaging', { ...messaging, url: 'amqps://192.168.0.1' }, 'url'],
  ['messaging', { ...messaging, url: 'kafka://broker' }, 'url'],
] as const

describe('a forbidden address is 422 url_not_allowed', () => {
  test.each([
    ...refused,
    ['http', { baseUrl: 'https://user:password@api.example.com' }, 'baseUrl'],
    ['http', { baseUrl: 'https://api.example.com/#part' }, 'baseUrl'],
    ['http', { baseUrl: 'https://169.254.169.254/latest' }, 'baseUrl'],
    ['http', { baseUrl: 'api.example.com' }, 'baseUrl'],
    ['http', { baseUrl: 'ftp://api.example.com' }, 'baseUrl'],
    ['database', { ...database, host: 'db.example.com:5432' }, 'host'],
    ['database', { ...database, host: 'user@db.example.com' }, 'host'],
    ['database', { ...database, host: 'metadata.google.internal' }, 'host'],
    ['object_storage', { ...storage, endpoint: 'https://user@s3.example.com' }, 'endpoint'],
    ['messaging', { ...messaging, url: 'amqps://user:password@broker.example.com' }, 'url'],
    ['messaging', { ...messaging, url: 'file:///etc/passwd' }, 'url'],
    ['messaging', { ...messaging, url: 'amqps://broker.example.com:0' }, 'url'],
  ] as const)('%s %j', async (kind, settings, place) => {
    const reply = await create(kind, settings)
    expect(verdict(reply)).toEqual([422, 'url_not_allowed'])
    expect(issuesOf(reply)).toEqual([`/body/settings/${place}`])
    expect(JSON.stringify(reply.body)).not.toContain('password@')
  })
})

describe('while private addresses are allowed, they and plain schemes are accepted', () => {
  test.each(refused)('%s %j', async (kind, settings) => {
    expect((await lenient.owner.post(lenientPath, bodyOf(kind, settings))).status).toBe(200)
  })

  test.each([
    ['http', { baseUrl: 'http://169.254.169.254/latest' }],
    ['http', { baseUrl: 'http://user:password@localhost' }],
    ['database', { ...database, host: 'metadata.google.internal' }],
    ['messaging', { ...messaging, url: 'ftp://localhost' }],
  ])('but not %s %j', async (kind, settings) => {
    const reply = await lenient.owner.post(lenientPath, bodyOf(kind, settings))
    expect(verdict(reply)).toEqual([422, 'url_not_allowed'])
  })
})
