/** Calls on entities that are rejected. Source: contract 6, "Entity inputs". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { bundleOf, type Orders, openOrders, order } from './store-world.ts'

let entities: Orders['entities']
let bundle: Orders['bundle']
let create: Orders['create']
beforeAll(async () => {
  ;({ entities, bundle, create } = await openOrders())
})
afterAll(() => entities?.close())

describe('rejected with a conflict, without a row in the journal', () => {
  test.each([
    ['an event that the state lacks', 'transition', { event: 'ship' }, 'does not accept ship in state open'],
    ['an unknown event', 'transition', { event: 'fly' }, 'does not accept fly in state open'],
    [
      'an internal event of Troupe',
      'transition',
      { event: 'entity/delete' },
      'does not accept entity/delete in state open',
    ],
    ['an event named like a property of every object', 'transition', { event: 'toString' }, 'does not accept toString'],
    [
      'a transition that expects another version',
      'transition',
      { event: 'pay', expectedVersion: 2 },
      'was not at version 2. It is at version 1 now: read it',
    ],
    [
      'an update that expects another version',
      'update',
      { data: { total: 1 }, expectedVersion: 9 },
      'was not at version 9. It is at version 1 now: read it',
    ],
  ] as const)('%s', async (_, action, input, message) => {
    const { id } = await create()
    const failure = await entities.refused({ bundle }, action, { id, ...input })
    expect(failure).toMatchObject({ code: 'tool_error', isUncertain: false, conflict: { currentState: 'open' } })
    expect(failure.message).toContain(message)
    expect((await entities.journal(id)).length).toBe(1)
    expect(await entities.rows('select entity_version from entities where id = ?', id)).toEqual([{ entity_version: 1 }])
  })
})

describe('rejected without a conflict', () => {
  const id = 'ent_01h455vb4pex5vsknk084sn02q'
  const large = { note: 'x'.repeat(262_144), total: 1 }
  test.each([
    ['create', null, '/ must be an object'],
    ['create', [], '/ must be an object'],
    ['create', 'data', '/ must be an object'],
    ['create', {}, '/data must be an object'],
    ['create', { data: null }, '/data must be an object'],
    ['create', { data: [] }, '/data must be an object'],
    ['create', { data: 'x' }, '/data must be an object'],
    ['create', { data: { total: 1 }, id }, '/id is unknown'],
    ['create', { data: { total: 1 }, expectedVersion: 1 }, '/expectedVersion is unknown'],
    ['create', { data: {} }, "/data must have required property 'total'"],
    ['create', { data: { total: -1 } }, '/data/total must be >= 0'],
    ['create', { data: { total: '1' } }, '/data/total must be integer'],
    ['create', { data: { total: 1, other: 1 } }, '/data must NOT have additional properties'],
    ['create', { data: JSON.parse('{"total":1,"__proto__":1}') }, '/data must NOT have additional properties'],
    ['create', { data: large }, '/data may have at most 262,144 bytes'],
    ['update', { data: { total: 1 } }, '/id must be a string'],
    ['update', { id, data: 1 }, '/data must be an object'],
    ['update', { id: 7, data: { total: 1 } }, '/id must be a string'],
    ['update', { id, data: { total: 1 }, expectedVersion: 0 }, '/expectedVersion must be an integer'],
    ['update', { id, data: { total: 1 }, expectedVersion: 1.5 }, '/expectedVersion must be an integer'],
    ['update', { id, data: { total: 1 }, expectedVersion: '1' }, '/expectedVersion must be an integer'],
    ['update', { id, data: { total: 1 }, expectedVersion: null }, '/expectedVersion must be an integer'],
    ['update', { id, data: { total: 1 } }, `There is no order ${id}.`],
    ['update', { id, data: { total: 'x' } }, '/data/total must be integer'],
    ['transition', { id }, '/event must be a string'],
    ['transition', { id, event: '' }, '/event must be a string'],
    ['transition', { id, event: { type: 'pay' } }, '/event must be a string'],
    ['transition', { id, event: 'pay', data: {} }, '/data is unknown'],
    ['transition', { id, event: 'pay' }, `There is no order ${id}.`],
    ['transition', { id: '__proto__', event: 'pay' }, 'There is no order __proto__.'],
    ['delete', {}, '/id must be a string'],
    ['delete', { id, expectedVersion: 1 }, '/expectedVersion is unknown'],
    ['delete', { id }, `There is no order ${id}.`],
    ['delete', { id: 'x'.repeat(5_000) }, 'There is no order x'],
  ] as const)('%s %j', async (action, input, message) => {
    const failure = await entities.refused({ bundle }, action, input)
    const code = message.startsWith('There is no order') ? 'not_found' : 'tool_error'
    expect(failure).toMatchObject({ code, conflict: null })
    expect(failure.message).toContain(message)
  })

  test.each(['nothing', 'toString', '__proto__'])('there is no entity %s in the Deployment', async (entity) => {
    const failure = await entities.refused({ bundle, entity }, 'create', { data: { total: 1 } })
    expect(failure.message).toBe(`There is no entity ${entity} in the Deployment.`)
  })

  test('the entity of another type, another Environment or another organization is not found', async () => {
    const { id } = await create()
    const elsewhere = bundleOf(await entities.plant(), { order })
    for (const [caller, type] of [
      [{ bundle, entity: 'thing' }, 'thing'],
      [{ bundle: elsewhere }, 'order'],
    ] as const) {
      const { message } = await entities.refused(caller, 'delete', { id })
      expect(message).toBe(`There is no ${type} ${id}.`)
    }
  })

  test('a removed Environment accepts no calls', async () => {
    const there = await entities.plant()
    await entities.store.commit([
      { sql: "update environments set state = 'deleting' where id = ?", parameters: [there.environmentId] },
    ])
    const { message } = await entities.refused({ bundle: bundleOf(there, { order }) }, 'create', { data: { total: 1 } })
    expect(message).toBe('The Environment no longer accepts entities.')
  })
})
