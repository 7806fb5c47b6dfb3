import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data, dataOf, type Loose, verdict } from '../../support/world/replies.ts'
import { type ApplyWorld, manifestOf, openApplyWorld } from './world.ts'

let world: ApplyWorld
beforeAll(async () => {
  world = await openApplyWorld()
})
afterAll(() => world.stop())

const saying = (manifest: Loose, instructions: string): Loose => {
  const other = structuredClone(manifest)
  other.agents.clerk.content.instructions = instructions
  return other
}

/** Sends a request that returns 202, and waits until the Apply is applied. */
async function applyAt(path: string, body?: object): Promise<Loose> {
  const { id } = dataOf(await world.owner.post(path, body))
  const apply = await world.ended(id)
  expect({ state: apply.state, reason: apply.stateReason }).toEqual({ state: 'applied', reason: null })
  return apply
}
const activeIn = async (projectId: string, environmentId: string): Promise<string> =>
  (await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/environments/${environmentId}`))).activeDeploymentId
const exportOf = ({ projectId }: Loose, environment = 'development'): Promise<Loose> =>
  data(world.owner.get(`/api/v1/projects/${projectId}/manifest?environment=${environment}`))

describe('a roll-back', () => {
  test('reactivates the previous Release, step by step', async () => {
    const manifest = manifestOf()
    const one = await world.apply(manifest)
    const two = await world.apply(saying(manifest, 'Two.'))
    const three = await world.apply(saying(manifest, 'Three.'))
    const { projectId, environmentId } = one
    const path = `/api/v1/projects/${projectId}/environments/${environmentId}`
    const back = await applyAt(`${path}/rollback`)
    expect(back.deploymentId).toBe(two.deploymentId)
    expect(back.plan.changes).toContainEqual({
      action: 'update',
      kind: 'agent',
      name: 'clerk',
      environment: 'development',
      differences: [{ path: '/revision', before: 3, after: 2, shortened: false }],
    })
    expect(await activeIn(projectId, environmentId)).toBe(two.deploymentId)
    // the next one continues from there, not back to where it came from
    expect((await applyAt(`${path}/rollback`, {})).deploymentId).toBe(one.deploymentId)
    const none = await world.owner.post(`${path}/rollback`, {})
    expect(verdict(none)).toEqual([422, 'plan_has_issues'])
    expect(none.body.error.details.issues[0].path).toBe('/steps')

    // applying the newest manifest is then not a no-op: it is activated again, and nothing is published again
    const plan = await world.plan(saying(manifest, 'Three.'))
    expect(world.changesOf(plan)).toEqual(['update agent clerk'])
    const again = await world.apply(saying(manifest, 'Three.'))
    expect(await activeIn(projectId, environmentId)).toBe(again.deploymentId)
    const release = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/releases/${again.releaseId}`))
    const before = await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/releases/${three.releaseId}`))
    expect(release.agents).toEqual(before.agents)
  })

  test('of several steps, with current credentials, creates a new Deployment', async () => {
    const manifest = manifestOf()
    const one = await world.apply(manifest)
    await world.apply(saying(manifest, 'Two.'))
    await world.apply(saying(manifest, 'Three.'))
    const path = `/api/v1/projects/${one.projectId}/environments/${one.environmentId}`
    const back = await applyAt(`${path}/rollback`, { steps: 2, credentials: 'current' })
    expect(back.releaseId).toBe(one.releaseId)
    expect(back.deploymentId).not.toBe(one.deploymentId)
    expect(await data<Loose>(world.owner.get(`${path}/deployments/${back.deploymentId}`))).toMatchObject({
      credentials: 'current',
      configurationRevisionId: one.configurationRevisionId,
    })
  })

  test('goes one step further each time, also with current credentials', async () => {
    const manifest = manifestOf()
    const one = await world.apply(manifest)
    const two = await world.apply(saying(manifest, 'Two.'))
    await world.apply(saying(manifest, 'Three.'))
    const path = `/api/v1/projects/${one.projectId}/environments/${one.environmentId}`
    const back = await applyAt(`${path}/rollback`, { credentials: 'current' })
    expect(back.releaseId).toBe(two.releaseId)
    const further = await applyAt(`${path}/rollback`, { credentials: 'current' })
    expect(further.releaseId).toBe(one.releaseId)
    expect(verdict(await world.owner.post(`${path}/rollback`, {}))).toEqual([422, 'plan_has_issues'])

    // a manifest is a step forward, also an earlier one; a roll-back from it leads to what served before it
    const forward = await world.apply(saying(manifest, 'Two.'))
    expect(forward.releaseId).not.toBe(one.releaseId)
    expect((await applyAt(`${path}/rollback`, {})).deploymentId).toBe(further.deploymentId)
    expect(verdict(await world.owner.post(`${path}/rollback`, {}))).toEqual([422, 'plan_has_issues'])
  })
})

describe('a promotion', () => {
  const connected = () => {
    const manifest = manifestOf()
    manifest.agents.clerk.content.bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
    const shop = { kind: 'http', settings: { baseUrl: 'https://shop.example.com' } }
    manifest.environments = { development: { connections: { shop } } }
    return manifest
  }

  test('deploys the active Release in another Environment, with the configuration of that Environment', async () => {
    const manifest = manifestOf()
    const { projectId, environmentId, releaseId } = await world.apply(manifest)
    const [, , production] = await world.environmentsOf({ projectId })
    const body = { projectId, fromEnvironmentId: environmentId, toEnvironmentId: production.id }
    const apply = await applyAt('/api/v1/promotions', body)
    expect(apply).toMatchObject({ environmentId: production.id, releaseId })
    expect(world.changesOf(apply.plan)).toEqual([
      'update environment production',
      'create agent clerk',
      'create definition orders',
    ])
    expect(await activeIn(projectId, production.id)).toBe(apply.deploymentId)
    // the second time there is nothing to do
    const again = dataOf(await world.owner.post('/api/v1/promotions', body))
    expect(again).toMatchObject({ state: 'applied', deploymentId: apply.deploymentId, activationId: null })
  })

  test('names what the target lacks, and writes nothing', async () => {
    const { projectId, environmentId } = await world.apply(connected())
    const [, preview] = await world.environmentsOf({ projectId })
    const body = { projectId, fromEnvironmentId: environmentId, toEnvironmentId: preview.id }
    const reply = await world.owner.post('/api/v1/promotions', body)
    expect(verdict(reply)).toEqual([422, 'plan_has_issues'])
    expect(reply.body.error.details.issues).toEqual([
      {
        path: '/environments/preview/connections/shop',
        message: 'The Agent clerk needs the Connection shop, and preview has none.',
      },
    ])
    expect((await world.environmentsOf({ projectId }))[1].lifecycle).toBe('provisioning')
  })

  test('of nothing, or to the same Environment, is rejected', async () => {
    const { projectId, environmentId } = await world.apply(manifestOf())
    const [, preview] = await world.environmentsOf({ projectId })
    const promote = (fromEnvironmentId: string, toEnvironmentId: string) =>
      world.owner.post('/api/v1/promotions', { projectId, fromEnvironmentId, toEnvironmentId })
    const issues = ({ body }: Loose) => body.error.details.issues.map(({ path }: Loose) => path)
    expect(issues(await promote(preview.id, environmentId))).toEqual(['/fromEnvironmentId'])
    expect(issues(await promote(environmentId, environmentId))).toEqual(['/toEnvironmentId'])
    const other = await world.apply(manifestOf())
    expect(verdict(await promote(environmentId, other.environmentId))).toEqual([404, 'not_found'])
  })
})

describe('a Release with other delegates than the contents name', () => {
  const delegating = () => {
    const manifest = manifestOf()
    manifest.agents.other = structuredClone(manifest.agents.clerk)
    const delegates = [{ name: 'helper', description: 'Helps.', agent: 'clerk' }]
    manifest.agents.boss = { content: { instructions: 'Lead.', delegates } }
    return manifest
  }
  /** Activates a Release in which the delegate of `boss` is `other`; returns it. */
  async function override({ projectId, environmentId, releaseId }: Loose): Promise<Loose> {
    const project = `/api/v1/projects/${projectId}`
    const { agents, definitions } = await data<Loose>(world.owner.get(`${project}/releases/${releaseId}`))
    const { items } = await data<Loose>(world.owner.get(`${project}/agents`))
    const idOf = (wanted: string) => items.find(({ slug }: Loose) => slug === wanted).id
    const delegateAttachments = [{ agentId: idOf('boss'), name: 'helper', delegateAgentId: idOf('other') }]
    const release = await data<Loose>(
      world.owner.post(`${project}/releases`, { agents, definitions, delegateAttachments }),
    )
    const path = `${project}/environments/${environmentId}`
    const { id: deploymentId } = await data(world.owner.post(`${path}/deployments`, { releaseId: release.id }))
    await eventually('a ready Deployment', async () => {
      const { state } = await data<Loose>(world.owner.get(`${path}/deployments/${deploymentId}`))
      return state === 'ready'
    })
    await data(world.owner.post(`${path}/activations`, { deploymentId, expectedGeneration: 1 }))
    return release
  }
  const attachmentsOf = async ({ projectId, releaseId }: Loose): Promise<Loose[]> =>
    (await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/releases/${releaseId}`))).delegateAttachments

  test('is not that of the manifest', async () => {
    const manifest = delegating()
    const first = await world.apply(manifest)
    await override(first)
    const plan = await world.plan(manifest)
    expect(world.changesOf(plan)).toEqual(['update agent boss'])
    expect(plan.changes.find(({ name }: Loose) => name === 'boss').differences).toEqual([
      { path: '/delegates/helper', before: 'other', after: 'clerk', shortened: false },
    ])
    const again = await world.apply(manifest)
    expect(await attachmentsOf(again)).toEqual(await attachmentsOf(first))
    expect(world.changesOf(await world.plan(manifest))).toEqual([])
  })

  test('keeps them for Agents that the manifest does not name', async () => {
    const manifest = delegating()
    const overridden = await override(await world.apply(manifest))
    manifest.agents.boss = undefined
    manifest.agents.clerk.content.instructions = 'Briefly.'
    expect(await attachmentsOf(await world.apply(manifest))).toEqual(overridden.delegateAttachments)
  })

  test('is exported with the delegates that serve, and applying that changes nothing', async () => {
    const overridden = await override(await world.apply(delegating()))
    const exported = await exportOf(overridden)
    expect(exported.agents.boss.content.delegates).toEqual([{ name: 'helper', description: 'Helps.', agent: 'other' }])
    const plan = await world.plan(exported)
    expect([plan.issues, world.changesOf(plan)]).toEqual([[], []])
    expect((await world.apply(exported)).releaseId).toBe(overridden.id)
    exported.agents.clerk.content.instructions = 'Briefly.'
    expect(await attachmentsOf(await world.apply(exported))).toEqual(overridden.delegateAttachments)
  })
})

test('a delegate that a content names by id is exported by slug', async () => {
  const { projectId } = await world.apply(manifestOf())
  const agents = `/api/v1/projects/${projectId}/agents`
  const [clerk] = (await data<Loose>(world.owner.get(agents))).items
  const { id } = await data(world.owner.post(agents, { slug: 'boss', name: 'Boss' }))
  const delegates = [{ name: 'helper', description: 'Helps.', agentId: clerk.id }]
  await data(world.owner.post(`${agents}/${id}/revisions`, { content: { instructions: 'Lead.', delegates } }))
  const exported = await exportOf({ projectId }, 'preview')
  expect(exported.agents.boss.content.delegates).toEqual([{ name: 'helper', description: 'Helps.', agent: 'clerk' }])
  expect(world.changesOf(await world.plan(exported, { environment: 'preview' }))).not.toContain('revise agent boss')
  exported.project.slug = manifestOf().project.slug
  expect((await world.plan(exported)).issues).toEqual([])
})
