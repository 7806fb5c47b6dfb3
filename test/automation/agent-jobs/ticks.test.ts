/** The effects of a tick, with a manually advanced clock. Source: contract 6, Jobs. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { eventually } from '../../support/process.ts'
import { data } from '../../support/world/replies.ts'
import { hour, type Job, type JobPlace, type JobsWorld, minute, openJobs } from './world.ts'

let world: JobsWorld
beforeAll(async () => {
  world = await openJobs()
})
afterAll(() => world?.stop())

const instant = (ms: number) => new Date(ms).toISOString()
/** Advances the clock to the next full hour, and by further hours. */
const toHour = (hours = 0) => world.clock.advance(hour - (world.clock.now() % hour) + hours * hour)
/** Creates a job in an Environment of its own, with a tick at each full hour. */
async function hourly(changes: object = {}): Promise<{ place: JobPlace; id: string; path: string }> {
  const place = await world.served()
  const { id } = await data<Job>(world.job(place, changes))
  return { place, id, path: `${place.jobs}/${id}` }
}
const cancel = (runId: string) => data(world.owner.post(`/api/v1/agent-runs/${runId}/cancel`))

test("a tick starts a run of the job's Agent and schedules the next one", async () => {
  const { place, id } = await hourly()
  toHour()
  const job = await world.fired(place, id, 1)
  const now = world.clock.now()
  const [run, ...others] = await world.runsOf(id)
  expect(others).toEqual([])
  expect(run).toMatchObject({
    agentJobId: id,
    agentId: place.agentId,
    environmentId: place.environmentId,
    createdBy: { type: 'agentJob', id },
    state: 'queued',
  })
  expect(job).toMatchObject({
    nextRunAt: instant(now + hour),
    lastFirings: [
      { scheduledFor: instant(now), firedAt: instant(now), outcome: 'started', agentRunId: run?.id as string },
    ],
  })
  expect(job.updatedAt).toBe(job.createdAt)
  const events = await data<never>(world.owner.get(`/api/v1/agent-runs/${run?.id}/transitions`))
  expect((events as { items: object[] }).items[0]).toMatchObject({ event: 'start', actor: { type: 'agentJob', id } })
})

test('over days, each tick has one run', async () => {
  const cron = '30 2 * * *'
  const { place, id } = await hourly({ overlap: 'allow', schedule: { cron, timezone: 'Europe/Berlin' } })
  for (let count = 1; count <= 4; count += 1) {
    const { nextRunAt } = await data<Job>(world.owner.get(`${place.jobs}/${id}`))
    world.clock.advance(Date.parse(nextRunAt as string) - world.clock.now())
    await world.fired(place, id, count)
  }
  const { lastFirings } = await data<Job>(world.owner.get(`${place.jobs}/${id}`))
  expect(lastFirings.map(({ outcome }) => outcome)).toEqual(Array(4).fill('started'))
  expect(lastFirings.map(({ scheduledFor }) => scheduledFor.slice(11, 16))).toEqual(Array(4).fill('01:30'))
  const runs = await world.runsOf(id)
  expect(runs.map(({ id: runId }) => runId as string).sort()).toEqual(
    lastFirings.map(({ agentRunId }) => agentRunId as string).sort(),
  )
})

test('the last twenty ticks are shown, the latest first', async () => {
  const { place, id } = await hourly({ overlap: 'allow', schedule: { cron: '*/5 * * * *' } })
  for (const hours of [0, 2, 2]) {
    toHour(hours)
    await world.firedAt(place, id, instant(world.clock.now()))
  }
  const { lastFirings } = await data<Job>(world.owner.get(`${place.jobs}/${id}`))
  const latest = world.clock.now()
  expect(lastFirings.map(({ scheduledFor }) => scheduledFor)).toEqual(
    Array.from({ length: 20 }, (_, index) => instant(latest - index * 5 * minute)),
  )
  expect(world.rows('select count(*) as n from job_firings where job_id = ?', id)).toEqual([{ n: 20 }])
})

describe('while a run of the job has not ended', () => {
  test("a tick is skipped, and the one after the run's end is not", async () => {
    const { place, id } = await hourly()
    toHour()
    const { lastFirings } = await world.fired(place, id, 1)
    toHour()
    expect((await world.fired(place, id, 2)).lastFirings[0]).toMatchObject({
      outcome: 'skipped_overlap',
      agentRunId: null,
    })
    await cancel(lastFirings[0]?.agentRunId as string)
    toHour()
    expect((await world.fired(place, id, 3)).lastFirings[0]).toMatchObject({ outcome: 'started' })
    expect((await world.runsOf(id)).length).toBe(2)
  })

  test('a job that allows overlap starts another one', async () => {
    const { place, id } = await hourly({ overlap: 'allow' })
    toHour()
    await world.fired(place, id, 1)
    toHour()
    await world.fired(place, id, 2)
    expect((await world.runsOf(id)).length).toBe(2)
  })

  test('a run started manually counts', async () => {
    const { place, id, path } = await hourly()
    await data(world.owner.post(`${path}/run-now`))
    toHour()
    expect((await world.fired(place, id, 1)).lastFirings[0]).toMatchObject({ outcome: 'skipped_overlap' })
  })
})

test('a tick whose run cannot be started fails, the journal and an event say why; the next one runs normally', async () => {
  const at = await world.place()
  const webhook = { endpointUrl: 'https://hooks.example.com/', eventTypes: ['job.failed'] }
  await data(world.owner.post(`${at.path}/webhooks`, webhook))
  const agent = await world.agent(at)
  const place = { ...at, agentId: agent.agentId, jobs: `${at.path}/agent-jobs` }
  const { id } = await data<Job>(world.job(place))
  toHour()
  const job = await world.fired(place, id, 1)
  expect(job.lastFirings[0]).toMatchObject({ outcome: 'failed', agentRunId: null })
  const { journal } = await data<{ journal: object[] }>(world.owner.get(`/api/v1/actors/agent-job/${id}`))
  expect(journal.filter((each) => (each as { event: string }).event === 'fired')).toMatchObject([
    { from: 'firing', to: 'scheduled', reason: { code: 'no_active_deployment' } },
  ])
  const { events } = (await world.owner.get(`${at.path}/events`)).body
  const { scheduledFor } = job.lastFirings[0]!
  const told = { agentJobId: id, agentId: agent.agentId, scheduledFor, code: 'no_active_deployment' }
  expect(events).toEqual([expect.objectContaining({ type: 'job.failed', data: told })])
  await world.serve(place, [agent])
  toHour()
  expect((await world.fired(place, id, 2)).lastFirings[0]).toMatchObject({ outcome: 'started' })
  const verified = await data<never>(world.owner.get(`/api/v1/actors/agent-job/${id}/verify`))
  expect(verified).toMatchObject({ valid: true, storedState: 'scheduled' })
})

test('in a paused Project ticks fail and run-now returns 409; the job continues once the Project is resumed', async () => {
  const { place, id, path } = await hourly()
  await data(world.owner.patch(place.project, { status: 'paused' }))
  toHour()
  expect((await world.fired(place, id, 1)).lastFirings[0]).toMatchObject({ outcome: 'failed' })
  const { status, body } = await world.owner.post(`${path}/run-now`)
  expect([status, body.error.code]).toEqual([409, 'project_paused'])
  await data(world.owner.patch(place.project, { status: 'active' }))
  toHour()
  expect((await world.fired(place, id, 2)).lastFirings[0]).toMatchObject({ outcome: 'started' })
})

describe('at the time of the tick', () => {
  test('an update, a deletion and the tick succeed in either order, without an error, and start at most one run', async () => {
    const places = await Promise.all(Array.from({ length: 6 }, () => hourly({ overlap: 'allow' })))
    toHour()
    const answers = await Promise.all(
      places.map(({ path }, index) =>
        index % 3 === 0
          ? world.owner.delete(path)
          : world.owner.patch(path, index % 3 === 1 ? { enabled: false } : { schedule: { cron: '30 * * * *' } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([204, 200, 200, 204, 200, 200])
    for (const [index, { place, id, path }] of places.entries()) {
      expect((await world.runsOf(id)).length).toBeLessThanOrEqual(1)
      if (index % 3 === 0) continue
      await world.fired(place, id, 0)
      const job = await data<Job>(world.owner.get(path))
      const next = instant(world.clock.now() + 30 * minute)
      expect([job.enabled, job.nextRunAt]).toEqual(index % 3 === 1 ? [false, null] : [true, next])
      expect(job.lastFirings.length).toBe((await world.runsOf(id)).length)
    }
    expect(world.lines.filter(({ level }) => (level as number) >= 50)).toEqual([])
  })
})

test('a clock that is set back fires no tick twice, also after an update', async () => {
  const { place, id, path } = await hourly({ overlap: 'allow' })
  toHour()
  const { nextRunAt } = await world.fired(place, id, 1)
  world.clock.advance(-2 * hour)
  expect(await data(world.owner.patch(path, { schedule: { timezone: 'Etc/GMT+1' } }))).toMatchObject({ nextRunAt })
  world.clock.advance(2 * hour)
  world.clock.advance(59 * minute)
  expect((await world.fired(place, id, 1)).lastFirings.length).toBe(1)
  expect((await world.runsOf(id)).length).toBe(1)
})

test('jobs are deleted with their Project', async () => {
  const { place, id } = await hourly()
  toHour()
  await world.fired(place, id, 1)
  await data(world.owner.delete(place.project))
  for (let left = 1; left > 0; ) {
    world.clock.advance(1_000)
    await Bun.sleep(5)
    left = world.rows('select id from agent_jobs where id = ?', id).length
  }
  for (const table of ['timers', 'effects', 'transitions']) {
    expect(world.rows(`select * from ${table} where actor_id = ?`, id)).toEqual([])
  }
  expect(world.rows('select * from job_firings where job_id = ?', id)).toEqual([])
})

describe('a clock that was twenty days ahead for a minute', () => {
  const ahead = 20 * 24 * hour
  /** Lets ticks fire by the wrong clock, then corrects it. */
  async function afterWrongClock() {
    const made = await hourly({ overlap: 'allow' })
    world.clock.step(ahead)
    world.clock.advance(minute)
    await world.fired(made.place, made.id, 20)
    world.clock.step(-ahead)
    return made
  }
  /** A copy of the job, before all others. */
  function plantDamaged(id: string) {
    const [row] = world.rows('select * from agent_jobs where id = ?', id) as [Record<string, string | number>]
    const damaged = { ...row, id: newId('job', 1), timezone: 'Nowhere/None' }
    const names = Object.keys(damaged)
    world.rows(`insert into agent_jobs (${names}) values (${names.map(() => '?')})`, ...Object.values(damaged))
  }
  const nextOf = async (path: string) => (await data<Job>(world.owner.get(path))).nextRunAt
  const nextHour = () => instant(world.clock.now() - (world.clock.now() % hour) + hour)

  test.each([
    ['enabled', { enabled: true }],
    ['the schedule', { schedule: { cron: '0 * * * *', timezone: 'UTC' } }],
  ])('reschedules the next tick from now when %s is written', async (_, changes) => {
    const { place, id, path } = await afterWrongClock()
    expect(Date.parse((await nextOf(path)) as string)).toBeGreaterThan(world.clock.now() + ahead - hour)
    expect((await data<Job>(world.owner.patch(path, changes))).nextRunAt).toBe(nextHour())
    toHour()
    const { lastFirings } = await world.firedAt(place, id, instant(world.clock.now()))
    expect(lastFirings[0]?.outcome).toBe('started')
  })

  test.each([
    ['and without a write', () => {}],
    ['and without a write beside a damaged job', plantDamaged],
  ])('%s', async (_, plant) => {
    const { place, id, path } = await afterWrongClock()
    plant(id)
    await eventually('a tick from now', async () => {
      world.clock.advance(1_000)
      return (await nextOf(path)) === nextHour()
    })
    toHour()
    const { lastFirings } = await world.firedAt(place, id, instant(world.clock.now()))
    expect(lastFirings[0]?.outcome).toBe('started')
  })
})

test.each([
  [5, 5, 4],
  [30, 20, 19],
])(
  'after %i hours, missed ticks are sent to webhooks that subscribe to them, and to no others',
  async (hours, shown, missed) => {
    const [asking, other] = [await hourly(), await hourly()]
    const webhook = { endpointUrl: 'https://hooks.example.com/', eventTypes: ['job.missed', 'run.waiting'] }
    await data(world.owner.post(`${asking.place.path}/webhooks`, webhook))
    world.clock.step(hours * hour)
    world.clock.advance(minute)
    const kinds = async ({ place }: { place: JobPlace }) => {
      const { body } = await world.owner.get(`${place.path}/events`, { query: { limit: 100 } })
      return (body.events as { type: string }[]).filter(({ type }) => type === 'job.missed')
    }
    await Promise.all([asking, other].map(({ place, id }) => world.fired(place, id, shown)))
    expect(await kinds(asking)).toEqual([
      expect.objectContaining({
        subject: { type: 'agentJob', id: asking.id },
        data: expect.objectContaining({ agentJobId: asking.id, missed }),
      }),
    ])
    expect(await kinds(other)).toEqual([])
  },
)
