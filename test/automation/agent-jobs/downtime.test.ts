/** Ticks while the server was down, or when it stopped in the middle of one. Source: contract 6, Jobs; design 3. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { data } from '../../support/world/replies.ts'
import { firedOf, hour, type Job, type JobPlace, type JobsWorld, minute, openJobs, runsOf as runsIn } from './world.ts'

const clock = new HandClock()
const oneOClock = Date.parse('2026-01-31T13:00:00.000Z')
let folder: string
let after: Troupe
let client: Client
let place: JobPlace
const jobs: Record<string, string> = {}
let firstRun: string

async function create(world: JobsWorld, name: string, cron: string, changes: object = {}) {
  const given = { name, schedule: { cron }, overlap: 'allow', ...changes }
  jobs[name] = (await data<Job>(world.job(place, given))).id
}

/** Leaves a job as a crash right after the commit of a tick does: the later work is lost, or not recorded in the job. */
function rewind(database: Database, id: string, scheduledFor: number) {
  const firing = JSON.stringify({ scheduledFor, at: scheduledFor })
  database.run(
    `update agent_jobs set state = 'firing', version = version + 1, next_run_at = null,
      context = json_set(context, '$.nextRunAt', null, '$.firing', json(?)) where id = ?`,
    [firing, id],
  )
  database.run('delete from timers where actor_id = ?', [id])
  database.run(
    `insert into effects (id, kind, actor_id, name, params, attempts, due_at)
      values (?, 'agent-job', ?, 'fire', 'null', 0, 0)`,
    [crypto.randomUUID(), id],
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-jobs-'))
  const world = await openJobs({ clock, folder })
  place = await world.served()
  await create(world, 'run, not reported', '0 * * * *')
  clock.advance(hour)
  const ran = await world.fired(place, jobs['run, not reported'] as string, 1)
  firstRun = ran.lastFirings[0]?.agentRunId as string
  await create(world, 'every 20 minutes', '*/20 * * * *')
  await create(world, 'at five past one', '5 13 * * *')
  await create(world, 'every minute', '* * * * *')
  await create(world, 'disabled', '* * * * *', { enabled: false })
  await create(world, 'tick, not run', '0 * * * *')
  const { key } = world
  await world.stop()

  clock.advance(hour + 10 * minute)
  const database = new Database(world.file)
  rewind(database, jobs['tick, not run'] as string, oneOClock + hour)
  rewind(database, jobs['run, not reported'] as string, oneOClock)
  database.run(`update agent_jobs set cron = '*/7 * * * *' where id = ?`, [jobs['run, not reported'] as string])
  database.close()
  after = await openTroupe({ clock, folder, environment: { TROUPE_RUNNER: 'none' } })
  client = after.as(key)
})
afterAll(async () => {
  await after?.stop()
  await rm(folder, { recursive: true, force: true })
})

const settled = (name: string, count: number) => firedOf(client, after.file, place, jobs[name] as string, count)
const runsOf = async (name: string): Promise<string[]> =>
  (await runsIn(client, jobs[name] as string)).map(({ id }) => id as string)
const outcomes = ({ lastFirings }: Job) => lastFirings.map(({ outcome }) => outcome)

test('of the ticks during a downtime the latest one runs, though late', async () => {
  const job = await settled('every 20 minutes', 3)
  expect(outcomes(job)).toEqual(['started', 'missed', 'missed'])
  expect(await runsOf('every 20 minutes')).toEqual([job.lastFirings[0]?.agentRunId as string])
  expect(Date.parse(job.nextRunAt as string)).toBe(clock.now() + 10 * minute)
  const [latest] = job.lastFirings
  expect(Date.parse(latest?.firedAt as string) - Date.parse(latest?.scheduledFor as string)).toBe(10 * minute)
})

test('a tick older than an hour is missed', async () => {
  expect(outcomes(await settled('at five past one', 1))).toEqual(['missed'])
  expect(await runsOf('at five past one')).toEqual([])
})

test('of very many ticks the last twenty are shown', async () => {
  expect(outcomes(await settled('every minute', 20))).toEqual(['started', ...Array(19).fill('missed')])
  expect((await runsOf('every minute')).length).toBe(1)
})

test('a disabled job misses nothing', async () => {
  expect((await settled('disabled', 0)).lastFirings).toEqual([])
})

test('after a crash between a tick and its run, the next server starts the run', async () => {
  const job = await settled('tick, not run', 1)
  expect(outcomes(job)).toEqual(['started'])
  expect(await runsOf('tick, not run')).toEqual([job.lastFirings[0]?.agentRunId as string])
})

test('after a crash between a run and its report, the tick gets no second run, also under another schedule', async () => {
  await settled('run, not reported', 1)
  // the ticks of the downtime, which this one had delayed
  clock.advance(1_000)
  const { lastFirings } = await settled('run, not reported', 11)
  expect(lastFirings.at(-1)).toMatchObject({ outcome: 'started', agentRunId: firstRun })
  expect(lastFirings[0]).toMatchObject({ outcome: 'started', scheduledFor: '2026-01-31T14:07:00.000Z' })
  expect((await runsOf('run, not reported')).length).toBe(2)
})
