/** How long actors stayed in a state, also after a restart. Source: contract 13, "Fleet". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Listener, Notification } from '../../../../src/runtime/actors.ts'
import { StateStays, type StayParts } from '../../../../src/runtime/statecharts/fleet/stays.ts'
import type { Write } from '../../../../storage/store.ts'
import { eventually } from '../../../support/process.ts'
import { openMigrated } from '../../../support/stores/migrated-store.ts'
import { openTroupe, type Troupe } from '../../../support/troupe.ts'
import { HandClock } from '../clock.ts'

const clock = new HandClock()
let folder: string
let troupe: Troupe
const open = async () => {
  troupe = await openTroupe({ folder, clock, environment: { TROUPE_RUNNER: 'none' } })
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-fleet-'))
  await open()
})
afterAll(async () => {
  await troupe?.stop()
  await rm(folder, { recursive: true })
})

const secondsQueued = async () => {
  const { body } = await troupe.owner.get('/api/v1/machines/run/population')
  return body.data.states.find(({ state }: { state: string }) => state === 'queued').secondsInState
}
/** A run that is canceled this many seconds after its start. */
async function queuedFor(seconds: number) {
  const { body } = await troupe.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' })
  clock.advance(seconds * 1_000)
  expect((await troupe.owner.post(`/api/v1/agent-runs/${body.data.id}/cancel`)).body.data.state).toBe('canceled')
}

test('percentiles are of actors that left the state, and survive a restart', async () => {
  expect(await secondsQueued()).toEqual({ p50: null, p95: null })
  for (const seconds of [1, 2, 3, 40]) await queuedFor(seconds)
  clock.advance(2_000)
  await eventually('what was noted', async () => (await secondsQueued()).p95 === 40)
  expect(await secondsQueued()).toEqual({ p50: 2, p95: 40 })

  // the stop stores the latest values
  await queuedFor(5)
  await troupe.stop()
  await open()
  expect(await secondsQueued()).toEqual({ p50: 3, p95: 40 })
})

test('they are of the last thousand', async () => {
  const { Database } = await import('bun:sqlite')
  const database = new Database(troupe.file)
  database.run('update state_stays set milliseconds = ?', [JSON.stringify(Array.from({ length: 1_000 }, () => 9_000))])
  database.close()
  await queuedFor(60)
  clock.advance(2_000)
  const stored = () => {
    const file = new Database(troupe.file, { readonly: true })
    const rows = file
      .query<{ milliseconds: string }, []>("select milliseconds from state_stays where state = 'queued'")
      .all()
    file.close()
    return rows.map(({ milliseconds }) => JSON.parse(milliseconds) as number[])
  }
  await eventually('the newest', () => stored().every((each) => each.at(-1) === 60_000))
  expect(stored().map(({ length }) => length)).toEqual([1_000])
})

test('those of several states and places are stored in one unit of work', async () => {
  const store = await openMigrated()
  const units: string[][] = []
  const background = {
    ...store.background,
    db: store.db,
    commit: async (unit: readonly Write[]) => void units.push(unit.map(({ parameters }) => parameters.join())),
  }
  const listeners: Listener[] = []
  const actors = { subscribe: (_: unknown, listener: Listener) => void listeners.push(listener) }
  const parts = { store: { ...store, background }, actors, clock, onError: () => {} } as unknown as StayParts
  const stays = new StateStays(parts)
  const row = { row: { organization_id: 'org_a', project_id: 'prj_a' } }
  const moves = ['queued', 'running'].map((from, at) => ({ from, sequence: at + 1, event: { at: 5 } }))
  for (const listener of listeners.slice(0, 1))
    listener({ actor: { row }, moves, before: { since: 0 } } as unknown as Notification)
  await stays.stop()
  expect(units).toHaveLength(1)
  // in the same order at every server, so that units do not wait for each other in a circle
  expect(units[0]).toHaveLength(4)
  expect(units[0]).toEqual(units[0]?.toSorted() as string[])
  await store.close()
})
