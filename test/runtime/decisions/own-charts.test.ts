/** A kind whose actors each have their own statechart. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createMachine } from 'xstate'
import { Actors } from '../../../src/runtime/actors.ts'
import type { ActorKind, OwnChart } from '../../../src/runtime/kind.ts'
import type { Store } from '../../../storage/store.ts'
import { type House, openHouse } from '../support/lamps.ts'

/** Rooms connected by doors. */
type Map = Record<string, Record<string, string>>
interface RoomRow {
  id: string
  state: string
  version: number
  map: string
}

let compiled: string[] = []
const chartOf = (map: string): OwnChart => ({
  key: map,
  title: 'Walk',
  machine() {
    compiled.push(map)
    const rooms = Object.entries(JSON.parse(map) as Map)
    return createMachine({
      id: 'walk',
      version: '1',
      meta: { creations: { begin: {} } },
      initial: rooms[0]?.[0] ?? '',
      states: Object.fromEntries(rooms.map(([room, on]) => [room, { on }])),
    })
  },
})
const chart = (map: Map) => chartOf(JSON.stringify(map))

const walkKind: ActorKind<RoomRow> = {
  kind: 'walk',
  machine: createMachine({ id: 'walk', initial: 'here', states: { here: {} } }),
  chartOf: ({ map }) => chartOf(map),
  load: (store, id) => store.first<RoomRow>({ sql: 'select * from walks where id = ?', parameters: [id] }),
  snapshot: ({ state, version }) => ({ state, version, machineVersion: '1', context: '{}' }),
  apply({ address, before, state, version, moves }) {
    const map = moves.reduce((known, move) => move.chart?.key ?? known, before?.row.map ?? '')
    const row: RoomRow = { id: address.id, state, version, map }
    const sql = before
      ? 'update walks set state = ?, version = ?, map = ? where id = ? and version = ?'
      : 'insert into walks (state, version, map, id) values (?, ?, ?, ?)'
    const parameters = [state, version, map, row.id, ...(before ? [before.version] : [])]
    return { row, writes: [{ sql, parameters, rows: 1 }] }
  },
  effects: {},
}

let house: House
let actors: Actors
const open = (store: Store) => new Actors({ store, clock: house.clock, kinds: [walkKind] })
beforeAll(async () => {
  house = await openHouse()
  await house.tamper(
    'create table walks (id text primary key, state text not null, version integer not null, map text not null)',
  )
  actors = open(house.store)
})
afterAll(() => house?.close())

let count = 0
async function walk(map: Map) {
  count += 1
  const address = { kind: 'walk', id: `walk-${count}` }
  await actors.create(address, { input: undefined, seed: undefined, named: 'begin' }, { chart: chart(map) })
  return address
}
type Address = Awaited<ReturnType<typeof walk>>
const go = async (address: Address, type: string, map?: Map) =>
  (await actors.send(address, { type }, map ? { chart: chart(map) } : {})).actor.state
const refused = async (promise: Promise<unknown>) => {
  const error = (await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { status?: number; details?: object }
  return { status: error.status, details: error.details }
}

const house_: Map = { hall: { up: 'attic', out: 'garden' }, attic: { down: 'hall' }, garden: { in: 'hall' } }
const flat: Map = { kitchen: { left: 'bath' }, bath: { right: 'kitchen' } }

test('actors of one kind each follow their own chart', async () => {
  const [a, b] = await Promise.all([walk(house_), walk(flat)])
  expect([await go(a, 'up'), await go(b, 'left')]).toEqual(['attic', 'bath'])
  expect(await refused(go(a, 'left'))).toEqual({ status: 409, details: { currentState: 'attic' } })
  expect(await refused(go(b, 'down'))).toEqual({ status: 409, details: { currentState: 'bath' } })
  expect(await house.journal(b.id)).toMatchObject([{ event: 'begin' }, { from_state: 'kitchen', to_state: 'bath' }])
})

test('another process reads it from the row', async () => {
  const address = await walk(house_)
  await go(address, 'up')
  const other = open(house.store)
  expect((await other.send(address, { type: 'down' })).actor).toMatchObject({ state: 'hall', version: 3 })
})

test('is compiled once for all actors that have it', async () => {
  compiled = []
  const map = { one: { on: 'two' }, two: {} }
  for (const _ of [1, 2, 3]) await go(await walk(map), 'on')
  expect(compiled.length).toBe(1)
})

test('an actor cannot be created without one', async () => {
  const creation = { input: undefined, seed: undefined, named: 'begin' }
  const bare = actors.create({ kind: 'walk', id: 'walk-bare' }, creation)
  await expect(bare).rejects.toThrow('created with a statechart of its own')
})

test('is used by previews and reads', async () => {
  const address = await walk(flat)
  expect(await actors.preview(address, { type: 'left' })).toMatchObject({ accepted: true, state: 'bath' })
  expect(await actors.preview(address, { type: 'up' })).toEqual({ accepted: false, state: 'kitchen' })
  const actor = await actors.read(address)
  expect([actors.hasRow(actor!, 'left'), actors.hasRow(actor!, 'up')]).toEqual([true, false])
  expect(actors.tableOf('walk', actor?.row).states).toEqual(['kitchen', 'bath'])
})

describe('a chart in a command', () => {
  const wider: Map = { ...house_, hall: { fly: 'roof' }, roof: {} }

  test('decides, and stays with the actor', async () => {
    const address = await walk(house_)
    expect(await go(address, 'fly', wider)).toBe('roof')
    expect(actors.tableOf('walk', (await actors.read(address))?.row).states).toContain('roof')
    expect(await refused(go(address, 'fly'))).toEqual({ status: 409, details: { currentState: 'roof' } })
  })

  test('is dropped if it refuses the command', async () => {
    const address = await walk(house_)
    expect(await refused(go(address, 'up', wider))).toMatchObject({ status: 409 })
    expect(await go(address, 'up')).toBe('attic')
  })

  test('is refused if it lacks the current state', async () => {
    const address = await walk(house_)
    expect(await refused(go(address, 'left', flat))).toEqual({ status: 409, details: { currentState: 'hall' } })
  })

  test('applies to later commands in the same turn', async () => {
    const address = await walk(house_)
    const states = await Promise.all([go(address, 'out'), go(address, 'in', wider), go(address, 'fly')])
    expect(states).toEqual(['roof', 'roof', 'roof'])
    expect((await house.journal(address.id)).map(({ to_state }) => to_state)).toEqual([
      'hall',
      'garden',
      'hall',
      'roof',
    ])
  })
})

test('charts beyond the size of the cache are read again', async () => {
  const address = await walk(house_)
  for (let number = 0; number < 300; number += 1) {
    actors.tableOfChart('walk', chart({ [`room-${number}`]: {} }))
  }
  compiled = []
  expect(await go(address, 'up')).toBe('attic')
  expect(compiled).toEqual([JSON.stringify(house_)])
})

test('an unreadable chart damages only its actor', async () => {
  const [broken, whole] = await Promise.all([walk(house_), walk(house_)])
  await house.tamper(`update walks set map = '{' where id = ?`, broken.id)
  const other = open(house.store)
  await expect(other.send(broken, { type: 'up' })).rejects.toMatchObject({ name: 'CorruptSnapshot' })
  expect((await other.send(whole, { type: 'up' })).actor.state).toBe('attic')
})
