/** Entities over HTTP. Source: contract 1, `projects:read-runtime-data`; contract 6, "Entities"; contract 7, 9. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data, openWorld } from './world.ts'

let world: Awaited<ReturnType<typeof open>>
/** One order in each state, oldest first; the last one is deleted. */
const open = () =>
  openWorld(async ({ bundle }, perform) => {
    const orders = []
    for (let total = 0; total < 7; total += 1) orders.push(await perform({ bundle }, 'create', { data: { total } }))
    const [, paid, shipped, , , updated, deleted] = orders.map(({ id }) => id)
    await perform({ bundle }, 'transition', { id: paid, event: 'pay' })
    await perform({ bundle }, 'transition', { id: shipped, event: 'pay' })
    await perform({ bundle }, 'transition', { id: shipped, event: 'ship' })
    await perform({ bundle }, 'update', { id: updated, data: { total: 50, note: 'changed' } })
    await perform({ bundle }, 'delete', { id: deleted })
    const ghost = await perform({ bundle, entity: 'ghost' }, 'create', { data: { total: 1 } })
    return { ids: orders.map(({ id }) => id), ghost: ghost.id }
  })
beforeAll(async () => {
  world = await open()
})
afterAll(() => world?.stop())

const list = (type = 'order', query = {}) => world.owner.get(`${world.place.path}/entities/${type}`, { query })
const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
/** Those that exist, newest first. */
const existing = () => world.written.ids.slice(0, 6).reverse()
const entity = (id: string, more = '', type = 'order') => `${world.place.path}/entities/${type}/${id}${more}`
const actor = (id: string, more = '') => `/api/v1/actors/entity/${id}${more}`

describe('the list', () => {
  test('contains one type, newest first, without deleted entities', async () => {
    const { status, body } = await list()
    expect(status).toBe(200)
    expect(idsOf(body.data.items)).toEqual(existing())
    expect(body.data.items[0]).toEqual({
      id: world.written.ids[5],
      type: 'order',
      state: 'open',
      version: 2,
      data: { total: 50, note: 'changed' },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    })
  })

  test('is paged, also with a state filter', async () => {
    const seen: string[] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await list('order', { limit: 2, cursor, state: 'open' })
      seen.push(...idsOf(body.data.items))
      expect(body.data.items.every(({ state }: { state: string }) => state === 'open')).toBe(true)
      cursor = body.pagination.nextCursor
      more = body.pagination.hasMore
    }
    const { ids } = world.written
    expect(seen).toEqual([ids[5], ids[4], ids[3], ids[0]] as string[])
  })

  test.each([
    ['paid', 1],
    ['shipped', 1],
    ['canceled', 0],
    ['entity/deleted', 0],
    ['nothing', 0],
  ])('of those that are %s has %d', async (state, count) => {
    expect((await list('order', { state })).body.data.items.length).toBe(count)
  })

  test('a cursor is bound to one type, one state and one Environment', async () => {
    const { nextCursor: cursor } = (await list('order', { limit: 1 })).body.pagination
    for (const [type, query] of [
      ['empty', { cursor }],
      ['order', { cursor, state: 'open' }],
    ] as const) {
      const { status, body } = await list(type, query)
      expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
    }
  })

  test('of a Definition without entities is empty', async () => {
    expect((await list('empty')).body.data.items).toEqual([])
  })

  test('of a deleted Definition still contains its entities', async () => {
    expect(idsOf((await list('ghost')).body.data.items)).toEqual([world.written.ghost])
  })

  test.each(['tools', 'nothing', 'x'.repeat(65), 'a.b', '__proto__'])(
    'for the unknown type %s returns 404',
    async (type) => {
      expect((await list(type)).status).toBe(404)
    },
  )

  test.each([{ limit: 0 }, { limit: 101 }, { state: '' }, { state: 'x'.repeat(65) }])(
    'with %j returns 422',
    async (query) => {
      expect((await list('order', query)).status).toBe(422)
    },
  )
})

describe('one entity', () => {
  test('is returned', async () => {
    const { status, body } = await world.owner.get(entity(world.written.ids[2] as string))
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ state: 'shipped', version: 3, data: { total: 2 } })
  })

  test('has its journal as its transitions, ascending', async () => {
    const { body } = await world.owner.get(entity(world.written.ids[2] as string, '/transitions'))
    const items = body.data.items as Record<string, unknown>[]
    expect(
      items.map(({ sequence, from, to, event, actor: by }) => [sequence, from, to, event, (by as { id: string }).id]),
    ).toEqual([
      [1, null, 'open', 'create', 'usr_1'],
      [2, 'open', 'paid', 'pay', 'usr_1'],
      [3, 'paid', 'shipped', 'ship', 'usr_1'],
    ])
  })

  test.each(['', '/transitions'])(
    'that was deleted, is of another type, or never existed returns 404 (%p)',
    async (more) => {
      const { ids, ghost } = world.written
      for (const path of [
        entity(ids[6] as string, more),
        entity(ids[0] as string, more, 'empty'),
        entity(ghost, more),
        entity('ent_01h455vb4pex5vsknk084sn02q', more),
        entity('nonsense', more),
      ]) {
        const { status, body } = await world.owner.get(path)
        expect([status, body.error.code]).toEqual([404, 'not_found'])
      }
    },
  )

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s returns 405, since only operations write entities',
    async (method) => {
      const { status } = await world.owner.call(method, entity(world.written.ids[0] as string), undefined, {
        unchecked: true,
      })
      expect(status).toBe(405)
    },
  )
})

describe('reading', () => {
  const paths = () => {
    const id = world.written.ids[0] as string
    return [
      `${world.place.path}/entities/order`,
      entity(id),
      entity(id, '/transitions'),
      actor(id),
      actor(id, '/machine'),
    ]
  }

  test('requires `projects:read-runtime-data`', async () => {
    const may = await world.keyOf(['projects:read-runtime-data'])
    const mayNot = await world.keyOf(['projects:get', 'agents:list'])
    for (const path of paths()) {
      expect((await may.get(path)).status).toBe(200)
      const { status, body } = await mayNot.get(path)
      expect([status, body.error.details]).toEqual([403, { permission: 'projects:read-runtime-data' }])
    }
  })

  test('with a key of another Environment finds nothing', async () => {
    const { projectId, environmentId, project } = world.place
    const { items } = await data(world.owner.get(`${project}/environments`))
    const other = items.find(({ id }: { id: string }) => id !== environmentId)
    const key = await world.keyOf(['projects:read-runtime-data'], { projectId, environmentId: other.id })
    for (const path of paths()) expect((await key.get(path)).status).toBe(404)
  })
})

test('a baseline lists entities, newest first: id, type, state and version, without data', async () => {
  const { body } = await world.owner.post(`${world.place.path}/events/rebaseline`)
  const { ids, ghost } = world.written
  const [first, ...rest] = body.baseline.entities
  expect(first).toEqual({ id: ghost, type: 'ghost', state: 'open', version: 1 })
  expect(rest.map(({ id, state, version }: Record<string, never>) => [id, state, version])).toEqual([
    [ids[5], 'open', 2],
    [ids[4], 'open', 1],
    [ids[3], 'open', 1],
    [ids[2], 'shipped', 3],
    [ids[1], 'paid', 2],
    [ids[0], 'open', 1],
  ])
})

test('the history contains their events, never their data', async () => {
  const { body } = await world.owner.get(`${world.place.path}/events`, { query: { limit: 100 } })
  const changes = body.events.filter(({ type }: { type: string }) => type.startsWith('domain.entity.'))
  expect(changes.length).toBe(13)
  expect(JSON.stringify(changes)).not.toContain('changed')
})

// last in this file, since it deletes everything
test('entities are deleted with their Project', async () => {
  const database = new Database(world.file)
  const left = () =>
    ['entities', 'entity_charts', 'entity_past_charts', 'entity_calls', "transitions where kind = 'entity'"].map(
      (table) => (database.query(`select count(*) as count from ${table}`).get() as { count: number }).count,
    )
  expect(left()[0]).toBe(8)
  const { status } = await world.owner.delete(world.place.project)
  expect(status).toBeLessThan(300)
  await eventually('the deletion of the Project', () => left().every((count) => count === 0))
  database.close()
})
