/** Expired records are pruned: results of calls, and deleted entities. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pruneEntities, pruneEntityCalls } from '../../../src/automation/entities/retention.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { bundleOf, type Entities, openEntities, order } from './store-world.ts'

const day = 86_400_000
const clock = new HandClock()
let entities: Entities
beforeAll(async () => {
  entities = await openEntities({ clock })
})
afterAll(() => entities?.close())

const count = async (table: string) =>
  (await entities.rows<{ count: number }>(`select count(*) as count from ${table}`))[0]?.count

test('after 30 days, at most as many at a time as requested', async () => {
  const caller = { bundle: bundleOf(await entities.plant(), { order }) }
  const ids: string[] = []
  for (let total = 0; total < 4; total += 1) {
    ids.push((await entities.perform(caller, 'create', { data: { total } })).id)
  }
  const narrow = { ...order, states: { initial: 'open', states: { open: {} } } }
  await entities.perform({ bundle: bundleOf(placeOf(caller), { order: narrow }) }, 'delete', { id: ids[0] })
  await entities.perform(caller, 'delete', { id: ids[1] })
  clock.advance(day)
  await entities.perform(caller, 'delete', { id: ids[2] })
  const { store, actors } = entities
  const prune = async (limit: number) => [
    await pruneEntityCalls({ store: store.background, clock }, limit),
    await pruneEntities({ store: store.background, clock, actors }, limit),
  ]

  expect(await prune(10)).toEqual([0, 0])
  clock.advance(29 * day - 1)
  expect(await prune(10)).toEqual([0, 0])
  clock.advance(1)
  expect(await prune(1)).toEqual([1, 1])
  expect(await prune(10)).toEqual([5, 1])
  expect(await prune(10)).toEqual([0, 0])
  expect([await count('entities'), await count('entity_past_charts'), await count('entity_calls')]).toEqual([2, 0, 1])
  for (const id of ids.slice(0, 2)) {
    expect(await entities.journal(id)).toEqual([])
    expect(await actors.read({ kind: 'entity', id })).toBeUndefined()
  }
  // existing entities stay, however old
  clock.advance(400 * day)
  await prune(10)
  expect(await entities.perform(caller, 'update', { id: ids[3], data: { total: 9 } })).toMatchObject({ version: 2 })
})

const placeOf = ({ bundle }: { bundle: ReturnType<typeof bundleOf> }) => {
  const { organizationId, projectId, environmentId } = bundle.bundle
  return { organizationId, projectId, environmentId }
}
