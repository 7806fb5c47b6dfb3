/** Secrets are checked, and the bundle is built. Source: contract 3, "provisioning", "materializing". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { issuesOf, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('a secret that does not decrypt fails in provisioning, and is not shown', async () => {
  const place = await world.place()
  const [one, other] = [await world.variable(place), await world.variable(place)]
  const bindings = [{ bindingKey: one.name, kind: 'variable', required: true }]
  const agent = await world.agent(place, { bindings })
  const credential = await world.credential('openai')
  const { settingId } = await world.setting(place, agent.agentId, {
    provider: 'openai',
    providerCredentialId: credential.id,
  })
  // ciphertexts of other records
  world.rows('drop trigger variable_versions_are_immutable')
  world.rows('drop trigger provider_credential_versions_are_immutable')
  world.rows(
    'update variable_versions set sealed = (select sealed from variable_versions where variable_id = ?) where variable_id = ?',
    other.id,
    one.id,
  )
  world.rows(
    'update provider_credential_versions set sealed = (select sealed from variable_versions where variable_id = ?) where credential_id = ?',
    other.id,
    credential.id,
  )
  const ended = await world.submitted(place, await world.release(place, [agent]))
  expect([ended.state, ended.stateReason?.code]).toEqual(['failed', 'secret_unavailable'])
  expect(issuesOf(ended)).toEqual([
    ['credential_unreadable', `/providerSettings/${settingId}`],
    ['variable_unreadable', `/variables/${one.id}`],
  ])
  const { items } = (await place.owner.get(`${place.path}/deployments/${ended.id}/transitions`)).body.data
  expect(items.at(-1)).toMatchObject({ from: 'provisioning', to: 'failed' })
})

describe('the bundle', () => {
  test('contains what the Deployment pins, with its digest, and never changes', async () => {
    const place = await world.place()
    const { pin: definition, source } = await world.definition(place, 'orders', ['find'])
    const helper = await world.agent(place)
    const delegates = [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }]
    const agent = await world.agent(place, { delegates }, ['agent-runs:get'])
    const credential = await world.credential('openai')
    const settings = { maxOutputTokens: 5 }
    await world.setting(place, agent.agentId, {
      provider: 'openai',
      settings,
      providerCredentialId: credential.id,
    })
    const variable = await world.variable(place, { name: 'REGION' })
    const connection = await world.connection(place, {
      agentId: agent.agentId,
      bindingKey: 'shop',
      providerCredentialId: credential.id,
      settings: { host: 'example.com' },
    })
    const ended = await world.submitted(place, await world.release(place, [agent, helper], [definition]))
    expect(ended.stateReason).toBeNull()
    const [row] = world.rows<{ bundle: string; digest: string }>(
      'select * from deployment_bundles where deployment_id = ?',
      ended.id,
    )
    expect(row?.digest).toBe(`sha256:${new Bun.CryptoHasher('sha256').update(row?.bundle ?? '').digest('hex')}`)
    expect(ended.digest).toMatch(/^sha256:/)
    const pin = { id: credential.id, version: 1 }
    expect(JSON.parse(row?.bundle ?? '')).toEqual({
      version: 1,
      organizationId: place.organizationId,
      projectId: place.projectId,
      environmentId: place.environmentId,
      deploymentId: ended.id,
      releaseId: ended.releaseId,
      configurationRevisionId: ended.configurationRevisionId,
      agents: [
        {
          agentId: agent.agentId,
          agentRevisionId: agent.agentRevisionId,
          slug: agent.slug,
          name: agent.name,
          content: { instructions: 'Help.', delegates },
          grantedOperations: ['agent-runs:get'],
          delegates: { helper: helper.agentId },
          setting: { provider: 'openai', model: null, settings, credential: pin },
        },
        {
          agentId: helper.agentId,
          agentRevisionId: helper.agentRevisionId,
          slug: helper.slug,
          name: helper.name,
          content: { instructions: 'Help.' },
          grantedOperations: [],
          delegates: {},
          setting: null,
        },
      ],
      definitions: [{ ...definition, name: 'orders', source }],
      variables: [{ variableId: variable.id, version: 1, name: 'REGION', agentId: null, bindingKey: null }],
      connections: [
        {
          connectionId: connection.id,
          connectionVersionId: connection.currentVersion.id,
          kind: 'custom',
          name: connection.name,
          settings: { host: 'example.com' },
          credential: pin,
          agentId: agent.agentId,
          bindingKey: 'shop',
        },
      ],
    })
  })
})

test('no secret appears anywhere', () => {
  const tables = world.rows<{ name: string }>("select name from sqlite_master where type = 'table'")
  for (const { name } of tables) expect(JSON.stringify(world.rows(`select * from ${name}`))).not.toMatch(/hunter\d/)
  expect(JSON.stringify(world.lines)).not.toMatch(/hunter\d/)
})
