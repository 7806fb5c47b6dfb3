/** Webhooks: created, changed, listed, deleted, refused. Source: requirement 4.13, 6; contract 7. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventKinds } from '../../../src/events/kinds/kinds.ts'
import { newId } from '../../../storage/ids.ts'
import { api } from '../../support/client.ts'
import { openTroupe } from '../../support/troupe.ts'
import { dataOf, verdict } from '../../support/world/replies.ts'
import { newPlace, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const endpointUrl = 'https://hooks.example.com/troupe'
const valid = { endpointUrl, eventTypes: ['run.completed', 'run.failed'] }
const webhooks = () => `${world.path}/webhooks`
const fresh = async () => `${(await newPlace(world.owner)).path}/webhooks`

test('a webhook is created enabled, and shows its signing secret once', async () => {
  const created = await world.owner.post(webhooks(), valid)
  expect(created.status).toBe(200)
  const { signingSecret, ...webhook } = created.body.data
  expect(webhook).toEqual({
    id: expect.stringMatching(/^whk_/),
    ...valid,
    enabled: true,
    disabledReason: null,
    failingSince: null,
    deadLetters: 0,
    captureResponses: false,
    secretVersion: 1,
    createdAt: expect.any(String),
    updatedAt: webhook.createdAt,
  })
  expect(signingSecret).toMatch(/^whsec_/)
  expect(Buffer.from(signingSecret.slice(6), 'base64').length).toBe(32)

  expect(dataOf(await world.owner.get(`${webhooks()}/${webhook.id}`))).toEqual(webhook)
  expect(dataOf(await world.owner.get(webhooks())).items).toContainEqual(webhook)
})

test('each of the 22 kinds of events, and of the 11 optional ones, can be subscribed to, and all together', async () => {
  const path = await fresh()
  expect(eventKinds.length).toBe(33)
  const { eventTypes } = dataOf(await world.owner.post(path, { endpointUrl, eventTypes: eventKinds }))
  expect(eventTypes).toEqual([...eventKinds])
})

describe('creation refuses', () => {
  test.each<[string, object, string]>([
    ['no endpoint', { eventTypes: valid.eventTypes }, 'validation_failed'],
    ['no kinds of events', { endpointUrl }, 'validation_failed'],
    ['an empty list of kinds', { ...valid, eventTypes: [] }, 'validation_failed'],
    ['an unknown kind', { ...valid, eventTypes: ['run.exploded'] }, 'validation_failed'],
    ['a wildcard', { ...valid, eventTypes: ['*'] }, 'validation_failed'],
    ['the same kind twice', { ...valid, eventTypes: ['run.failed', 'run.failed'] }, 'validation_failed'],
    ['kinds that are not a list', { ...valid, eventTypes: 'run.failed' }, 'validation_failed'],
    ['an unknown field', { ...valid, signingSecret: 'whsec_mine' }, 'validation_failed'],
    ['a given state', { ...valid, enabled: false }, 'validation_failed'],
    ['an endpoint that is not a string', { ...valid, endpointUrl: 7 }, 'validation_failed'],
    ['an empty endpoint', { ...valid, endpointUrl: '' }, 'validation_failed'],
    [
      'an endpoint over 2,048 characters',
      { ...valid, endpointUrl: endpointUrl.padEnd(2_049, 'x') },
      'validation_failed',
    ],
    ['an endpoint that is not a URL', { ...valid, endpointUrl: 'hooks.example.com' }, 'url_not_allowed'],
    ['another scheme', { ...valid, endpointUrl: 'ftp://example.com/' }, 'url_not_allowed'],
    ['a user name in the URL', { ...valid, endpointUrl: 'https://user:pw@example.com/' }, 'url_not_allowed'],
    ['a fragment', { ...valid, endpointUrl: 'https://example.com/#top' }, 'url_not_allowed'],
    ['the metadata service', { ...valid, endpointUrl: 'http://169.254.169.254/' }, 'url_not_allowed'],
  ])('%s: 422', async (_, body, code) => {
    expect(verdict(await world.owner.post(webhooks(), body))).toEqual([422, code])
  })

  test("the error names a refused URL's field, and does not repeat the URL", async () => {
    const { body } = await world.owner.post(webhooks(), { ...valid, endpointUrl: 'https://user:hunter2@example.com/' })
    expect(body.error.details.issues).toMatchObject([{ path: '/body/endpointUrl' }])
    expect(JSON.stringify(body)).not.toContain('hunter2')
  })
})

test('while private addresses are blocked, they are refused as endpoints, at creation and in a change', async () => {
  const closed = await openTroupe({ environment: { TROUPE_RUNNER: 'none' } })
  try {
    const { path } = await newPlace(closed.owner)
    for (const url of [
      'http://example.com/',
      'https://127.0.0.1/',
      'https://2130706433/',
      'https://[::7f00:1]/',
      'https://db/',
    ]) {
      const refused = await closed.owner.post(`${path}/webhooks`, { ...valid, endpointUrl: url })
      expect([url, ...verdict(refused)]).toEqual([url, 422, 'url_not_allowed'])
    }
    const { id } = dataOf(await closed.owner.post(`${path}/webhooks`, valid))
    const change = await closed.owner.patch(`${path}/webhooks/${id}`, { endpointUrl: 'https://10.0.0.1/' })
    expect(verdict(change)).toEqual([422, 'url_not_allowed'])
    expect(dataOf(await closed.owner.get(`${path}/webhooks/${id}`)).endpointUrl).toBe(endpointUrl)
  } finally {
    await closed.stop()
  }
})

describe('a change', () => {
  test('changes the given fields and leaves the others', async () => {
    const { signingSecret: _, ...before } = await world.webhook(endpointUrl)
    const path = `${webhooks()}/${before.id}`
    const changed = dataOf(await world.owner.patch(path, { eventTypes: ['activation.changed'] }))
    expect(changed).toEqual({ ...before, eventTypes: ['activation.changed'], updatedAt: changed.updatedAt })
    const moved = dataOf(await world.owner.patch(path, { endpointUrl: 'https://other.example.com/' }))
    expect(moved).toMatchObject({ endpointUrl: 'https://other.example.com/', eventTypes: ['activation.changed'] })
    expect(dataOf(await world.owner.patch(path, { enabled: false })).enabled).toBe(false)
    expect(dataOf(await world.owner.patch(path, { enabled: true }))).toMatchObject({
      enabled: true,
      disabledReason: null,
    })
    expect(Object.keys(dataOf(await world.owner.get(path)))).not.toContain('signingSecret')
  })

  test('of nothing succeeds', async () => {
    const { signingSecret: _, ...before } = await world.webhook(endpointUrl)
    expect(dataOf(await world.owner.patch(`${webhooks()}/${before.id}`, {}))).toEqual(before)
  })

  test.each<[string, object, string]>([
    ['an empty list of kinds', { eventTypes: [] }, 'validation_failed'],
    ['an unknown kind', { eventTypes: ['run.exploded'] }, 'validation_failed'],
    ['a state that is not a boolean', { enabled: 'yes' }, 'validation_failed'],
    ['null', { enabled: null }, 'validation_failed'],
    ['a reason', { disabledReason: 'failing' }, 'validation_failed'],
    ['a refused URL', { endpointUrl: 'https://example.com/#x' }, 'url_not_allowed'],
  ])('refuses %s: 422', async (_, body, code) => {
    const own = await world.webhook(endpointUrl)
    expect(verdict(await world.owner.patch(`${webhooks()}/${own.id}`, body))).toEqual([422, code])
    await world.owner.delete(`${webhooks()}/${own.id}`)
  })

  test('concurrent changes all succeed, and one of them wins', async () => {
    const { id } = await world.webhook(endpointUrl)
    const bodies = eventKinds.slice(0, 8).map((kind) => ({ eventTypes: [kind] }))
    const replies = await Promise.all(bodies.map((body) => world.owner.patch(`${webhooks()}/${id}`, body)))
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
    const { eventTypes } = dataOf(await world.owner.get(`${webhooks()}/${id}`))
    expect(world.rows('select type from webhook_event_types where webhook_id = ?', id)).toEqual([
      { type: eventTypes[0] },
    ])
  })
})

test('the list is newest first, with pages', async () => {
  const path = await fresh()
  const ids: string[] = []
  for (let count = 0; count < 3; count += 1) ids.unshift(dataOf(await world.owner.post(path, valid)).id)
  const first = await world.owner.get(path, { query: { limit: 2 } })
  const cursor = first.body.pagination.nextCursor
  const second = await world.owner.get(path, { query: { limit: 2, cursor } })
  expect([...first.body.data.items, ...second.body.data.items].map(({ id }: { id: string }) => id)).toEqual(ids)
  expect(second.body.pagination).toEqual({ limit: 2, hasMore: false })
  expect(verdict(await world.owner.get(webhooks(), { query: { cursor } }))).toEqual([422, 'invalid_cursor'])
  expect(verdict(await world.owner.get(path, { query: { limit: 101 } }))).toEqual([422, 'validation_failed'])
})

describe('an Environment has at most 20 webhooks', () => {
  test('the twenty-first is 422, also among eight concurrent requests; a deleted one makes room', async () => {
    const path = await fresh()
    for (let count = 0; count < 15; count += 1) dataOf(await world.owner.post(path, valid))
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.post(path, valid)))
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(5).fill(200), ...Array(3).fill(422)])
    const refused = replies.find(({ status }) => status === 422)
    expect(refused?.body.error).toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining('20') })
    const made = replies.find(({ status }) => status === 200)
    dataOf(await world.owner.delete(`${path}/${made?.body.data.id}`))
    dataOf(await world.owner.post(path, valid))
  })
})

describe('deletion', () => {
  test('returns the webhook as it was, and hides it from then on', async () => {
    const { signingSecret: _, ...webhook } = await world.webhook(endpointUrl)
    const path = `${webhooks()}/${webhook.id}`
    const deleted = await world.owner.delete(path)
    expect([deleted.status, deleted.body]).toEqual([200, { data: webhook }])
    for (const reply of [
      await world.owner.get(path),
      await world.owner.patch(path, { enabled: true }),
      await world.owner.delete(path),
      await world.owner.post(`${path}/secrets`),
      await world.owner.get(`${path}/deliveries`),
      await world.owner.post(`${path}/deliveries/${newId('dlv')}/retry`),
      await world.owner.post(`${path}/deliveries/${newId('dlv')}/replays`, undefined, {
        headers: { 'idempotency-key': 'k' },
      }),
    ]) {
      expect(verdict(reply)).toEqual([404, 'not_found'])
    }
    expect(world.rows('select * from webhook_secrets where webhook_id = ?', webhook.id)).toEqual([])
    expect(dataOf(await world.owner.get(webhooks())).items.map(({ id }: { id: string }) => id)).not.toContain(
      webhook.id,
    )
  })

  test('of eight concurrent ones, one answers 200, the others 404', async () => {
    const { id } = await world.webhook(endpointUrl)
    const replies = await Promise.all(Array.from({ length: 8 }, () => world.owner.delete(`${webhooks()}/${id}`)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)])
  })
})

describe('missing, foreign and misplaced webhooks get the same 404', () => {
  const bodyOf = ({ body }: { body: { error: { requestId: string } } }) => {
    const { requestId: _, ...error } = body.error
    return error
  }

  test('under another Environment or Project, and with malformed ids', async () => {
    const { id } = await world.webhook(endpointUrl)
    const elsewhere = await newPlace(world.owner)
    const absent = await world.owner.get(`${webhooks()}/${newId('whk')}`)
    for (const path of [
      `${world.place.otherPath}/webhooks/${id}`,
      `${elsewhere.path}/webhooks/${id}`,
      `${webhooks()}/whk_nothing`,
      `${webhooks()}/${newId('prj')}`,
    ]) {
      const reply = await world.owner.get(path)
      expect([path, reply.status, bodyOf(reply)]).toEqual([path, 404, bodyOf(absent)])
    }
    await world.owner.delete(`${webhooks()}/${id}`)
  })
})

describe('keys', () => {
  const keyWith = async (operations: string[], more: object = {}) =>
    dataOf(await world.owner.post('/api/v1/api-keys', { name: 'key', operations, ...more })).secret as string

  test('each operation requires its own permission', async () => {
    const { id } = await world.webhook(endpointUrl)
    const path = `${webhooks()}/${id}`
    const delivery = `${path}/deliveries/${newId('dlv')}`
    const key = { headers: { 'idempotency-key': 'k' } }
    const asked: [string, (client: ReturnType<typeof api>) => Promise<{ status: number }>][] = [
      ['webhooks:list', (client) => client.get(webhooks())],
      ['webhooks:list', (client) => client.get(path)],
      ['webhooks:list', (client) => client.get(`${path}/deliveries`)],
      ['webhooks:create', (client) => client.post(webhooks(), valid)],
      ['webhooks:create', (client) => client.patch(path, {})],
      ['webhooks:rotate-secret', (client) => client.post(`${path}/secrets`)],
      ['webhooks:replay', (client) => client.post(`${delivery}/replays`, undefined, key)],
      ['webhooks:retry-dead', (client) => client.post(`${delivery}/retry`)],
      ['webhooks:delete', (client) => client.delete(path)],
    ]
    const names = [...new Set(asked.map(([permission]) => permission))]
    for (const [permission, ask] of asked) {
      const without = api(world.troupe.url, await keyWith(names.filter((name) => name !== permission)))
      expect([permission, (await ask(without)).status]).toEqual([permission, 403])
      const alone = api(world.troupe.url, await keyWith([permission]))
      expect([200, 404]).toContain((await ask(alone)).status)
    }
  })
})

test('changes of a webhook are in the audit log, without its endpoint', async () => {
  const { id } = await world.webhook('https://audited.example.com/')
  await world.owner.post(`${webhooks()}/${id}/secrets`)
  await world.owner.delete(`${webhooks()}/${id}`)
  const { items } = dataOf(
    await world.owner.get('/api/v1/organizations/default/audit-events', { query: { limit: 100 } }),
  )
  const lines = items.filter(({ resource }: { resource: { id: string } }) => resource.id === id)
  expect(
    lines.map(({ operation, resource, outcome }: Record<string, { type?: string }>) => [
      operation,
      resource?.type,
      outcome,
    ]),
  ).toEqual([
    ['deleteWebhook', 'webhook', 'allowed'],
    ['rotateWebhookSecret', 'webhook', 'allowed'],
    ['createWebhook', 'webhook', 'allowed'],
  ] as never)
  expect(JSON.stringify(lines)).not.toContain('audited.example.com')
})

test('all kinds of events are listed, each with a schema that names it', async () => {
  const { items } = dataOf(await world.owner.get('/api/v1/event-types'))
  expect(items.map(({ type }: { type: string }) => type)).toEqual([...eventKinds, 'webhook.test'])
  for (const { type, schema } of items)
    expect(schema).toMatchObject({ type: 'object', properties: { type: { const: type } } })
  const missed = items.find(({ type }: { type: string }) => type === 'job.missed').schema.properties.data.properties
    .missed
  expect(missed).toMatchObject({ maximum: 20 })
})
