/** Repeated calls and concurrent calls. Source: contract 6, "Entity inputs". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bundleOf, freshKey, type Orders, openOrders, order } from './store-world.ts'

let entities: Orders['entities']
let bundle: Orders['bundle']
let create: Orders['create']
beforeAll(async () => {
  ;({ entities, bundle, create } = await openOrders())
})
afterAll(() => entities?.close())

describe('the same call, repeated', () => {
  test.each(['create', 'update', 'transition', 'delete'] as const)(
    '%s takes effect once and returns the same result',
    async (action) => {
      const key = freshKey()
      const { id } = await create()
      const inputs = {
        create: { data: { total: 5 } },
        update: { id, data: { total: 5 }, expectedVersion: 1 },
        transition: { id, event: 'pay', expectedVersion: 1 },
        delete: { id },
      }
      const first = await entities.perform({ bundle }, action, inputs[action], key)
      expect(await entities.perform({ bundle }, action, inputs[action], key)).toEqual(first)
      expect(await entities.rows('select entity_version from entities where id = ?', first.id)).toEqual([
        { entity_version: first.version },
      ])
    },
  )

  test.each(['create', 'update', 'transition', 'delete'] as const)('%s, eight times concurrently', async (action) => {
    const key = freshKey()
    const there = await entities.plant()
    const caller = { bundle: bundleOf(there, { order }) }
    const { id } = await entities.perform(caller, 'create', { data: { total: 1 } })
    const inputs = {
      create: { data: { total: 5 } },
      update: { id, data: { total: 5 }, expectedVersion: 1 },
      transition: { id, event: 'pay' },
      delete: { id },
    }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => entities.perform(caller, action, inputs[action], key)),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect((await entities.events(there)).length).toBe(2)
  })

  test('another Environment has its own call names', async () => {
    const key = freshKey()
    const elsewhere = bundleOf(await entities.plant(), { order })
    const first = await entities.perform({ bundle }, 'create', { data: { total: 1 } }, key)
    const second = await entities.perform({ bundle: elsewhere }, 'create', { data: { total: 1 } }, key)
    expect(second.id).not.toBe(first.id)
  })

  test('a rejected call is executed again', async () => {
    const key = freshKey()
    const { id } = await create()
    await entities.refused({ bundle }, 'transition', { id, event: 'ship' }, key)
    await entities.perform({ bundle }, 'transition', { id, event: 'pay' })
    expect(await entities.perform({ bundle }, 'transition', { id, event: 'ship' }, key)).toMatchObject({
      state: 'shipped',
    })
  })
})

describe('concurrently', () => {
  test('of 20 updates of one version one succeeds, and the others return a conflict', async () => {
    const { id } = await create()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, total) =>
        entities.perform({ bundle }, 'update', { id, data: { total }, expectedVersion: 1 }),
      ),
    )
    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    const lost = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
    expect([won.length, lost.length]).toEqual([1, 19])
    for (const { reason } of lost) expect(reason.conflict).toEqual({ currentState: 'open' })
  })

  test('changes without an expected version all succeed, and each returns the entity as it left it', async () => {
    const { id } = await create({ total: 0 })
    const answers = await Promise.all([
      entities.perform({ bundle }, 'transition', { id, event: 'pay' }),
      entities.perform({ bundle }, 'update', { id, data: { total: 1 } }),
      entities.perform({ bundle }, 'update', { id, data: { total: 2 } }),
    ])
    expect(answers.map(({ version, state, data }) => [version, state, data.total])).toEqual([
      [2, 'paid', 0],
      [3, 'paid', 1],
      [4, 'paid', 2],
    ])
    // in one transaction, and yet three versions
    expect(await entities.rows('select version, entity_version from entities where id = ?', id)).toEqual([
      { version: 2, entity_version: 4 },
    ])
  })

  test('two servers on one store: one succeeds', async () => {
    const { id } = await create()
    const [row] = await entities.rows<{ version: number }>('select version from entities where id = ?', id)
    // what another server has written since this one read
    await entities.store.commit([
      {
        sql: `update entities set version = ?, entity_version = 2, context = '{"version":2}' where id = ?`,
        parameters: [(row?.version ?? 0) + 1, id],
      },
    ])
    const failure = await entities.refused({ bundle }, 'update', { id, data: { total: 1 }, expectedVersion: 1 })
    expect(failure.conflict).toEqual({ currentState: 'open' })
    expect(await entities.perform({ bundle }, 'update', { id, data: { total: 1 }, expectedVersion: 2 })).toMatchObject({
      version: 3,
    })
  })
})
