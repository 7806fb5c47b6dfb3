/** A failed run that is resumed is new work, and is admitted as such. Source: contract 2, 6. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, verdict } from '../../support/world/replies.ts'
import { fillUp } from '../../tenancy/quotas/fill.ts'
import { openWorld, type Served, type World } from './world.ts'

let world: World
let served: Served
beforeAll(async () => {
  world = await openWorld()
  const steps = [{ id: 'ask', operation: 'shop.approved' }]
  served = await world.serving({ waiting: { params: {}, steps } })
})
afterAll(() => world?.stop())

/** A run that waits for its approval. */
async function waiting(): Promise<string> {
  const { workflowRunId } = await world.run(served, 'waiting')
  return workflowRunId
}
async function failed(): Promise<string> {
  const id = await waiting()
  await data(world.decide(served, (await world.approvals(served))[0]!.id, 'reject'))
  await world.until(served, id, ['failed'])
  return id
}
const resumed = (id: string) => world.owner.post(`${served.path}/${id}/resume`)
const pause = (status: 'active' | 'paused') => data(world.owner.patch(served.place.project, { status }))

test('in a paused Project it stays failed, while active runs go on', async () => {
  const id = await failed()
  const active = await waiting()
  await pause('paused')
  expect(verdict(await resumed(id))).toEqual([409, 'project_paused'])
  expect((await world.owner.get(`${served.path}/${id}`)).body.data.state).toBe('failed')
  await data(world.decide(served, (await world.approvals(served))[0]!.id, 'approve'))
  await world.until(served, active, ['completed'])
  await pause('active')
  expect((await resumed(id)).status).toBe(200)
  await data(world.owner.post(`${served.path}/${id}/cancel`))
})

test('it counts for the limit of runs that have not ended', async () => {
  const id = await failed()
  const limit = 10_000
  fillUp(world.file, 'workflow_runs', 'organization_id', world.ours, limit + 10, () => ({ state: 'waiting' }))
  const { status, body } = await resumed(id)
  expect({ status, ...body.error }).toMatchObject({
    status: 422,
    code: 'limit_exceeded',
    details: { name: 'liveWorkflowRuns', limit },
  })
  expect((await world.owner.get(`${served.path}/${id}`)).body.data.state).toBe('failed')
})
