/** Runs of a job that are started by request. Source: contract 6, Jobs. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { type Job, type JobsWorld, openJobs } from './world.ts'

let world: JobsWorld
beforeAll(async () => {
  world = await openJobs()
})
afterAll(() => world?.stop())

async function jobIn(changes: object = {}) {
  const place = await world.served()
  const { id } = await data<Job>(world.job(place, changes))
  return { place, id, path: `${place.jobs}/${id}` }
}

test('starts a run immediately, also of a disabled job, in parallel with others, and keeps the schedule', async () => {
  const { id, path, place } = await jobIn({ enabled: false })
  const answers = [await world.owner.post(`${path}/run-now`), await world.owner.post(`${path}/run-now`)]
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  expect(answers[0]?.body.data).toMatchObject({ agentJobId: id, agentId: place.agentId, state: 'queued' })
  expect(answers[0]?.body.data.createdBy.type).toBe('apiKey')
  expect((await world.runsOf(id)).length).toBe(2)
  expect(await data(world.owner.get(path))).toMatchObject({ enabled: false, nextRunAt: null, lastFirings: [] })
})

test('starts one run for each Idempotency-Key', async () => {
  const { id, path } = await jobIn()
  const now = (key: string) => world.owner.post(`${path}/run-now`, undefined, { headers: { 'idempotency-key': key } })
  const [first, again, other] = [await now('one'), await now('one'), await now('other')]
  expect([first.status, again.status, other.status]).toEqual([202, 202, 202])
  expect(again.body).toEqual(first.body)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const ids = (await world.runsOf(id)).map((run) => run.id)
  expect(ids.sort()).toEqual([first.body.data.id, other.body.data.id].sort())
  expect((await now('')).body.error.code).toBe('invalid_idempotency_key')
})

test('without an active Deployment returns 409', async () => {
  const at = await world.place()
  const { agentId } = await world.agent(at)
  const place = { ...at, agentId, jobs: `${at.path}/agent-jobs` }
  const { id } = await data<Job>(world.job(place))
  const { status, body } = await world.owner.post(`${place.jobs}/${id}/run-now`)
  expect([status, body.error.code]).toEqual([409, 'no_active_deployment'])
})
