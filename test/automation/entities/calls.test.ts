/** The effects of operations on entities. Source: contract 6, "Entity inputs"; requirement 6, `domain.entity.*`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bundleOf, type Orders, openOrders, order } from './store-world.ts'

let entities: Orders['entities']
let bundle: Orders['bundle']
let create: Orders['create']
beforeAll(async () => {
  ;({ entities, bundle, create } = await openOrders())
})
afterAll(() => entities?.close())

test('create returns an entity in the initial state, with version 1', async () => {
  const made = await create({ total: 7, note: 'hello' })
  expect(made).toEqual({
    id: expect.stringMatching(/^ent_/),
    type: 'order',
    state: 'open',
    version: 1,
    data: { total: 7, note: 'hello' },
    createdAt: '2026-01-31T12:00:00.000Z',
    updatedAt: '2026-01-31T12:00:00.000Z',
  })
  expect(await entities.journal(made.id)).toEqual([[null, 'create', 'open']])
})

test('update replaces the data and keeps the state', async () => {
  const { id } = await create({ total: 7, note: 'hello' })
  const updated = await entities.perform({ bundle }, 'update', { id, data: { total: 8 }, expectedVersion: 1 })
  expect(updated).toMatchObject({ id, state: 'open', version: 2, data: { total: 8 } })
  expect(updated.data).toEqual({ total: 8 })
  expect(await entities.journal(id)).toEqual([[null, 'create', 'open']])
})

test('transition follows the statechart and keeps the data', async () => {
  const { id, data } = await create()
  const paid = await entities.perform({ bundle }, 'transition', { id, event: 'pay', expectedVersion: 1 })
  expect(paid).toMatchObject({ id, state: 'paid', version: 2, data })
  const shipped = await entities.perform({ bundle }, 'transition', { id, event: 'ship' })
  expect(shipped).toMatchObject({ id, state: 'shipped', version: 3, data })
  expect(await entities.journal(id)).toEqual([
    [null, 'create', 'open'],
    ['open', 'pay', 'paid'],
    ['paid', 'ship', 'shipped'],
  ])
})

test('a transition to the same state is a change like others', async () => {
  const { id } = await create()
  expect(await entities.perform({ bundle }, 'transition', { id, event: 'touch' })).toMatchObject({
    state: 'open',
    version: 2,
  })
})

test('in a final state the data can be replaced, and the entity deleted', async () => {
  const { id } = await create()
  await entities.perform({ bundle }, 'transition', { id, event: 'cancel' })
  expect(await entities.perform({ bundle }, 'update', { id, data: { total: 2 } })).toMatchObject({
    state: 'canceled',
    version: 3,
  })
  expect(await entities.perform({ bundle }, 'delete', { id })).toMatchObject({ state: 'canceled', version: 4 })
})

test('delete returns the entity as it was, and leaves nothing of its data', async () => {
  const { id } = await create({ total: 1, note: 'private' })
  const gone = await entities.perform({ bundle }, 'delete', { id })
  expect(gone).toMatchObject({ id, state: 'open', version: 2, data: { total: 1, note: 'private' } })
  for (const [action, input] of [
    ['update', { id, data: { total: 1 } }],
    ['transition', { id, event: 'pay' }],
    ['delete', { id }],
  ] as const) {
    const { code, message, conflict } = await entities.refused({ bundle }, action, input)
    expect([code, message, conflict]).toEqual(['not_found', `There is no order ${id}.`, null])
  }
  expect(await entities.rows('select data from entities where id = ?', id)).toEqual([{ data: '{}' }])
})

describe('events', () => {
  test('report each change with minimal fields', async () => {
    const there = await entities.plant()
    const caller = { bundle: bundleOf(there, { order }) }
    const { id } = await entities.perform(caller, 'create', { data: { total: 1, note: 'private' } })
    await entities.perform(caller, 'update', { id, data: { total: 2 } })
    await entities.perform(caller, 'transition', { id, event: 'pay' })
    await entities.perform(caller, 'delete', { id })
    const events = await entities.events(there)
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['domain.entity.created', { type: 'order', from: null, to: 'open', version: 1 }],
      ['domain.entity.updated', { type: 'order', from: 'open', to: 'open', version: 2 }],
      ['domain.entity.transitioned', { type: 'order', from: 'open', to: 'paid', version: 3 }],
      ['domain.entity.deleted', { type: 'order', from: 'paid', to: null, version: 4 }],
    ])
    for (const event of events) {
      expect(event).toMatchObject({ ...there, subject: { type: 'entity', id }, actor: { type: 'user', id: 'usr_1' } })
    }
    expect(JSON.stringify(events)).not.toContain('private')
  })

  test('a rejected call emits none', async () => {
    const there = await entities.plant()
    const caller = { bundle: bundleOf(there, { order }) }
    const { id } = await entities.perform(caller, 'create', { data: { total: 1 } })
    await entities.refused(caller, 'transition', { id, event: 'ship' })
    await entities.refused(caller, 'update', { id, data: {} })
    expect((await entities.events(there)).length).toBe(1)
    expect((await entities.journal(id)).length).toBe(1)
  })
})

test('data of 256 KiB is accepted', async () => {
  const data = { total: 1, note: 'x'.repeat(262_144 - JSON.stringify({ total: 1, note: '' }).length) }
  expect((await create(data)).data).toEqual(data)
})

test('a large entity occupies no memory while it is not in use', async () => {
  const { id } = await create({ total: 1, note: 'x'.repeat(20_000) })
  const address = { kind: 'entity', id }
  expect(entities.actors.getCached(address)).toBeUndefined()
  expect(await entities.perform({ bundle }, 'transition', { id, event: 'pay' })).toMatchObject({ state: 'paid' })
  expect(entities.actors.getCached(address)).toBeUndefined()
  expect(await entities.perform({ bundle }, 'update', { id, data: { total: 1 } })).toMatchObject({ version: 3 })
  expect(entities.actors.getCached(address)).toMatchObject({ state: 'paid' })
})
