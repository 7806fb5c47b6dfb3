/**
 * Calls whose hint was lost, or whose follow-up failed because the store was unavailable: they are found in the store a
 * little later. Source: contract 6; scale-out, I5.
 */
import { afterEach, expect, test } from 'bun:test'
import { invocationAddress } from '../../../src/automation/operations/invocations/actor.ts'
import { type Members, OneMember } from '../../../src/platform/members/members.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { raw } from '../../events/history/feed-world.ts'
import { eventually } from '../../support/process.ts'
import { openPlanted, type PlantedWorld } from './planted-world.ts'

const seconds = 1_000

let world: PlantedWorld
afterEach(() => world?.stop())

/** A store that several servers may use, as far as invocations ask. */
const asShared = (store: Store): Store =>
  new Proxy(store, {
    get(target, name) {
      if (name === 'engine') return 'postgres'
      const value = Reflect.get(target, name, target) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

const ended = (id: string) =>
  eventually(`the end of ${id}`, async () => (await world.stateOf(id)) !== 'running' && (await world.stateOf(id)))

/** Another server commits the change of the row. */
const elsewhere = (id: string, from: string, to: string) =>
  world.store.commit([
    raw(
      'update operation_invocations set version = version + 1, context = replace(context, ?, ?) where id = ?',
      from,
      to,
      id,
    ),
  ])

test('the executions of a dead server are continued although the store was away when it died', async () => {
  let away = 1
  const members = (clock: { now(): number }): Members => {
    const one = new OneMember(clock, '1')
    one.look = async () => {
      away -= 1
      if (away >= 0) throw new StoreUnavailable('The store does not answer.')
      return one.living
    }
    return one
  }
  world = await openPlanted({ members })
  const id = await world.call(await world.run('running'), 'send')
  const { name } = world.invocations
  await elsewhere(id, `"${name}"`, '"gone"')
  // it has sent the call
  await elsewhere(id, '"unsent":1', '"unsent":null')
  await world.store.commit([raw("update operation_invocations set performer = 'gone' where id = ?", id)])
  world.actors.forget(invocationAddress(id))

  await world.invocations.start()
  expect([world.errors.length, await world.stateOf(id)]).toEqual([1, 'running'])
  world.clock.advance(10 * seconds)
  expect(await ended(id)).toBe('unknown')
})

test('a call that another server has canceled is aborted although the hint was lost', async () => {
  world = await openPlanted({ over: asShared })
  await world.invocations.start()
  const id = await world.call(await world.run('running'), 'send')
  await elsewhere(id, '"canceled":false', '"canceled":true')
  world.clock.advance(10 * seconds)
  expect(await ended(id)).toBe('failed')
})

test('a call of a dead server is not repeated for a run that was canceled in the meantime', async () => {
  let made = 0
  const make = () => {
    made += 1
    return new Promise(() => {})
  }
  world = await openPlanted({ make })
  const run = await world.run('running')
  const id = await world.call(run, 'look')
  await eventually('its first execution', () => made === 1)
  const { name } = world.invocations
  await elsewhere(id, `"${name}"`, '"gone"')
  await elsewhere(id, '"performances":1', '"performances":2')
  await world.store.commit([raw("update operation_invocations set performer = 'gone' where id = ?", id)])
  world.actors.forget(invocationAddress(id))
  await world.move(run, 'canceled')

  await world.invocations.start()
  expect([await ended(id), made]).toEqual(['failed', 1])
})

test('a call of a canceled run is aborted although it could not be told', async () => {
  world = await openPlanted({ over: asShared })
  await world.invocations.start()
  const [canceled, others] = [await world.run('running'), await world.run('running')]
  const id = await world.call(canceled, 'send')
  const other = await world.call(others, 'send')
  await world.move(canceled, 'canceled')
  world.clock.advance(10 * seconds)
  expect(await ended(id)).toBe('failed')
  expect(await world.isCanceled(id)).toBe(true)
  expect([await world.stateOf(other), await world.isCanceled(other)]).toEqual(['running', false])
})
