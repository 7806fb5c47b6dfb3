/** Jobs that start a workflow, with a manually advanced clock. Source: contract 14, "Workflows"; contract 6, Jobs. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type Run, type Served, type World } from '../workflows/world.ts'
import { firedOf, hour, type Job, type JobPlace, runsOf } from './world.ts'

const clock = new HandClock()
let world: World
let served: Served
let at: JobPlace
const step = (id: string, operation: string, more: object = {}) => ({ id, operation: `shop.${operation}`, ...more })
const params = { type: 'object', properties: { days: { type: 'integer' } }, required: ['days'] }
const remind = {
  params,
  steps: [step('tell', 'echo', { input: { days: '{{params.days}}' } })],
  output: { days: '{{params.days}}' },
}

async function serving(): Promise<[Served, JobPlace]> {
  const served = await world.serving({
    remind,
    asking: { params: { type: 'object' }, steps: [step('ask', 'approved')] },
  })
  const { place, agent } = served
  return [served, { ...place, agentId: agent.agentId, jobs: `${place.path}/agent-jobs` }]
}

beforeAll(async () => {
  world = await openWorld({
    clock,
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0' },
  })
  ;[served, at] = await serving()
})
afterAll(() => world?.stop())

const post = ({ jobs, agentId }: JobPlace, changes: object = {}) =>
  world.owner.post(jobs, {
    agentId,
    name: 'Reminders',
    schedule: { cron: '0 * * * *', timezone: 'UTC' },
    workflow: 'remind',
    params: { days: 14 },
    ...changes,
  })
const made = async (changes: object = {}, place = at) => {
  const { id } = await data<Job>(post(place, changes))
  return { id, path: `${place.jobs}/${id}` }
}
const toHour = () => clock.advance(hour - (clock.now() % hour))
const fired = (id: string, count: number, place = at) => firedOf(world.owner, world.file, place, id, count)
const issuesOf = (reply: { body: { error: { details?: { issues?: { path: string }[] } } } }) =>
  reply.body.error.details?.issues?.map(({ path }) => path)
const runsOfJob = async (id: string) =>
  (await data<{ items: Run[] }>(world.owner.get(served.path, { query: { agentJobId: id } }))).items

test('a tick starts the workflow with the params, and the firing names its run', async () => {
  const { id } = await made()
  toHour()
  const job = await fired(id, 1)
  expect(job).toMatchObject({ query: null, workflow: 'remind', params: { days: 14 } })
  const [firing] = job.lastFirings as unknown as { workflowRunId: string; agentRunId: null; outcome: string }[]
  expect(firing!.workflowRunId).toStartWith('wfr_')
  expect(firing).toMatchObject({ outcome: 'started', agentRunId: null })
  const run = await world.until(served, firing!.workflowRunId, ['completed'])
  expect(run).toMatchObject({
    params: { days: 14 },
    output: { days: 14 },
    agentId: at.agentId,
    agentJobId: id,
    createdBy: { type: 'agentJob', id },
    requestKey: null,
  })
  expect((await runsOfJob(id)).map(({ workflowRunId }) => workflowRunId)).toEqual([firing!.workflowRunId])
  expect(await runsOf(world.owner, id)).toEqual([])
  const other = await made({ enabled: false })
  expect(await runsOfJob(other.id)).toEqual([])
})

test('while the workflow run has not ended, a tick is skipped; one that allows overlap starts another', async () => {
  const skipping = await made({ workflow: 'asking', params: {} })
  const allowing = await made({ workflow: 'asking', params: {}, overlap: 'allow' })
  toHour()
  const first = await fired(skipping.id, 1)
  await fired(allowing.id, 1)
  const { workflowRunId } = first.lastFirings[0] as unknown as { workflowRunId: string }
  await world.until(served, workflowRunId, ['waiting'])
  toHour()
  expect((await fired(skipping.id, 2)).lastFirings[0]).toMatchObject({
    outcome: 'skipped_overlap',
    workflowRunId: null,
  })
  expect((await fired(allowing.id, 2)).lastFirings[0]).toMatchObject({ outcome: 'started' })
  await data(world.owner.post(`${served.path}/${workflowRunId}/cancel`))
  toHour()
  expect((await fired(skipping.id, 3)).lastFirings[0]).toMatchObject({ outcome: 'started' })
  for (const { path } of [skipping, allowing]) await world.owner.delete(path)
})

test('run-now starts the workflow at once, for the caller; the run counts as one of the job', async () => {
  const { id, path } = await made({ workflow: 'asking', params: {} })
  await data(world.owner.patch(path, { enabled: false }))
  const reply = await world.owner.post(`${path}/run-now`)
  expect([reply.status, reply.body.data]).toMatchObject([202, { agentJobId: id, state: 'running' }])
  const { createdBy, workflowRunId } = reply.body.data
  expect(createdBy.type).not.toBe('agentJob')
  expect(workflowRunId).toStartWith('wfr_')
  await data(world.owner.patch(path, { enabled: true }))
  toHour()
  expect((await fired(id, 1)).lastFirings[0]).toMatchObject({ outcome: 'skipped_overlap' })
  const { items } = await data<{ items: { operation: string; resource: object }[] }>(
    world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`, {
      query: { operation: 'runAgentJobNow' },
    }),
  )
  expect(items[0]).toMatchObject({ resource: { type: 'workflowRun', id: workflowRunId } })
  await world.owner.delete(path)
})

test.each<[string, object, number, string]>([
  ['both a query and a workflow', { query: 'Report.' }, 422, '/body/workflow'],
  ['neither', { workflow: undefined, params: undefined }, 422, '/body/query'],
  ['params of a query', { workflow: undefined, query: 'Report.' }, 422, '/body/params'],
  ['params that do not fit', { params: { days: 'many' } }, 422, '/body/params/days'],
  ['params that are missing', { params: undefined }, 422, '/body/params/days'],
  ['params that are too long', { params: { days: 1, text: 'x'.repeat(100_000) } }, 422, '/body/params'],
  ['no such workflow', { workflow: 'nothing' }, 404, '/body/workflow'],
  ['a Definition that is no workflow', { workflow: 'shop' }, 404, '/body/workflow'],
])('a new job with %s is refused', async (_, changes, status, path) => {
  const reply = await post(at, changes)
  expect([reply.status, issuesOf(reply)]).toEqual([status, [path]])
})

test('a change replaces the query by a workflow, and back', async () => {
  const { path } = await made({ workflow: undefined, params: undefined, query: 'Report.' })
  const patch = (changes: object) => world.owner.patch(path, changes)
  expect(issuesOf(await patch({ params: { days: 1 } }))).toEqual(['/body/params'])
  expect(issuesOf(await patch({ workflow: 'remind' }))).toEqual(['/body/params/days'])
  expect(issuesOf(await patch({ workflow: 'remind', query: 'Report.' }))).toEqual(['/body/workflow'])
  expect(await data(patch({ workflow: served.definitionId, params: {} }))).toMatchObject({
    query: null,
    workflow: 'asking',
    params: {},
  })
  expect(await data(patch({ workflow: 'remind', params: { days: 3 } }))).toMatchObject({ workflow: 'remind' })
  expect(await data(patch({ params: { days: 4 } }))).toMatchObject({ workflow: 'remind', params: { days: 4 } })
  expect(await data(patch({ name: 'Other' }))).toMatchObject({ workflow: 'remind', params: { days: 4 } })
  expect(await data(patch({ query: 'Report.' }))).toMatchObject({ query: 'Report.', workflow: null, params: null })
  await world.owner.delete(path)
})

test('what is active at the tick decides: params that no longer fit fail it, and the journal says why', async () => {
  const [own, place] = await serving()
  const { id, path } = await made({}, place)
  const definitions = `${place.project}/definitions`
  const { items } = await data<{ items: { id: string; name: string }[] }>(world.owner.get(definitions))
  const pinned = await Promise.all(
    items.flatMap(({ id: definitionId, name }) =>
      name === 'remind'
        ? [
            data(
              world.owner.post(`${definitions}/${definitionId}/revisions`, {
                source: { ...remind, params: { ...params, properties: { days: { type: 'string' } } } },
              }),
            ).then(({ id: definitionRevisionId }) => ({ definitionId, definitionRevisionId })),
          ]
        : [],
    ),
  )
  await world.serve(place, [own.agent], [own.shop as never, ...(pinned as never[])])
  toHour()
  expect((await fired(id, 1, place)).lastFirings[0]).toMatchObject({ outcome: 'failed', workflowRunId: null })
  const now = await world.owner.post(`${path}/run-now`)
  expect([now.status, issuesOf(now)]).toEqual([422, ['/params/days']])
  const { journal } = await data<{ journal: object[] }>(world.owner.get(`/api/v1/actors/agent-job/${id}`))
  expect(journal.filter((each) => (each as { event: string }).event === 'fired')).toMatchObject([
    { reason: { code: 'validation_failed', message: expect.stringContaining('/params/days: ') as never } },
  ])

  await world.serve(place, [own.agent], [own.shop as never])
  toHour()
  expect((await fired(id, 2, place)).lastFirings[0]).toMatchObject({ outcome: 'failed' })
  const missing = await world.owner.post(`${path}/run-now`)
  expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found'])
})

test('in a paused Project ticks fail; without an active Deployment the params are checked against the latest revision', async () => {
  const place = await world.place()
  const agent = await world.agent(place)
  const definitions = `${place.project}/definitions`
  const { id: definitionId } = await data<{ id: string }>(
    world.owner.post(definitions, { name: 'remind', kind: 'workflow' }),
  )
  const own = { ...place, agentId: agent.agentId, jobs: `${place.path}/agent-jobs` } as JobPlace
  const { path } = await made({ params: { days: 'any' } }, own)
  await world.owner.delete(path)
  await data(
    world.owner.post(`${definitions}/${definitionId}/revisions`, {
      source: { params, steps: [{ id: 'rest', sleep: 1 }] },
    }),
  )
  expect(issuesOf(await post(own, { params: { days: 'any' } }))).toEqual(['/body/params/days'])
  const { id } = await made({}, own)
  toHour()
  expect((await fired(id, 1, own)).lastFirings[0]).toMatchObject({ outcome: 'failed' })
  await data(world.owner.patch(place.project, { status: 'paused' }))
  toHour()
  expect((await fired(id, 2, own)).lastFirings[0]).toMatchObject({ outcome: 'failed' })
  const { journal } = await data<{ journal: object[] }>(world.owner.get(`/api/v1/actors/agent-job/${id}`))
  expect(journal.filter((each) => (each as { event: string }).event === 'fired')).toMatchObject([
    { reason: { code: 'no_active_deployment' } },
    { reason: { code: 'project_paused' } },
  ])
})
