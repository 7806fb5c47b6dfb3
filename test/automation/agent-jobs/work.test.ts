/** The work of a tick in cases that one server cannot show: two of them on one store, and transient errors. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { jobAddress } from '../../../src/automation/agent-jobs/actor.ts'
import { JobWork, type JobWorkParts } from '../../../src/automation/agent-jobs/ticks.ts'
import { ApiError, noActiveDeployment, serviceUnavailable } from '../../../src/platform/http/answers/errors.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { listFirings } from '../../../storage/automation/agent-job-firings.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { planting, raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

type Start = JobWorkParts['starts']['startForServer']
const [minute, hour] = [60_000, 3_600_000]
const place = { organizationId: 'org_1', projectId: 'prj_1', environmentId: 'env_1' }

let store: Store
let clock: HandClock
let started: string[]
const running: Actors[] = []
beforeEach(async () => {
  store = await openMigrated()
  clock = new HandClock()
  started = []
  await store.commit([
    ...planting(place),
    raw(
      `insert into agents (id, organization_id, project_id, slug, name, status, created_at, updated_at) values ('agt_1', 'org_1', 'prj_1', 'a', '', 'active', 0, 0)`,
    ),
  ])
})
afterEach(async () => {
  for (const actors of running.splice(0)) await actors.stop()
  await store?.close()
})

/** Records what a start would store, apart from the run itself. */
const start: Start = async ({ id = '', record = recordNothing }) => {
  await store.commit(record({}))
  started.push(id)
  return {} as Awaited<ReturnType<Start>>
}

/** A separate runtime, as another server would have. */
async function runtime(startForServer: Start = start): Promise<Actors> {
  const actors = new Actors({ store, clock })
  actors.register([new JobWork({ store, clock, actors, starts: { startForServer }, workflowStarts: {} as never }).kind])
  await actors.start()
  running.push(actors)
  return actors
}

async function newJob(actors: Actors, cron = '0 * * * *', overlap = 'allow'): Promise<string> {
  const id = newId('job', clock.now())
  const seed = {
    id,
    organization_id: 'org_1',
    project_id: 'prj_1',
    environment_id: 'env_1',
    agent_id: 'agt_1',
    name: 'Report',
    cron,
    timezone: 'UTC',
    query: 'Report.',
    workflow: null,
    params: null,
    overlap,
  }
  await actors.create(jobAddress(id), { input: {}, seed, named: 'create' })
  const nextRunAt = clock.now() + hour
  await actors.send(jobAddress(id), { type: 'change', seen: 0, enabled: true, nextRunAt })
  return id
}

const firings = (jobId: string) => store.all(listFirings(store, { jobId, limit: 20 }))
const outcomesOf = async (id: string) => (await firings(id)).map(({ outcome }) => outcome)
const stateOf = async (id: string) =>
  (await store.first<{ state: string }>({ sql: 'select state from agent_jobs where id = ?', parameters: [id] }))?.state
/** Advances the clock until the condition holds. */
const advanceUntil = <Found>(what: string, look: () => Promise<Found | undefined | false>) =>
  eventually(what, async () => {
    const found = await look()
    if (found === undefined || found === false) clock.advance(500)
    return found
  })

test('two servers start one run for each tick', async () => {
  const [first] = [await runtime(), await runtime()]
  const ids: string[] = []
  for (let index = 0; index < 20; index += 1) ids.push(await newJob(first as Actors))
  for (let ticks = 1; ticks <= 3; ticks += 1) {
    clock.advance(hour)
    await advanceUntil('the end of all ticks', async () => {
      const states = await Promise.all(ids.map(stateOf))
      const counts = await Promise.all(ids.map(async (id) => (await firings(id)).length))
      return states.every((state) => state === 'scheduled') && counts.every((count) => count >= ticks)
    })
  }
  for (const id of ids) expect(await outcomesOf(id)).toEqual(['started', 'started', 'started'])
  expect(new Set(started).size).toBe(60)
  expect(started.length).toBe(60)
})

test.each([
  ['an unavailable service', serviceUnavailable('Not now.')],
  ['a rate limit', new ApiError(429, 'rate_limited', 'Too many.')],
])('a transient error, %s, is retried, and the tick has its run', async (_, error) => {
  let tries = 0
  const id = await newJob(
    await runtime((given) => {
      tries += 1
      if (tries <= 2) throw error
      return start(given)
    }),
  )
  clock.advance(hour)
  await advanceUntil('the run', async () => (await stateOf(id)) === 'scheduled' && started.length === 1)
  expect(tries).toBe(3)
  expect(await outcomesOf(id)).toEqual(['started'])
})

test('a permanent error fails the tick immediately', async () => {
  let tries = 0
  const id = await newJob(
    await runtime(() => {
      tries += 1
      throw noActiveDeployment()
    }),
  )
  clock.advance(hour)
  await eventually('the end', async () => (await outcomesOf(id)).length > 0)
  expect([tries, await outcomesOf(id)]).toEqual([1, ['failed']])
})

test('an error that lasts for an hour makes the tick missed, and the latest tick since then runs', async () => {
  const from = clock.now()
  const id = await newJob(
    await runtime((given) => {
      if (clock.now() < from + hour + 65 * minute) throw new Error('a bug')
      return start(given)
    }),
    '*/20 * * * *',
  )
  clock.advance(hour)
  await eventually('a tick', async () => (await stateOf(id)) === 'firing')
  for (let passed = 0; passed < 70; passed += 1) {
    clock.advance(minute)
    await Bun.sleep(1)
  }
  await advanceUntil('a run', async () => started.length > 0 && (await stateOf(id)) === 'scheduled')
  const outcomes = await outcomesOf(id)
  expect(outcomes.at(-1)).toBe('missed')
  expect(outcomes[0]).toBe('started')
})

test('a job deleted during its tick drops the tick', async () => {
  const gate = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const actors = await runtime(async (given) => {
    begun.resolve()
    await gate.promise
    return start(given)
  })
  const id = await newJob(actors)
  clock.advance(hour)
  await begun.promise
  await store.commit([raw('delete from agent_jobs where id = ?', id)])
  actors.forget(jobAddress(id))
  gate.resolve()
  await eventually(
    'no work left',
    async () => (await store.all({ sql: 'select id from effects', parameters: [] })).length === 0,
  )
  expect(started).toEqual([])
})

/** Inserts a run of the job as another server would store it. */
const plantRun = (jobId: string, state: string) =>
  store.commit([
    raw(
      `insert into runs (id, organization_id, agent_id, agent_revision_id, agent_job_id, created_by_type, created_by_id,
        state, version, machine_version, context, binding, input_digest, runtime_version, retention_expires_at,
        available_at, last_activity_kind, last_activity_at, created_at, updated_at)
      values ('${newId('run', clock.now())}', 'org_1', 'agt_1', 'agr_1', '${jobId}', 'agentJob', '${jobId}',
        '${state}', 1, '1', '{}', '{}', '', '1', 0, 0, 'create', 0, 0, 0)`,
    ),
  ])

test.each(['awaitingToolResult', 'awaitingDelegateResult', 'queued', 'running'])(
  'a tick while the run of the job is %s is skipped',
  async (state) => {
    const id = await newJob(await runtime(), '0 * * * *', 'skip')
    await plantRun(id, state)
    clock.advance(hour)
    await advanceUntil('the tick', async () => (await stateOf(id)) === 'scheduled' && (await firings(id)).length === 1)
    expect([await outcomesOf(id), started]).toEqual([['skipped_overlap'], []])
  },
)

/** The same for a workflow run. */
const plantWorkflowRun = (jobId: string, state: string) =>
  store.commit([
    raw(
      `insert into workflow_runs (id, organization_id, project_id, environment_id, deployment_id, agent_id, agent_job_id,
        definition_id, definition_revision_id, definition_name, request_digest, created_by_type, created_by_id,
        state, version, machine_version, context, created_at, updated_at)
      select '${newId('wfr', clock.now())}', organization_id, project_id, environment_id, 'dep_1', agent_id, id,
        'def_1', 'dfr_1', 'flow', '', 'agentJob', id, '${state}', 1, '1', '{}', 0, 0
      from agent_jobs where id = '${jobId}'`,
    ),
  ])

test.each([
  ['run', 'awaitingToolResult', plantRun],
  ['run', 'queued', plantRun],
  ['workflow run', 'running', plantWorkflowRun],
  ['workflow run', 'waiting', plantWorkflowRun],
] as const)('a %s that becomes %s between the check and the commit skips the tick too', async (_, state, plant) => {
  let planted = false
  const id: string = await newJob(
    await runtime(async (given) => {
      if (!planted) await plant(given.agentJobId as string, state)
      planted = true
      return start(given)
    }),
    '0 * * * *',
    'skip',
  )
  clock.advance(hour)
  await advanceUntil('the tick', async () => (await stateOf(id)) === 'scheduled' && (await firings(id)).length === 1)
  expect([planted, await outcomesOf(id), started]).toEqual([true, ['skipped_overlap'], []])
})
