/** The uses of a provider credential, and the revocation of a version. Source: contract 4. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { issuesOf, openWorld, type World } from '../deployments/world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

async function served() {
  const place = await world.place()
  const credential = await world.credential('openai')
  const bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
  const agent = await world.agent(place, { bindings })
  const connection = await world.connection(place, { name: 'shop', providerCredentialId: credential.id })
  await world.setting(place, agent.agentId, { provider: 'openai', providerCredentialId: credential.id })
  const release = await world.release(place, [agent])
  const deployment = await world.submitted(place, release)
  expect(deployment.state).toBe('ready')
  await world.activate(place, deployment.id, 0)
  return { place, credential, agent, connection, release, deployment }
}

test('its uses are listed by name: configured ones, and active ones', async () => {
  const { place, credential, agent, connection, deployment } = await served()
  await credential.rotate('hunter3-secret')
  const { status, body } = await world.owner.get(`${credential.path}/uses`)
  expect(status).toBe(200)
  const shown = body.data.items.map(({ kind, id, name, version, deploymentId }: Record<string, unknown>) => [
    kind,
    kind === 'connection' ? id : null,
    name,
    version,
    deploymentId,
  ])
  expect(shown).toEqual([
    ['connection', connection.id, 'shop', null, null],
    ['providerSetting', null, agent.slug, null, null],
    ['connection', connection.id, 'shop', 1, deployment.id],
    ['providerSetting', null, agent.slug, 1, deployment.id],
  ])
  expect(body.data.items[0].environment.id).toBe(place.environmentId)
  expect((await world.owner.get(`${(await world.credential('openai')).path}/uses`)).body.data.items).toEqual([])
})

test('a revoked version is unusable; the others still work', async () => {
  const { place, credential, release, connection, deployment } = await served()
  const { configurationRevisionId } = deployment
  await credential.rotate('hunter3-secret')
  const revoke = (version: unknown) => world.owner.post(`${credential.path}/versions/${version}/revoke`)
  const before = (await world.owner.get(credential.path)).body.data.updatedAt
  world.clock.step(1_000)
  const first = await revoke(1)
  expect(first.status).toBe(200)
  expect(Date.parse(first.body.data.updatedAt)).toBeGreaterThan(Date.parse(before))
  expect(first.body.data.versions.map(({ revokedAt }: { revokedAt?: string }) => revokedAt !== undefined)).toEqual([
    true,
    false,
  ])
  expect((await revoke(1)).body).toEqual(first.body)
  for (const version of [0, 3, 'x']) expect((await revoke(version)).status).toBe(404)

  const failed = await world.submitted(place, release, configurationRevisionId)
  expect(issuesOf(failed).map(([code]) => code)).toEqual(['credential_revoked', 'credential_revoked'])
  expect(issuesOf(failed)[0]?.[1]).toBe(`/connections/${connection.id}`)
  expect(failed.stateReason?.issues?.[0]?.message).toContain('Key')
  expect((await world.submitted(place, release)).state).toBe('ready')
  const reply = await place.owner.post(`${place.path}/deployments`, {
    releaseId: release,
    configurationRevisionId,
    credentials: 'current',
  })
  expect((await world.settled(place, reply.body.data.id)).state).toBe('ready')
})
