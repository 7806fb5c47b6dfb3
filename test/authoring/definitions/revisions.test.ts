import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { tallyStatuses, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { entity, http, operation, step, workflow } from './sources.ts'

let world: World
let project: Awaited<ReturnType<World['project']>>
let count = 0

beforeAll(async () => {
  world = await openWorld()
  project = await world.project()
})
afterAll(() => world?.stop())

/** Creates a Definition and returns its path. */
const definition = async (kind = 'operations') => {
  count += 1
  const { body } = await world.owner.post(`${project.path}/definitions`, { name: `d${count}`, kind })
  return `${project.path}/definitions/${body.data.id}`
}
const publish = (path: string, source: unknown) => world.owner.post(`${path}/revisions`, { source })
const operations = (...all: object[]) => ({
  operations: all.map((changes, index) => operation({ name: `o${index}`, ...changes })),
})

test.each<[string, string, object]>([
  [
    'operations with every kind of handler',
    'operations',
    operations(
      {},
      { effect: 'write', idempotent: false, approval: 'always', timeoutMs: 120_000, outputSchema: { type: 'string' } },
      {
        handler: http({
          method: 'POST',
          path: '/orders/{{input.id}}/lines?x={{input.y.z}}',
          query: { page: '{{input.page}}' },
          headers: { 'X-Tenant': '{{variables.TENANT}}', accept: 'application/json' },
          body: { id: '{{input.id}}', list: ['{{input.a}}-{{input.b}}', 5, null], text: '{"a":{"b":1}}' },
        }),
      },
      { handler: http({ method: 'HEAD', path: '/' }) },
      { handler: { type: 'agent', agent: 'support-desk', query: 'Find {{input.id}}.' } },
      { handler: { type: 'entity', entity: 'order', action: 'transition' } },
    ),
  ],
  [
    'a workflow',
    'workflow',
    workflow({
      params: { type: 'object', properties: { id: { type: 'string' } } },
      steps: [
        step('find', { input: { id: '{{params.id}}' }, retry: { maxAttempts: 10, backoffMs: 0 } }),
        step('pay', { input: { order: '{{steps.find.output}}' }, after: ['find'], onError: 'continue' }),
        step('tell', { input: { deep: [{ sum: '{{steps.pay.output.sum}}' }] }, onError: 'fail' }),
      ],
      output: { order: '{{steps.find.output.order.id}}' },
    }),
  ],
  [
    'an entity',
    'entity',
    entity({
      initial: 'open',
      states: { open: { on: { pay: 'paid', note: 'open' } }, paid: { on: { refund: 'open' }, final: false } },
    }),
  ],
])('%s is returned as it was published, and is the latest revision', async (_, kind, source) => {
  const path = await definition(kind)
  const { status, body } = await publish(path, source)
  expect(status).toBe(201)
  const { id, sourceDigest, createdBy, ...rest } = body.data
  expect(id).toMatch(/^dfr_/)
  expect(rest).toEqual({
    definitionId: path.split('/').at(-1),
    number: 1,
    source,
    createdAt: new Date(world.clock.now()).toISOString(),
  })
  expect(sourceDigest).toMatch(/^sha256:[0-9a-f]{64}$/)
  expect(createdBy).toEqual({ type: 'apiKey', id: expect.stringMatching(/^key_/) })
  expect((await world.owner.get(`${path}/revisions/${id}`)).body.data).toEqual(body.data)
  expect((await world.owner.get(path)).body.data.latestRevisionId).toBe(id)
})

test('the digest is the SHA-256 of the RFC 8785 form of the source', async () => {
  const { body } = await publish(await definition('entity'), {
    states: { states: { open: {} }, initial: 'open' },
    schema: { type: 'object', maxProperties: 1e1 },
  })
  const canonical = '{"schema":{"maxProperties":10,"type":"object"},"states":{"initial":"open","states":{"open":{}}}}'
  expect(body.data.sourceDigest).toBe(`sha256:${new Bun.CryptoHasher('sha256').update(canonical).digest('hex')}`)
})

test('the source is returned as it was written, with its keys in order', async () => {
  const path = await definition('entity')
  const source =
    '{"states":{"states":{"b":{},"a":{"on":{"y":"a","x":"b"}}},"initial":"a"},"schema":{"type":"object","properties":{"z":{},"a":{}}}}'
  const { body } = await world.owner.call('POST', `${path}/revisions`, `{"source":${source}}`, {
    headers: { 'content-type': 'application/json' },
  })
  expect(JSON.stringify(body.data.source)).toBe(source)
  const read = await world.owner.get(`${path}/revisions/${body.data.id}`)
  expect(JSON.stringify(read.body.data.source)).toBe(source)
})

test('the order of keys does not change the digest; the source does', async () => {
  const path = await definition('entity')
  const send = (states: string) =>
    world.owner.call('POST', `${path}/revisions`, `{"source":${states}}`, {
      headers: { 'content-type': 'application/json' },
    })
  const one = await send(
    '{"schema":{"type":"object"},"states":{"initial":"a","states":{"a":{"on":{"x":"b","y":"a"}},"b":{}}}}',
  )
  const two = await send(
    '{"states":{"states":{"b":{},"a":{"on":{"y":"a","x":"b"}}},"initial":"a"},"schema":{"type":"object"}}',
  )
  const three = await send(
    '{"states":{"states":{"b":{},"a":{"on":{"y":"a","z":"b"}}},"initial":"a"},"schema":{"type":"object"}}',
  )
  expect([one.status, two.status, three.status]).toEqual([201, 201, 201])
  expect(two.body.data.sourceDigest).toBe(one.body.data.sourceDigest)
  expect(three.body.data.sourceDigest).not.toBe(one.body.data.sourceDigest)
})

test('eight concurrent publications get numbers 1 to 8, and the last one is the latest', async () => {
  const path = await definition()
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => publish(path, operations({ timeoutMs: index + 1 }))),
  )
  expect(tallyStatuses(replies)).toEqual({ 201: 8 })
  expect(replies.map(({ body }) => body.data.number).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  const last = replies.find(({ body }) => body.data.number === 8)
  expect((await world.owner.get(path)).body.data.latestRevisionId).toBe(last?.body.data.id)
})

test('a rejected source takes no number', async () => {
  const path = await definition()
  await publish(path, operations({}))
  expect((await publish(path, { operations: [] })).status).toBe(422)
  expect((await publish(path, operations({}))).body.data.number).toBe(2)
})

test('the store rejects changes to a revision', async () => {
  const { body } = await publish(await definition(), operations({}))
  for (const change of ["source = '{}'", 'number = 9']) {
    expect(() => world.rows(`update definition_revisions set ${change} where id = ?`, body.data.id)).toThrow(
      'immutable',
    )
  }
})

test('the list is newest first, page by page, and its cursor is bound to the Definition', async () => {
  const [path, other] = [await definition(), await definition()]
  for (const at of [path, path, path, other, other]) await publish(at, operations({}))
  const { items, sizes } = await walk(world.owner, `${path}/revisions`, 2)
  expect(items.map(({ number }) => number)).toEqual([3, 2, 1])
  expect(sizes).toEqual([2, 1])
  const { body } = await world.owner.get(`${path}/revisions`, { query: { limit: 1 } })
  const reply = await world.owner.get(`${other}/revisions`, { query: { cursor: body.pagination.nextCursor } })
  expect([reply.status, reply.body.error.code]).toEqual([422, 'invalid_cursor'])
})

test("another Definition's revision is not found under this one", async () => {
  const [one, other] = [await definition(), await definition()]
  const { body } = await publish(one, operations({}))
  expect((await world.owner.get(`${other}/revisions/${body.data.id}`)).status).toBe(404)
  expect((await world.owner.get(`${one}/revisions/${newId('dfr')}`)).status).toBe(404)
})

test.each(['PATCH', 'PUT', 'DELETE'])('%s of a revision returns 405', async (method) => {
  const path = await definition()
  const { body } = await publish(path, operations({}))
  expect((await world.owner.call(method, `${path}/revisions/${body.data.id}`, undefined)).status).toBe(405)
})
