/** Calls through Deployments with other revisions of the Definition: the entity adopts the revision of an accepted call. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { entityChart } from '../../../machines/entity.ts'
import { entityKind } from '../../../src/automation/entities/actor.ts'
import { verifyActor } from '../../../src/runtime/statecharts/live/verify.ts'
import { viewActor } from '../../../src/runtime/statecharts/live/view.ts'
import { Watch } from '../../../src/runtime/statecharts/live/watch.ts'
import type { Place } from '../../events/history/feed-world.ts'
import { bundleOf, type Entities, openEntities, order } from './store-world.ts'

let entities: Entities
let place: Place
let watch: Watch
beforeAll(async () => {
  entities = await openEntities()
  place = await entities.plant()
  const { actors, store, clock } = entities
  watch = new Watch(entityKind, { actors, store, clock, onError: () => {} })
})
afterAll(() => entities?.close())

const withStates = (states: (typeof order)['states']['states'], initial = 'open') =>
  ({ bundle: bundleOf(place, { order: { ...order, states: { initial, states } } }) }) as const
const first = () => ({ bundle: bundleOf(place, { order }) })
const chartOf = async (id: string) => {
  const [row] = await entities.rows<{ definition_revision_id: string }>(
    'select definition_revision_id from entities where id = ?',
    id,
  )
  return row?.definition_revision_id
}
const revisionOf = ({ bundle }: ReturnType<typeof first>) => bundle.bundle.definitions[0]?.definitionRevisionId
/** Drops the actor from memory: the next read finds what is in the store alone. */
const forget = (id: string) => entities.actors.forget({ kind: 'entity', id })

/** Without `paid`: an order is shipped directly. */
const direct = { open: { on: { send: 'shipped' } }, shipped: { on: { back: 'open' } }, canceled: {} }

test('an accepted call adopts its revision', async () => {
  const before = first()
  const after = withStates(direct)
  const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
  expect(await chartOf(id)).toBe(revisionOf(before))
  expect(await entities.perform(after, 'transition', { id, event: 'send' })).toMatchObject({ state: 'shipped' })
  expect(await chartOf(id)).toBe(revisionOf(after))
  forget(id)
  expect(await entities.perform(after, 'transition', { id, event: 'back' })).toMatchObject({
    state: 'open',
    version: 3,
  })
})

test('an update adopts it too, and the statechart API shows it', async () => {
  const after = withStates(direct)
  const { id } = await entities.perform(first(), 'create', { data: { total: 1 } })
  await entities.perform(after, 'update', { id, data: { total: 2 } })
  expect(await chartOf(id)).toBe(revisionOf(after))
  expect((await viewActor(watch, id)).view.nextEvents).toEqual(['send', 'entity/update', 'entity/delete'])
  const { row } = await watch.actor(id)
  expect(watch.describe(row, entityChart)).toMatchObject({
    kind: 'entity',
    title: 'Entity order',
    xstate: { id: 'order' },
  })
  expect(watch.describe(row, entityChart)?.states).toEqual(['open', 'shipped', 'canceled', 'entity/deleted'])
})

test('a rejected call does not', async () => {
  const before = first()
  const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
  const { message } = await entities.refused(withStates(direct), 'transition', { id, event: 'pay' })
  expect(message).toBe(`The order ${id} does not accept pay in state open.`)
  expect(await chartOf(id)).toBe(revisionOf(before))
})

test.each([
  ['transition', { event: 'send' }],
  ['update', { data: { total: 1 } }],
  ['delete', {}],
] as const)('%s through a revision without the state of the entity is a conflict', async (action, input) => {
  const before = first()
  const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
  await entities.perform(before, 'transition', { id, event: 'pay' })
  const failure = await entities.refused(withStates(direct), action, { id, ...input })
  expect(failure.conflict).toEqual({ currentState: 'paid' })
  expect(failure.message).toBe(`The order ${id} is in state paid, which the deployed order does not have.`)
  // the adopted statechart still accepts it
  expect(await entities.perform(before, 'transition', { id, event: 'ship' })).toMatchObject({ state: 'shipped' })
})

test("the data is checked against the schema of the call's revision", async () => {
  const { id } = await entities.perform(first(), 'create', { data: { total: 1 } })
  const strict = { ...order, schema: { type: 'object', properties: { total: { maximum: 10 } } } }
  const after = { bundle: bundleOf(place, { order: strict }) }
  const { message } = await entities.refused(after, 'update', { id, data: { total: 11 } })
  expect(message).toContain('/data/total must be <= 10')
})

describe('the journal is verified by the statecharts under which it was written', () => {
  const there = async (id: string) => {
    forget(id)
    return verifyActor(watch, id)
  }

  test('switching back and forth', async () => {
    const [before, after] = [first(), withStates(direct)]
    const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
    await entities.perform(after, 'transition', { id, event: 'send' })
    await entities.perform(after, 'transition', { id, event: 'back' })
    await entities.perform(before, 'update', { id, data: { total: 1 } })
    await entities.perform(after, 'update', { id, data: { total: 1 } })
    await entities.perform(before, 'transition', { id, event: 'pay' })
    await entities.perform(before, 'transition', { id, event: 'ship' })
    await entities.perform(after, 'transition', { id, event: 'back' })
    expect(await there(id)).toEqual({ valid: true, storedState: 'open', replayedState: 'open', problem: null })
  })

  test('in one transaction', async () => {
    const [before, after] = [first(), withStates(direct)]
    const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
    await Promise.all([
      entities.perform(after, 'transition', { id, event: 'send' }),
      entities.perform(after, 'transition', { id, event: 'back' }),
      entities.perform(before, 'transition', { id, event: 'pay' }),
    ])
    expect(await entities.rows('select version from entities where id = ?', id)).toEqual([{ version: 2 }])
    expect(await there(id)).toMatchObject({ valid: true, storedState: 'paid' })
    expect(await chartOf(id)).toBe(revisionOf(before))
  })

  test('a row that was invalid under the statechart of its time is found', async () => {
    const [before, after] = [first(), withStates(direct)]
    const { id } = await entities.perform(before, 'create', { data: { total: 1 } })
    await entities.perform(before, 'transition', { id, event: 'touch' })
    await entities.perform(after, 'transition', { id, event: 'send' })
    await entities.store.commit([
      { sql: "update transitions set event = 'pay' where actor_id = ? and sequence = 2", parameters: [id] },
    ])
    expect(await there(id)).toMatchObject({
      valid: false,
      problem: 'Transition 2 is no move of the statechart: open, on pay, to shipped.',
    })
  })

  test('an unreadable statechart is reported', async () => {
    const caller = first()
    const { id } = await entities.perform(caller, 'create', { data: { total: 1 } })
    const chart = [place.environmentId, revisionOf(caller)]
    await entities.store.commit([
      {
        sql: `update entity_charts set states = '{' where environment_id = ? and definition_revision_id = ?`,
        parameters: chart,
      },
    ])
    // another process, which has not compiled it
    const other = await openEntities()
    const { performer: _, ...rest } = other
    const { store, clock } = entities
    const blind = new Watch(entityKind, { actors: rest.actors, store, clock, onError: () => {} })
    expect(await verifyActor(blind, id)).toMatchObject({ valid: false, storedState: 'open', replayedState: null })
    await other.close()
  })
})
