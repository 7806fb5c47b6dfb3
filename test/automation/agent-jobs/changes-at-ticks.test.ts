/** Changes of a job that are prepared before a tick and stored after it, as by two servers. Source: contract 6, Jobs. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { AgentJobContext } from '../../../machines/agent-job.ts'
import { jobAddress } from '../../../src/automation/agent-jobs/actor.ts'
import { Jobs } from '../../../src/automation/agent-jobs/service.ts'
import { JobWork } from '../../../src/automation/agent-jobs/ticks.ts'
import { noActiveDeployment } from '../../../src/platform/http/answers/errors.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import type { Cursors } from '../../../src/platform/http/cursor.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { listFirings } from '../../../storage/automation/agent-job-firings.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentJobRow } from '../../../storage/tables.ts'
import { planting, raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { readingBefore } from '../../support/meanwhile.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const [minute, hour] = [60_000, 3_600_000]
const place = { projectId: 'prj_1', environmentId: 'env_1' }
const caller = callerWith({
  organizationId: 'org_1',
  permissions: new Set(['agent-jobs:create', 'agent-jobs:update', 'agent-jobs:get']),
})

let store: Store
let clock: HandClock
let actors: Actors
let started: string[]
/** Happens once, before a run is stored. */
let beforeStart: (() => Promise<unknown>) | undefined
beforeEach(async () => {
  store = await openMigrated()
  clock = new HandClock()
  started = []
  beforeStart = undefined
  await store.commit([
    ...planting({ organizationId: 'org_1', ...place }),
    raw(
      `insert into agents (id, organization_id, project_id, slug, name, status, created_at, updated_at) values ('agt_1', 'org_1', 'prj_1', 'a', '', 'active', 0, 0)`,
    ),
  ])
  actors = new Actors({ store, clock })
  // the runtime is not started: each tick is made by hand
  actors.register([work.kind])
})
afterEach(() => store?.close())

const starts = {
  async startForServer({ id = '', record = recordNothing }) {
    const meanwhile = beforeStart
    beforeStart = undefined
    await meanwhile?.()
    await store.commit(record({}))
    started.push(id)
    return {} as never
  },
}
const work = new JobWork({
  get store() {
    return store
  },
  clock: { now: () => clock.now() },
  get actors() {
    return actors
  },
  starts,
  workflowStarts: {} as never,
})

const jobsOver = (over: Store) =>
  new Jobs({
    store: over,
    clock,
    cursors: {} as Cursors,
    actors,
    runs: { starts },
    bundles: {} as never,
    workflowStarts: {} as never,
  })

async function newJob(): Promise<string> {
  const schedule = { cron: '0 * * * *', timezone: 'UTC' }
  const body = { agentId: 'agt_1', name: 'Report', schedule, query: 'Report.', overlap: 'allow' as const }
  return (await jobsOver(store).create(caller, place, body, recordNothing)).id
}

async function read(id: string) {
  const actor = await actors.read<AgentJobRow, AgentJobContext>(jobAddress(id))
  return { state: actor?.state, ...actor?.context, name: actor?.row.name }
}

/** The timers that are due take effect. */
async function comeDue() {
  await actors.timers.start()
  await actors.timers.stop()
}
/** The next tick comes, and its run is started. */
async function beginTick(id: string) {
  const { nextRunAt } = await read(id)
  clock.advance((nextRunAt as number) - clock.now())
  await comeDue()
}
async function tick(id: string) {
  await beginTick(id)
  await work.fire(id)
}

/** Changes the job; `between` happens after the change was prepared from the job as it was. */
const change = (id: string, changes: object, between: () => Promise<unknown>) =>
  jobsOver(readingBefore(store, 'job_firings', between)).change(caller, { ...place, jobId: id }, changes, recordNothing)

test('a change that was prepared during a tick leaves the job scheduled after it', async () => {
  const id = await newJob()
  await beginTick(id)
  await change(id, { name: 'Renamed' }, () => work.fire(id))
  const now = clock.now()
  expect(await read(id)).toMatchObject({ state: 'scheduled', enabled: true, nextRunAt: now + hour, name: 'Renamed' })
  await tick(id)
  expect(started).toHaveLength(2)
})

test('a change that was prepared before a tick does not schedule the tick again', async () => {
  const id = await newJob()
  await change(id, { name: 'Renamed' }, () => tick(id))
  const now = clock.now()
  expect(await read(id)).toMatchObject({ state: 'scheduled', nextRunAt: now + hour, name: 'Renamed' })
})

test('a schedule that was planned before a tick does not repeat it', async () => {
  const id = await newJob()
  const schedule = { cron: '0 * * * *', timezone: 'Etc/UTC' }
  await change(id, { schedule }, () => tick(id))
  const { nextRunAt } = await read(id)
  expect(nextRunAt).toBe(clock.now() + hour)
  clock.advance(minute)
  await comeDue()
  await work.fire(id)
  expect(started).toHaveLength(1)
})

test('a server that still works on an earlier tick cannot start its run during a later one', async () => {
  const id = await newJob()
  const first = (await read(id)).nextRunAt as number
  // late: the tick after it is the one to run
  clock.advance(first + hour - clock.now())
  await comeDue()
  beforeStart = async () => {
    // another server ends this tick without a run, under another schedule, and begins the next one
    await change(id, { schedule: { cron: '0 0 * * *', timezone: 'UTC' } }, async () => {})
    beforeStart = () => Promise.reject(noActiveDeployment())
    await work.fire(id)
    await beginTick(id)
  }
  await expect(work.fire(id)).rejects.toThrow(StaleWrite)
  expect(started).toEqual([])
  await work.fire(id)
  const firings = await store.all(listFirings(store, { jobId: id, limit: 20 }))
  expect(firings.map(({ scheduled_for, outcome }) => [scheduled_for, outcome])).toEqual([
    [clock.now(), 'started'],
    [first, 'failed'],
  ])
})
