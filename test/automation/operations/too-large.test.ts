/** The size of a request, counted before it is built. Source: contract 4, "a rendered request is at most 1 MiB". */

import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { calls, httpOperation, type Operations, openOperations, type Served } from './world.ts'

const limit = 1_048_576

let world: Operations
let served: Served
beforeAll(async () => {
  world = await openOperations()
  const post = (name: string, handler: object) => httpOperation(name, { method: 'POST', ...handler })
  served = await world.serving([
    post('repeated', { body: { text: '{{input.s}}'.repeat(900) } }),
    post('values', { body: Array.from({ length: 900 }, () => '{{input.s}}') }),
    post('objects', { body: { text: 'x{{input.o}}'.repeat(900) } }),
    post('queried', { query: { q: '{{input.s}}'.repeat(700) } }),
    post('placed', { path: `/${'{{input.s}}'.repeat(180)}` }),
    post('headed', { headers: { 'X-All': '{{input.s}}'.repeat(700) } }),
    post('once', { body: '{{input.s}}' }),
    httpOperation('found', { path: '/{{input.id}}', query: { q: '{{input.s}}' } }),
    post('twice', { query: { q: '{{input.s}}{{input.s}}' } }),
  ])
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
})

const s = 'x'.repeat(400_000)

test.each(['repeated', 'values', 'queried', 'placed', 'headed'])(
  '%s: a large value that is used in many places returns 422, and nothing is sent',
  async (name) => {
    const { status, body } = await served.invoke(`shop.${name}`, { input: { s } })
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'too_large' })
    expect(body.error.details.issues).toEqual([
      { path: '/body/input', message: expect.stringMatching(/1,048,576 bytes/) },
    ])
    expect(world.shop.asked).toEqual([])
  },
)

test('a value that is not text is serialized once, however often it is used', async () => {
  const o = Array.from({ length: 30_000 }, (_, at) => ({ at }))
  const { body } = await served.invoke('shop.objects', { input: { o } })
  expect(body.error.code).toBe('too_large')
})

test('the limit applies to the encoded request', async () => {
  const fits = 'x'.repeat(limit - 100_000)
  expect(await data(served.invoke('shop.once', { input: { s: fits } }))).toMatchObject({ state: 'succeeded' })
  expect(world.shop.asked.map(({ text }) => text.length)).toEqual([fits.length + 2])
  // in a query each of these takes three bytes
  const { body } = await served.invoke('shop.twice', { input: { s: '%'.repeat(limit / 5) } })
  expect(body.error.code).toBe('too_large')
  expect(world.shop.asked).toHaveLength(1)
})

test('a URL has at most 2,048 characters, encoded', async () => {
  const fits = { id: 'a', s: 'x'.repeat(1_900) }
  expect(await data(served.invoke('shop.found', { input: fits }))).toMatchObject({ state: 'succeeded' })
  for (const input of [
    { id: 'a', s: 'x'.repeat(2_048) },
    { id: 'a'.repeat(2_048), s: 'x' },
    { id: 'a', s: 'ü'.repeat(400) },
  ]) {
    const { status, body } = await served.invoke('shop.found', { input })
    expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'too_large' })
    expect(body.error.message).toMatch(/URL .* more than 2,048 characters/)
  }
  expect(world.shop.asked).toHaveLength(1)
})

test('the invocation is stored as failed, and the same key returns the same', async () => {
  const call = { input: { s }, idempotencyKey: 'too-large' }
  for (let time = 0; time < 2; time += 1) {
    expect((await served.invoke('shop.repeated', call)).body.error.code).toBe('too_large')
  }
  const { items } = await data<{ items: { state: string; error: object }[] }>(
    world.owner.get(served.invocations, { query: { operation: 'shop.repeated', limit: 1 } }),
  )
  expect(items).toMatchObject([{ state: 'failed', error: { code: 'too_large' } }])
})

test('a run gets the error from its call, and continues', async () => {
  const { id, state } = await world.run(
    served.place,
    served.agent.agentId,
    calls(['repeated', { s: s.slice(0, 20_000) }]),
  )
  expect(state).toBe('completed')
  expect(await world.called(id)).toMatchObject({ output: null, error: { code: 'too_large' } })
  expect(world.shop.asked).toEqual([])
})

test.each([
  [1_000, 201],
  [1_001, 422],
])('publishing a body with %p placeholders returns %p', async (count, expected) => {
  const { project } = await world.place()
  const { id } = await data(world.owner.post(`${project}/definitions`, { name: 'many', kind: 'operations' }))
  const body = ['{{input.s}}'.repeat(600), { below: '{{input.s}}'.repeat(count - 600) }]
  const reply = await world.owner.post(`${project}/definitions/${id}/revisions`, {
    source: { operations: [httpOperation('one', { method: 'POST', body })] },
  })
  expect(reply.status).toBe(expected)
  if (expected === 201) return
  expect(reply.body.error.details.issues).toEqual([
    {
      path: '/body/source/operations/0/handler/body/1/below',
      message: expect.stringMatching(/at most 1,000 placeholders/),
    },
  ])
})
