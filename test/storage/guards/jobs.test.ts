/** Statements about the ticks of one job leave the others as they are. Source: contract 6, Jobs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  assertNoLiveRun,
  findFiringOfRun,
  forgetLaterFirings,
  insertStart,
  listFirings,
  pruneFirings,
} from '../../../storage/automation/agent-job-firings.ts'
import type { JobFiringRow } from '../../../storage/tables.ts'
import { type Guards, openGuards, type Row } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

const job = (firing: object | null = null): Row =>
  world.plant('agent_jobs', {
    ...world.tree(),
    state: firing ? 'firing' : 'scheduled',
    enabled: 1,
    overlap: 'skip',
    context: JSON.stringify({ firing }),
  })
const firingAt = (jobId: string, at: number) => ({
  job_id: jobId,
  scheduled_for: at,
  fired_at: at,
  outcome: 'started' as const,
  agent_run_id: `run_${jobId}_${at}`,
  workflow_run_id: null,
})
const fire = (jobId: string, times: number, from = 1) => {
  for (let index = 0; index < times; index += 1) world.plant('job_firings', firingAt(jobId, from + index))
}
const ticksOf = async (jobId: string) => {
  const found = await world.store.all<JobFiringRow>(listFirings(world.store, { jobId, limit: 100 }))
  return found.map(({ scheduled_for }) => scheduled_for)
}

test('the last ticks of each job are kept, whenever those of the others were', async () => {
  const [one, earlier, later] = [job().id, job().id, job().id]
  fire(one, 6, 10)
  fire(earlier, 6, 1)
  fire(later, 6, 30)
  await world.store.commit([pruneFirings(world.store, { jobId: one, skip: 3 })])
  expect([await ticksOf(one), (await ticksOf(earlier)).length, (await ticksOf(later)).length]).toEqual([
    [15, 14, 13, 12],
    6,
    6,
  ])
})

test('future ticks of one job are forgotten, not those of others and not earlier ones', async () => {
  const [one, other] = [job().id, job().id]
  for (const id of [one, other]) fire(id, 4)
  await world.store.commit([forgetLaterFirings(world.store, { jobId: one, from: 3 })])
  expect([await ticksOf(one), await ticksOf(other)]).toEqual([
    [2, 1],
    [4, 3, 2, 1],
  ])
})

test('the tick of a run is found among those of its job', async () => {
  const [one, other] = [job().id, job().id]
  for (const id of [one, other]) fire(id, 3)
  const find = (jobId: string, agentRunId: string) =>
    world.store.first<JobFiringRow>(findFiringOfRun(world.store, { jobId, agentRunId, workflowRunId: 'wfr_none' }))
  expect((await find(one, `run_${one}_2`))?.scheduled_for).toBe(2)
  expect(await find(one, `run_${other}_2`)).toBeUndefined()
})

test('a tick starts a run only in the firing that its job is processing', async () => {
  const firing = { scheduledFor: 3, at: 4 }
  const [one, other] = [job(firing).id, job({ scheduledFor: 3, at: 5 }).id]
  const start = (jobId: string, at: number) => {
    const row = { ...firingAt(jobId, 3), firing: JSON.stringify({ ...firing, at }) }
    return world.isStale(insertStart(world.store, row))
  }
  expect([await start(one, 5), await start(other, 4), await start('job_deleted', 4)]).toEqual([true, true, true])
  expect(await start(one, 4)).toBe(false)
  world.rows('delete from job_firings where job_id = ?', one)
  world.rows(`update agent_jobs set state = 'scheduled', context = '{"firing":null}' where id = ?`, one)
  expect(await start(one, 4)).toBe(true)
})

test.each([
  ['runs', 'run', ['queued', 'acquiring', 'starting', 'running', 'canceling'], ['completed', 'failed', 'expired']],
  [
    'workflow_runs',
    'workflow run',
    ['running', 'waiting', 'unknown', 'canceling'],
    ['completed', 'failed', 'canceled'],
  ],
] as const)('of %s, only another live one of the job stops it from starting a %s', async (table, _, live, ended) => {
  const [one, other] = [job(), job()]
  const plant = ({ id: agent_job_id, ...at }: Row, state: string) =>
    world.plant(table, { ...at, agent_job_id, state, context: '{}' }).id
  const guard = (runId: string) => world.isStale(assertNoLiveRun(world.store, { jobId: one.id, runId }))
  for (const state of ended) plant(one, state)
  plant(other, 'running')
  expect([await guard('run_new'), await guard('run_new')]).toEqual([false, false])
  for (const state of live) {
    const id = plant(one, state)
    expect([state, await guard('run_new'), await guard(id)]).toEqual([state, true, false])
    world.rows(`delete from ${table} where id = ?`, id)
  }
  world.rows('delete from agent_jobs where id = ?', one.id)
  expect(await guard('run_new')).toBe(true)
})
