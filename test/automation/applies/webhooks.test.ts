/** Webhooks of a manifest: whether they get deliveries, and several of one URL. Source: contract 10, "Manifest". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, type Loose } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
})
afterAll(() => world.stop())

const endpointUrl = 'https://hooks.example.com/troupe'
const eventTypes = ['run.completed']
const sectionOf = (webhook: object) => ({ environments: { development: { webhooks: { [endpointUrl]: webhook } } } })
const pathOf = ({ projectId, environmentId }: Loose) => `/api/v1/projects/${projectId}/environments/${environmentId}`
const webhooksOf = async (apply: Loose): Promise<Loose[]> =>
  (await data<Loose>(world.owner.get(`${pathOf(apply)}/webhooks`))).items
const exportOf = ({ projectId }: Loose): Promise<Loose> =>
  data(world.owner.get(`/api/v1/projects/${projectId}/manifest?environment=development`))

test('a webhook is created disabled, exported so, and enabled by a later Apply', async () => {
  const manifest = manifestOf(sectionOf({ eventTypes, enabled: false }))
  const apply = await world.apply(manifest)
  const [webhook, ...others] = await webhooksOf(apply)
  expect([webhook, ...others]).toMatchObject([{ endpointUrl, eventTypes, enabled: false }])
  // it is never enabled in between
  expect(webhook?.updatedAt).toBe(webhook?.createdAt)
  const exported = await exportOf(apply)
  expect(exported.environments.development.webhooks).toEqual({ [endpointUrl]: { eventTypes, enabled: false } })
  expect(world.changesOf(await world.plan(exported))).toEqual([])

  const enabling = { ...manifest, ...sectionOf({ eventTypes, enabled: true }) }
  const plan = await world.plan(enabling)
  const [change] = plan.changes.filter(({ kind }: Loose) => kind === 'webhook')
  expect(change).toMatchObject({ action: 'update', differences: [{ path: '/enabled', before: false, after: true }] })
  await world.apply(enabling)
  expect(await webhooksOf(apply)).toMatchObject([{ eventTypes, enabled: true }])
  expect((await exportOf(apply)).environments.development.webhooks).toEqual({ [endpointUrl]: { eventTypes } })
})

test('a webhook that a manifest does not enable or disable stays as it is', async () => {
  const manifest = manifestOf(sectionOf({ eventTypes }))
  const apply = await world.apply(manifest)
  const [webhook] = await webhooksOf(apply)
  expect(webhook?.enabled).toBe(true)
  await data(world.owner.patch(`${pathOf(apply)}/webhooks/${webhook?.id}`, { enabled: false }))
  expect(world.changesOf(await world.plan(manifest))).toEqual([])
  await world.apply({ ...manifest, ...sectionOf({ eventTypes: ['run.failed'] }) })
  expect(await webhooksOf(apply)).toMatchObject([{ eventTypes: ['run.failed'], enabled: false }])
})

test('two webhooks of one URL, and two jobs of one name, are issues, and nothing is written', async () => {
  const job = { agent: 'clerk', schedule: { cron: '0 3 * * *' }, query: 'Sum up.', enabled: false }
  const section = { webhooks: { [endpointUrl]: { eventTypes } }, jobs: { nightly: job } }
  const manifest = manifestOf({ environments: { development: section } })
  const apply = await world.apply(manifest)
  const path = pathOf(apply)
  await data(world.owner.post(`${path}/webhooks`, { endpointUrl, eventTypes }))
  const [{ agentId }] = (await data<{ items: [Loose] }>(world.owner.get(`${path}/agent-jobs`))).items
  const { schedule, query } = job
  await data(world.owner.post(`${path}/agent-jobs`, { name: 'nightly', agentId, schedule, query }))

  section.webhooks[endpointUrl] = { eventTypes: ['run.failed'] }
  const refused = await world.begin(manifest)
  expect([refused.status, refused.body.error.details.issues]).toEqual([
    422,
    [
      {
        path: '/environments/development/jobs/nightly',
        message: '2 jobs of development are called nightly; rename the others.',
      },
      {
        path: '/environments/development/webhooks/https:~1~1hooks.example.com~1troupe',
        message: '2 webhooks of development have this URL; change that of the others, or delete them.',
      },
    ],
  ])
  expect((await webhooksOf(apply)).map((each) => each.eventTypes)).toEqual([eventTypes, eventTypes])
})
