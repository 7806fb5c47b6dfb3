import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
async function applyAt(path: string, body: object): Promise<Loose> {
  const { id } = dataOf(await world.owner.post(path, body))
  const apply = await world.ended(id)
  expect({ state: apply.state, reason: apply.stateReason }).toEqual({ state: 'applied', reason: null })
  return apply
}
const activeIn = async (projectId: string, environmentId: string): Promise<string> =>
  (await data<Loose>(world.owner.get(`/api/v1/projects/${projectId}/environments/${environmentId}`))).activeDeploymentId

describe('a roll-back', () => {
  test('reactivates the previous Release, step by step', async () => {
    const manifest = manifestOf()
    const one = await world.apply(manifest)
    const two = await world.apply(saying(manifest, 'Two.'))
    const three = await world.apply(saying(manifest, 'Three.'))
    const { projectId, environmentId } = one
    const path = `/api/v1/projects/${projectId}/environments/${environmentId}`
    const back = await applyAt(`${path}/rollback`, {})
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
