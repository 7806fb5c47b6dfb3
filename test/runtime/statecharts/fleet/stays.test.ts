/** How long actors stayed in a state, also after a restart. Source: contract 13, "Fleet". */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../support/process.ts'
import { openTroupe, type Troupe } from '../../../support/troupe.ts'
import { HandClock } from '../clock.ts'

setDefaultTimeout(180_000)

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
