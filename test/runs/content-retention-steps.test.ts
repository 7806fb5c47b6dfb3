/** Content is removed in steps, and what a crash leaves is removed later. */
import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { insert, openFile, traces } from '../tenancy/deletions/rows.ts'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const day = 86_400_000
/** A word in all content. */
const marker = 'Rumpelstilzchen'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())
beforeEach(() => {
  expect(world.errors).toEqual([])
})

const prune = () => world.runs.contentRetention.prune(500)
const proceed = (runId: string, query = 'more') => world.owner.post(`${path}/${runId}/continue`, { query })
const inFile = <Result>(work: (database: Database) => Result): Result => {
  const database = openFile(world.file)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
const marks = () => inFile((database) => traces(database, [marker]))
const streamOf = (runId: string, query: Record<string, number> = {}, lastEventId?: number) =>
  world.owner.raw('GET', `${path}/${runId}/stream`, undefined, {
    query,
    headers: lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) },
  })
/** A run with all kinds of content: two chains, a failed call, an external result, a checkpoint. */

/** An ended run whose stream is removed in steps; the number of its last frame. */
async function longRun() {
  const runId = await world.startIn('completed')
  const [{ last }] = (await world.store.db
    .selectFrom('run_events')
    .select(({ fn }) => fn.max('last_sequence').as('last'))
    .where('run_id', '=', runId)
    .execute()) as [{ last: number }]
  inFile((database) =>
    database.transaction(() => {
      for (let sequence = last + 1; sequence <= last + 2_500; sequence += 1) {
        const frames = `["${marker}"]`
        insert(database, 'run_events', { run_id: runId, first_sequence: sequence, last_sequence: sequence, frames })
      }
    })(),
  )
  return { runId, tail: last + 2_500 }
}
const groupsOf = async (runId: string) =>
  (await world.store.db.selectFrom('run_events').select('frames').where('run_id', '=', runId).execute()).length

/** Removes what has expired; `committed` is called after each commit. */
async function pruneWatched(committed: () => Promise<unknown>): Promise<number> {
  const { background } = world.store
  const { commit } = background
  background.commit = async (...given) => {
    await commit(...given)
    await committed()
  }
  try {
    return await prune()
  } finally {
    background.commit = commit
  }
}

test('a stream of very many frames is removed in steps', async () => {
  const { runId, tail } = await longRun()
  const left = [await groupsOf(runId)]
  world.clock.advance(31 * day)
  expect(await pruneWatched(async () => left.push(await groupsOf(runId)))).toBe(1)
  const sizes = left.slice(1).map((count, index) => (left[index] as number) - count)
  expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThan(2_500)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(200)
  expect(marks()).toEqual({})
  expect((await streamOf(runId, {}, tail)).status).toBe(204)
})

test('a run whose stream is being removed does not continue, and is removed completely after a crash', async () => {
  const { runId } = await longRun()
  const whole = await groupsOf(runId)
  world.clock.advance(31 * day)
  const crash = new Error('The server crashed.')
  const crashing = pruneWatched(async () => {
    if ((await groupsOf(runId)) < whole) throw crash
  })
  await expect(crashing).rejects.toBe(crash)
  const refused = await proceed(runId)
  expect([refused.status, refused.body.error.details?.conflictReason]).toEqual([409, 'content_removed'])
  expect(await prune()).toBe(1)
  expect(marks()).toEqual({})
})

test('the content of many runs is removed in one pass', async () => {
  const runs = await Promise.all(Array.from({ length: 130 }, () => world.start({ query: marker })))
  await Promise.all(runs.map((runId) => world.runner.lead(runId, 'canceled')))
  world.clock.advance(31 * day)
  expect(await world.runs.contentRetention.prune(120)).toBe(120)
  expect(await prune()).toBe(10)
  expect(marks()).toEqual({})
})
