/** Jobs and tools of a manifest that run a workflow. Source: contract 14, "Workflows"; contract 10, "Manifest". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { echoOperation } from '../../support/world/places.ts'
import { data, type Loose } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
})
afterAll(() => world.stop())

const jobsAt = '/environments/development/jobs'
const taking = (type: string) => ({ type: 'object', properties: { days: { type } }, required: ['days'] })
const workflowOf = (type: string) => ({
  kind: 'workflow',
  source: { params: taking(type), steps: [{ id: 'find', operation: 'orders.find' }] },
})
const jobOf = (changes: object = {}) => ({
  agent: 'clerk',
  schedule: { cron: '0 3 * * *' },
  workflow: 'remind',
  params: { days: 14 },
  ...changes,
})
function manifestWith(jobs: Record<string, object>, workflow: object | null = workflowOf('integer')): Loose {
  const manifest: Loose = manifestOf({ environments: { development: { jobs } } })
  if (workflow) manifest.definitions.remind = workflow
  return manifest
}
const issuesOf = async (manifest: Loose) =>
  ((await world.plan(manifest)).issues as Loose[]).map(({ path }) => path).sort()

test('is created, compared, changed together with the params of its workflow, and exported', async () => {
  const manifest = manifestWith({ nightly: jobOf() })
  const { projectId, environmentId } = await world.apply(manifest)
  const path = `/api/v1/projects/${projectId}/environments/${environmentId}/agent-jobs`
  const jobs = async () => (await data<Loose>(world.owner.get(path))).items
  expect(await jobs()).toMatchObject([{ name: 'nightly', query: null, workflow: 'remind', params: { days: 14 } }])
  expect(world.changesOf(await world.plan(manifest))).toEqual([])

  const exported = await data<Loose>(
    world.owner.get(`/api/v1/projects/${projectId}/manifest`, { query: { environment: 'development' } }),
  )
  expect(exported.environments.development.jobs.nightly).toEqual({
    ...jobOf({ schedule: { cron: '0 3 * * *', timezone: 'UTC' } }),
    enabled: true,
    overlap: 'skip',
  })
  expect(world.changesOf(await world.plan(exported))).toEqual([])

  // the active workflow takes no texts: the params are for the one that comes with them
  manifest.definitions.remind = workflowOf('string')
  manifest.environments.development.jobs.nightly.params = { days: 'all' }
  const plan = await world.plan(manifest)
  expect([world.changesOf(plan), plan.issues]).toEqual([['revise definition remind', 'update job nightly'], []])
  await world.apply(manifest)
  expect(await jobs()).toMatchObject([{ workflow: 'remind', params: { days: 'all' } }])

  // a workflow that the manifest does not name stays deployed
  const { remind: _, ...others } = manifest.definitions
  manifest.definitions = others
  expect(await issuesOf(manifest)).toEqual([])
  manifest.environments.development.jobs.nightly.params = { days: 1 }
  expect(await issuesOf(manifest)).toEqual([`${jobsAt}/nightly/params/days`])

  manifest.environments.development.jobs.nightly = {
    ...jobOf(),
    query: 'Sum up.',
    workflow: undefined,
    params: undefined,
  }
  expect(world.changesOf(await world.plan(manifest))).toEqual(['update job nightly'])
  await world.apply(manifest)
  expect(await jobs()).toMatchObject([{ query: 'Sum up.', workflow: null, params: null }])
})

test.each<[string, object, string[], (object | null)?]>([
  ['a query as well', { query: 'Sum up.' }, ['/nightly/workflow'], workflowOf('integer')],
  ['neither', { workflow: undefined, params: undefined }, ['/nightly/query'], workflowOf('integer')],
  ['params that do not fit', { params: { days: 'many' } }, ['/nightly/params/days'], workflowOf('integer')],
  ['no such workflow', {}, ['/nightly/workflow'], null],
  ['a Definition that is no workflow', { workflow: 'orders', params: {} }, ['/nightly/workflow'], null],
])('a job with %s is an issue', async (_, changes, issues, workflow) => {
  expect(await issuesOf(manifestWith({ nightly: jobOf(changes) }, workflow))).toEqual(
    issues.map((path) => `${jobsAt}${path}`),
  )
})

test('an invalid workflow is not reported again at its job', async () => {
  const workflow = {
    kind: 'workflow',
    source: { params: {}, steps: [{ id: 'lose', operation: 'orders.lose' }, 'none'] },
  }
  const issues = await issuesOf(manifestWith({ nightly: jobOf() }, workflow))
  expect(issues.length).toBeGreaterThan(0)
  expect(issues.filter((path) => !path.startsWith('/definitions/remind'))).toEqual([])
})

test('an Agent with a workflow as a tool is granted the operations of its steps, of further workflows and compensations', async () => {
  const manifest: Loose = manifestOf()
  manifest.definitions.orders.source.operations = ['find', 'pay', 'undo', 'other'].map((name) => echoOperation(name))
  const step = (id: string, operation: string, more: object = {}) => ({ id, operation: `orders.${operation}`, ...more })
  manifest.definitions.outer = {
    kind: 'workflow',
    source: {
      params: {},
      steps: [step('pay', 'pay', { compensate: { operation: 'orders.undo' } }), { id: 'in', workflow: 'inner' }],
    },
  }
  manifest.definitions.inner = { kind: 'workflow', source: { params: {}, steps: [step('find', 'find')] } }
  manifest.agents.clerk.content.tools = [{ kind: 'workflow', name: 'pay', workflow: 'outer' }]
  expect(await issuesOf(manifest)).toEqual([])
  const { projectId } = await world.apply(manifest)
  const { items } = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/agents`))
  const { items: revisions } = await data<Loose>(
    world.owner.get(`/api/v1/projects/${projectId}/agents/${items[0].id}/revisions`),
  )
  expect(revisions[0].grantedOperations.sort()).toEqual(['orders.find', 'orders.pay', 'orders.undo'])
  expect(world.changesOf(await world.plan(manifest))).toEqual([])
  const exported = await data<Loose>(
    world.owner.get(`/api/v1/projects/${projectId}/manifest`, { query: { environment: 'development' } }),
  )
  expect(exported.agents.clerk.grantedOperations).toBeUndefined()
  expect(world.changesOf(await world.plan(exported))).toEqual([])

  manifest.agents.clerk.content.tools[0].workflow = 'nothing'
  expect(await issuesOf(manifest)).toEqual(['/agents/clerk/content/tools/0/workflow'])
  manifest.agents.clerk.content.tools[0].workflow = 'inner'
  manifest.definitions.inner.source.steps.push('none')
  expect((await issuesOf(manifest)).filter((path) => path.startsWith('/agents'))).toEqual([])
})
