/** What operations do to entities. Source: contract 6, "Entity inputs"; requirement 6, `domain.entity.*`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { DeployedBundle } from '../../src/deployments/bundles.ts'
import type { Place } from '../events/world.ts'
import { bundleOf, type Entities, freshKey, openEntities, order } from './world.ts'

let entities: Entities
let place: Place
let bundle: DeployedBundle
beforeAll(async () => {
  entities = await openEntities('sqlite::memory:')
  place = await entities.plant()
  bundle = bundleOf(place, { order, thing: { schema: {}, states: { initial: 'new', states: { new: {} } } } })
})
afterAll(() => entities.close())

const create = (data: object = { total: 1 }) => entities.perform({ bundle }, 'create', { data })

test('create gives an entity in the initial state, with version 1', async () => {
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

test('update replaces the data and leaves the state', async () => {
  const { id } = await create({ total: 7, note: 'hello' })
  const updated = await entities.perform({ bundle }, 'update', { id, data: { total: 8 }, expectedVersion: 1 })
  expect(updated).toMatchObject({ id, state: 'open', version: 2, data: { total: 8 } })
  expect(updated.data).toEqual({ total: 8 })
  expect(await entities.journal(id)).toEqual([[null, 'create', 'open']])
})

test('transition moves along the statechart and leaves the data', async () => {
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

test('a transition that leads to the same state is a change like others', async () => {
  const { id } = await create()
  expect(await entities.perform({ bundle }, 'transition', { id, event: 'touch' })).toMatchObject({
    state: 'open',
    version: 2,
  })
})

test('in a final state data can be replaced, and the entity deleted', async () => {
  const { id } = await create()
  await entities.perform({ bundle }, 'transition', { id, event: 'cancel' })
  expect(await entities.perform({ bundle }, 'update', { id, data: { total: 2 } })).toMatchObject({
    state: 'canceled',
    version: 3,
  })
  expect(await entities.perform({ bundle }, 'delete', { id })).toMatchObject({ state: 'canceled', version: 4 })
})

test('delete gives the entity as it was; then there is none, and nothing of its data', async () => {
  const { id } = await create({ total: 1, note: 'private' })
  const gone = await entities.perform({ bundle }, 'delete', { id })
  expect(gone).toMatchObject({ id, state: 'open', version: 2, data: { total: 1, note: 'private' } })
  for (const [action, input] of [
    ['update', { id, data: { total: 1 } }],
    ['transition', { id, event: 'pay' }],
    ['delete', { id }],
  ] as const) {
    const { code, message, conflict } = await entities.refused({ bundle }, action, input)
    expect([code, message, conflict]).toEqual(['tool_error', `There is no order ${id}: not found.`, null])
  }
  expect(await entities.rows('select data from entities where id = ?', id)).toEqual([{ data: '{}' }])
})

describe('events', () => {
  test('tell of each change, thinly', async () => {
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

  test('a refused call leaves none', async () => {
    const there = await entities.plant()
    const caller = { bundle: bundleOf(there, { order }) }
    const { id } = await entities.perform(caller, 'create', { data: { total: 1 } })
    await entities.refused(caller, 'transition', { id, event: 'ship' })
    await entities.refused(caller, 'update', { id, data: {} })
    expect((await entities.events(there)).length).toBe(1)
    expect((await entities.journal(id)).length).toBe(1)
  })
})

describe('refused with a conflict, and no row in the journal', () => {
  test.each([
    ['an event that the state lacks', 'transition', { event: 'ship' }, 'takes no ship while it is open'],
    ['an event that there is not', 'transition', { event: 'fly' }, 'takes no fly while it is open'],
    ["an event of Troupe's own", 'transition', { event: 'entity/delete' }, 'takes no entity/delete while it is open'],
    ['an event that objects have by themselves', 'transition', { event: 'toString' }, 'takes no toString'],
    ['a transition of another version', 'transition', { event: 'pay', expectedVersion: 2 }, 'not at version 2'],
    ['an update of another version', 'update', { data: { total: 1 }, expectedVersion: 9 }, 'not at version 9'],
  ] as const)('%s', async (_, action, input, message) => {
    const { id } = await create()
    const failure = await entities.refused({ bundle }, action, { id, ...input })
    expect(failure).toMatchObject({ code: 'tool_error', isUncertain: false, conflict: { currentState: 'open' } })
    expect(failure.message).toContain(message)
    expect((await entities.journal(id)).length).toBe(1)
    expect(await entities.rows('select entity_version from entities where id = ?', id)).toEqual([{ entity_version: 1 }])
  })
})

describe('refused, without a conflict', () => {
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
    ['create', { data: { total: 1 }, id }, '/id is not for this'],
    ['create', { data: { total: 1 }, expectedVersion: 1 }, '/expectedVersion is not for this'],
    ['create', { data: {} }, "/data must have required property 'total'"],
    ['create', { data: { total: -1 } }, '/data/total must be >= 0'],
    ['create', { data: { total: '1' } }, '/data/total must be integer'],
    ['create', { data: { total: 1, other: 1 } }, '/data must NOT have additional properties'],
    ['create', { data: JSON.parse('{"total":1,"__proto__":1}') }, '/data must NOT have additional properties'],
    ['create', { data: large }, '/data may have at most 262,144 bytes'],
    ['update', { data: { total: 1 } }, '/id must be a text'],
    ['update', { id, data: 1 }, '/data must be an object'],
    ['update', { id: 7, data: { total: 1 } }, '/id must be a text'],
    ['update', { id, data: { total: 1 }, expectedVersion: 0 }, '/expectedVersion must be a whole number'],
    ['update', { id, data: { total: 1 }, expectedVersion: 1.5 }, '/expectedVersion must be a whole number'],
    ['update', { id, data: { total: 1 }, expectedVersion: '1' }, '/expectedVersion must be a whole number'],
    ['update', { id, data: { total: 1 }, expectedVersion: null }, '/expectedVersion must be a whole number'],
    ['update', { id, data: { total: 1 } }, `There is no order ${id}: not found.`],
    ['update', { id, data: { total: 'x' } }, '/data/total must be integer'],
    ['transition', { id }, '/event must be a text'],
    ['transition', { id, event: '' }, '/event must be a text'],
    ['transition', { id, event: { type: 'pay' } }, '/event must be a text'],
    ['transition', { id, event: 'pay', data: {} }, '/data is not for this'],
    ['transition', { id, event: 'pay' }, `There is no order ${id}: not found.`],
    ['transition', { id: '__proto__', event: 'pay' }, 'There is no order __proto__: not found.'],
    ['delete', {}, '/id must be a text'],
    ['delete', { id, expectedVersion: 1 }, '/expectedVersion is not for this'],
    ['delete', { id }, `There is no order ${id}: not found.`],
    ['delete', { id: 'x'.repeat(5_000) }, 'There is no order x'],
  ] as const)('%s %j', async (action, input, message) => {
    const failure = await entities.refused({ bundle }, action, input)
    expect(failure).toMatchObject({ code: 'tool_error', conflict: null })
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
      expect(message).toBe(`There is no ${type} ${id}: not found.`)
    }
  })

  test('a removed Environment takes none', async () => {
    const there = await entities.plant()
    await entities.store.commit([
      { sql: "update environments set state = 'deleting' where id = ?", parameters: [there.environmentId] },
    ])
    const { message } = await entities.refused({ bundle: bundleOf(there, { order }) }, 'create', { data: { total: 1 } })
    expect(message).toBe('The Environment takes no entities any more.')
  })
})

test('data of 256 KiB is taken', async () => {
  const data = { total: 1, note: 'x'.repeat(262_144 - JSON.stringify({ total: 1, note: '' }).length) }
  expect((await create(data)).data).toEqual(data)
})

test('a large one takes no memory while nobody works with it', async () => {
  const { id } = await create({ total: 1, note: 'x'.repeat(20_000) })
  const address = { kind: 'entity', id }
  expect(entities.actors.peek(address)).toBeUndefined()
  expect(await entities.perform({ bundle }, 'transition', { id, event: 'pay' })).toMatchObject({ state: 'paid' })
  expect(entities.actors.peek(address)).toBeUndefined()
  expect(await entities.perform({ bundle }, 'update', { id, data: { total: 1 } })).toMatchObject({ version: 3 })
  expect(entities.actors.peek(address)).toMatchObject({ state: 'paid' })
})

describe('the same call again', () => {
  test.each(['create', 'update', 'transition', 'delete'] as const)(
    '%s takes effect once and is answered alike',
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

  test.each(['create', 'update', 'transition', 'delete'] as const)('%s, eight times at once', async (action) => {
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

  test('another Environment has names of its own', async () => {
    const key = freshKey()
    const elsewhere = bundleOf(await entities.plant(), { order })
    const first = await entities.perform({ bundle }, 'create', { data: { total: 1 } }, key)
    const second = await entities.perform({ bundle: elsewhere }, 'create', { data: { total: 1 } }, key)
    expect(second.id).not.toBe(first.id)
  })

  test('what was refused is tried anew', async () => {
    const key = freshKey()
    const { id } = await create()
    await entities.refused({ bundle }, 'transition', { id, event: 'ship' }, key)
    await entities.perform({ bundle }, 'transition', { id, event: 'pay' })
    expect(await entities.perform({ bundle }, 'transition', { id, event: 'ship' }, key)).toMatchObject({
      state: 'shipped',
    })
  })
})

describe('at the same moment', () => {
  test('of 20 updates of one version one wins, and the others hear of a conflict', async () => {
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

  test('changes that ask for no version are all made, and each is answered as it left the entity', async () => {
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
    // in one unit of work, and yet three versions
    expect(await entities.rows('select version, entity_version from entities where id = ?', id)).toEqual([
      { version: 2, entity_version: 4 },
    ])
  })

  test('two servers on one store: one wins', async () => {
    const { id } = await create()
    const [row] = await entities.rows<{ version: number }>('select version from entities where id = ?', id)
    // what another server has written since this one looked
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
