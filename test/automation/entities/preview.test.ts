/** The effects of a source on a Definition, previewed before publication. Source: contract 3, "entity source"; contract 6. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { order } from './store-world.ts'
import { data, openWorld, type Place } from './world.ts'

/** Without `paid`: an order is shipped directly. */
const direct = { ...order, states: { initial: 'open', states: { open: { on: { ship: 'shipped' } }, shipped: {} } } }
const countedMax = 1_000

let world: Awaited<ReturnType<typeof openWorld<void>>>
let place: Place
beforeAll(async () => {
  world = await openWorld(async (place, perform) => {
    const orders = { bundle: place.bundle }
    const make = async (...events: string[]) => {
      const { id } = await perform(orders, 'create', { data: { total: 1 } })
      for (const event of events) await perform(orders, 'transition', { id, event })
      return id
    }
    await make()
    await make('pay')
    await make('pay')
    await make('pay', 'ship')
    await perform(orders, 'delete', { id: await make('cancel') })
  })
  place = world.place
})
afterAll(() => world?.stop())

async function pathOf(name: string): Promise<string> {
  const { items } = await data(world.owner.get(`${place.project}/definitions?name=${name}`))
  return `${place.project}/definitions/${items[0].id}/revisions`
}
const preview = async (source: object, { by = world.owner, name = 'order' }: { by?: Client; name?: string } = {}) =>
  by.post(`${await pathOf(name)}/preview`, { source })

test('returns the statechart that entities would have', async () => {
  const { status, body } = await preview(direct)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    isLatest: false,
    machine: { kind: 'entity', title: 'Entity order', layouts: null },
  })
  expect(body.data.machine.states).toEqual(['open', 'shipped', 'entity/deleted'])
  const published = await data(world.owner.post(await pathOf('empty'), { source: direct }))
  expect(body.data.sourceDigest).toBe(published.sourceDigest)
})

test('counts the entities in states that the source lacks, and no others', async () => {
  const { stranded } = await data(preview(direct))
  expect(stranded).toEqual([{ environmentId: place.environmentId, state: 'paid', count: 2, hasMore: false }])
  const none = await data(preview({ ...order, states: { initial: 'new', states: { new: {} } } }))
  const counts = none.stranded.map(({ state, count }: { state: string; count: number }) => [state, count])
  expect(counts).toEqual([
    ['open', 1],
    ['paid', 2],
    ['shipped', 1],
  ])
})

test('of the latest source strands none', async () => {
  expect(await data(preview(order))).toMatchObject({ isLatest: true, stranded: [] })
  expect((await data(preview(order, { name: 'empty' }))).stranded).toEqual([])
})

test('rejects what publishing would reject, with every issue, and writes nothing', async () => {
  const wrong = { schema: { type: 'object' }, states: { initial: 'gone', states: { open: { on: { pay: 'away' } } } } }
  const before = await data(world.owner.get(await pathOf('order')))
  const [previewed, published] = [
    await preview(wrong),
    await world.owner.post(await pathOf('order'), { source: wrong }),
  ]
  expect(previewed.status).toBe(422)
  expect(previewed.body.error.details).toEqual(published.body.error.details)
  await preview(direct)
  expect(await data(world.owner.get(await pathOf('order')))).toEqual(before)
})

test('a Definition of another kind has no statechart', async () => {
  const echo = {
    name: 'say',
    description: 'Says.',
    inputSchema: { type: 'object' },
    effect: 'read',
    idempotent: true,
    approval: 'never',
    handler: { type: 'echo' },
  }
  const { status, body } = await preview({ operations: [echo] }, { name: 'tools' })
  expect([status, body.data.machine, body.data.stranded, body.data.isLatest]).toEqual([200, null, null, false])
})

describe('a credential', () => {
  test('that may not read entities gets no counts', async () => {
    const by = await world.keyOf(['definitions:list', 'definitions:get', 'definitions:update'])
    expect(await data(preview(direct, { by }))).toMatchObject({ stranded: null, machine: { kind: 'entity' } })
  })

  test('that may not publish is rejected', async () => {
    const { status, body } = await preview(direct, { by: await world.keyOf(['definitions:get']) })
    expect([status, body.error.details.permission]).toEqual([403, 'definitions:update'])
  })
})

test('counting stops at a thousand', async () => {
  const database = new Database(world.file)
  database.run('pragma busy_timeout = 5000')
  const columns =
    'organization_id, project_id, environment_id, type, definition_revision_id, version, machine_version, '
  const rest = 'context, entity_version, data, created_at, updated_at'
  database.run(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n <= ?)
     insert into entities (id, state, ${columns}${rest})
     select 'ent_' || n, 'late', ${columns}${rest} from numbers, (select * from entities where state = 'shipped')`,
    [countedMax],
  )
  database.close()
  const { stranded } = await data(preview(order))
  expect(stranded).toEqual([{ environmentId: place.environmentId, state: 'late', count: countedMax, hasMore: true }])
})
