/** Events that every active Environment receives, also across crashes. Source: contract 7, "Who emits what". */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { SystemAgents } from '../../../src/authoring/system-agents/system-agents.ts'
import { Broadcasts, broadcast } from '../../../src/events/history/broadcasts.ts'
import { allWork } from '../../../src/runtime/work-share.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { newPlace, openWorld, type Place, planting, raw, type World } from './feed-world.ts'

let world: World
let clock: HandClock
const errors: unknown[] = []
const running: Broadcasts[] = []
beforeEach(async () => {
  world = await openWorld()
  clock = new HandClock()
  errors.length = 0
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((broadcasts) => broadcasts.stop()))
  await world?.store.close()
})

const open = (store: Store = world.store) => {
  const broadcasts = new Broadcasts({
    store,
    clock,
    members: allWork,
    notices: null,
    onError: (error) => void errors.push(error),
  })
  running.push(broadcasts)
  return broadcasts
}
const tell = (enabled: string) =>
  world.store.commit([
    broadcast(world.store, {
      type: 'system_agent.policy_changed',
      subject: { type: 'systemAgent', id: 'agt_system_one' },
      actor: { type: 'apiKey', id: 'key_1' },
      data: { agentId: 'agt_system_one', to: enabled },
      at: clock.now(),
    }),
  ])
async function plantMany(count: number): Promise<Place[]> {
  const places = Array.from({ length: count }, newPlace)
  await world.store.commit(places.flatMap((place) => planting(place)))
  return places
}
const left = async () => (await world.store.all({ sql: 'select id from announcements', parameters: [] })).length
const through = () => eventually('the end of the announcements', async () => (await left()) === 0)
/** The events of each Environment, in order. */
async function heard(): Promise<Record<string, string[]>> {
  const rows = await world.store.all<{ environment_id: string; body: string }>({
    sql: 'select environment_id, body from environment_events order by environment_id, sequence',
    parameters: [],
  })
  const states: Record<string, string[]> = {}
  for (const { environment_id, body } of rows) {
    const known = states[environment_id] ?? []
    states[environment_id] = [...known, JSON.parse(body).data.to]
  }
  return states
}
const each = (places: readonly Place[], states: string[]) =>
  Object.fromEntries(places.map(({ environmentId }) => [environmentId, states]))

/** A store that accepts this many units of work, and then fails; in a crash, the answer to the last one is lost too. */
const failingAfter = (units: number): Store => {
  let left = units
  return new Proxy(world.store, {
    get(store, name) {
      if (name !== 'commit') {
        const value = Reflect.get(store, name, store)
        return typeof value === 'function' ? value.bind(store) : value
      }
      return async (unit: Parameters<Store['commit']>[0]) => {
        if (left <= 0) throw new StoreUnavailable('gone')
        left -= 1
        await store.commit(unit)
        if (left === 0) throw new StoreUnavailable('gone')
      }
    },
  })
}

test('every active Environment receives the event once, with the data of the change', async () => {
  const places = await plantMany(137)
  const [provisioning, deleting] = [
    await world.plant({ state: 'provisioning' }),
    await world.plant({ state: 'deleting' }),
  ]
  const later = await world.plant({ createdAt: clock.now() + 1 })
  open().start()
  await tell('disabled')
  running[0]?.wake()
  await through()
  expect(await heard()).toEqual(each(places, ['disabled']))
  for (const place of [provisioning, deleting, later]) expect(await world.stored(place)).toEqual([])
  const { events } = await world.read(places[0] as Place, 10)
  expect(events[0]).toMatchObject({
    ...places[0],
    type: 'system_agent.policy_changed',
    subject: { type: 'systemAgent', id: 'agt_system_one' },
    actor: { type: 'apiKey', id: 'key_1' },
    sequence: 1,
    timestamp: new Date(clock.now()).toISOString(),
  })
  expect(errors).toEqual([])
})

test('broadcasts stored before the start are sent at the start, one after the other', async () => {
  const places = await plantMany(3)
  for (const word of ['disabled', 'enabled', 'disabled']) await tell(word)
  open().start()
  await through()
  expect(await heard()).toEqual(each(places, ['disabled', 'enabled', 'disabled']))
})

test.each([0, 1, 2, 3, 4, 5])(
  'a crash after %d units of work omits no Environment and repeats no event',
  async (units) => {
    const places = await plantMany(160)
    await tell('disabled')
    const crashing = open(failingAfter(units))
    crashing.start()
    await eventually('the crash', () => errors.length > 0)
    await crashing.stop()
    expect(errors[0]).toBeInstanceOf(StoreUnavailable)
    open().start()
    await through()
    expect(await heard()).toEqual(each(places, ['disabled']))
  },
)

test('an unavailable store is queried again', async () => {
  const places = await plantMany(2)
  await tell('disabled')
  let away = true
  const flaky = new Proxy(world.store, {
    get(store, name) {
      const value = Reflect.get(store, name, store)
      if (name === 'commit' && away) return () => Promise.reject(new StoreUnavailable('away'))
      return typeof value === 'function' ? value.bind(store) : value
    },
  })
  open(flaky).start()
  await eventually('a failure', () => clock.waiting === 1)
  away = false
  clock.advance(1_000)
  await through()
  expect(await heard()).toEqual(each(places, ['disabled']))
})

test('two broadcasters at the same time repeat no event', async () => {
  const places = await plantMany(260)
  await tell('disabled')
  const both = [open(), open()]
  for (const one of both) one.start()
  await through()
  expect(await heard()).toEqual(each(places, ['disabled']))
  expect(errors).toEqual([])
})

describe('Environments that are deleted meanwhile', () => {
  test('are omitted, and no others', async () => {
    const places = await plantMany(60)
    await tell('disabled')
    const gone = places.slice(10, 20)
    let first = true
    const removing = new Proxy(world.store, {
      get(store, name) {
        const value = Reflect.get(store, name, store)
        if (name !== 'commit') return typeof value === 'function' ? value.bind(store) : value
        return async (unit: Parameters<Store['commit']>[0]) => {
          if (first) {
            first = false
            await store.commit(
              gone.map(({ environmentId }) => raw('delete from environments where id = ?', environmentId)),
            )
          }
          return store.commit(unit)
        }
      },
    })
    open(removing).start()
    await through()
    expect(await heard()).toEqual(
      each(
        places.filter((place) => !gone.includes(place)),
        ['disabled'],
      ),
    )
    expect(errors).toEqual([])
  })
})

test('a new revision of a System Agent is announced once, with the previous revision', async () => {
  const places = await plantMany(2)
  const one = (instructions: string) => ({ agt_system_one: { instructions } })
  const revisions = []
  for (const text of ['first', 'first', 'second', 'second']) {
    const agents = await SystemAgents.publish(world.store, clock, one(text))
    revisions.push(agents.find('agt_system_one')?.agentRevisionId)
  }
  open().start()
  await through()
  const [first, , second] = revisions
  for (const place of places) {
    const { events } = await world.read(place, 10)
    expect(events.map(({ type, subject, actor, data }) => ({ type, subject, actor, data }))).toEqual(
      [
        { agentRevisionId: first, previousAgentRevisionId: null, number: 1 },
        { agentRevisionId: second, previousAgentRevisionId: first, number: 2 },
      ].map((data) => ({
        type: 'system_agent.published' as const,
        subject: { type: 'systemAgent' as const, id: 'agt_system_one' },
        actor: { type: 'system' as const, id: 'troupe' },
        data: { agentId: 'agt_system_one', ...data },
      })),
    )
  }
})

test('without broadcasts there is no timer', async () => {
  open().start()
  running[0]?.wake()
  await Bun.sleep(0)
  expect(clock.waiting).toBe(0)
})
