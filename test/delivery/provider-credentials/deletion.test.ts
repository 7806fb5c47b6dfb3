/** The deletion of a provider credential. Source: requirement 4.7; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Place, placesOf } from '../../support/world/places.ts'
import { atOnce, data, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { credentialIn } from './world.ts'

let world: World
let places: ReturnType<typeof placesOf>
beforeAll(async () => {
  world = await openWorld()
  places = placesOf(world)
})
afterAll(() => world?.stop())

const credential = (changes: object = {}) => credentialIn(world, changes)

describe('a deletion', () => {
  test('answers 200 without a body, and removes everything', async () => {
    const { id, path } = await credential()
    await world.owner.post(`${path}/versions`, { secret: 'sk-2' })
    const { status, body: answer } = await world.owner.delete(path)
    expect([status, answer]).toEqual([200, undefined])
    expect(outcome(await world.owner.get(path))).toBe('404 not_found')
    expect(outcome(await world.owner.delete(path))).toBe('404 not_found')
    expect(world.rows('select * from provider_credential_versions where credential_id = ?', id)).toEqual([])
  })

  test('by eight concurrent requests happens once', async () => {
    const { path } = await credential()
    const replies = await atOnce(8, () => world.owner.delete(path))
    expect(tally(replies)).toEqual({ 200: 1, '404 not_found': 7 })
  })

  test('concurrent with changes fails only with 404', async () => {
    const { path } = await credential()
    const replies = await Promise.all([
      world.owner.patch(path, { label: 'Late' }),
      world.owner.post(`${path}/versions`, { secret: 'sk' }),
      world.owner.delete(path),
      world.owner.patch(path, { status: 'disabled' }),
      world.owner.post(`${path}/versions`, { secret: 'sk' }),
    ])
    for (const reply of replies) expect([200, '404 not_found']).toContain(outcome(reply))
    expect(replies[2]?.status).toBe(200)
  })

  const users: { what: string; use: (place: Place, agentId: string, credentialId: string) => Promise<unknown> }[] = [
    {
      what: 'by a provider setting',
      use: (place, agentId, providerCredentialId) =>
        places.setting(place, agentId, { provider: 'openai', providerCredentialId }),
    },
    {
      what: 'by a Connection version',
      use: (place, _, providerCredentialId) => places.connection(place, { providerCredentialId }),
    },
  ]
  test.each(users)('while an active Deployment pins it is 409: $what', async ({ use }) => {
    const place = await places.place()
    const agent = await places.agent(place)
    const { id, path } = await places.credential('openai')
    const without = await places.deploy(place, [agent])
    await use(place, agent.agentId, id)
    const deploymentId = await places.serve(place, [agent])

    const refused = await world.owner.delete(path)
    expect(outcome(refused)).toBe('409 credential_in_use')
    const [environment, slug] = [place.environmentId, expect.any(String)]
    expect(refused.body.error.details.dependents).toEqual([
      {
        type: 'deployment',
        id: deploymentId,
        project: { id: place.projectId, slug },
        environment: { id: environment, kind: 'development' },
      },
    ])
    const [{ project }] = refused.body.error.details.dependents
    expect(refused.body.error.message).toContain(`development (${environment}) of the Project ${project.slug}`)
    expect((await world.owner.get(path)).status).toBe(200)

    await places.activate(place, without)
    expect(outcome(await world.owner.delete(path))).toBe(200)
  })

  test('is 409 for the credential that a Deployment with the present ones uses, not for the pinned one', async () => {
    const place = await places.place()
    const agent = await places.agent(place)
    const [pinned, present] = [await places.credential('openai'), await places.credential('openai')]
    const connection = await places.connection(place, { providerCredentialId: pinned.id })
    const releaseId = await places.release(place, [agent])
    const { configurationRevisionId } = await places.submitted(place, releaseId)
    await data(
      place.owner.patch(`${place.path}/connections/${connection.id}`, {
        version: { settings: {}, providerCredentialId: present.id },
      }),
    )
    const body = { releaseId, configurationRevisionId, credentials: 'current' }
    const { id } = await data(place.owner.post(`${place.path}/deployments`, body))
    expect(await places.settled(place, id)).toMatchObject({ state: 'ready' })
    await places.activate(place, id)
    expect(outcome(await world.owner.delete(present.path))).toBe('409 credential_in_use')
    expect(outcome(await world.owner.delete(pinned.path))).toBe(200)
  })

  test('is not blocked by another credential, or by a Deployment that is not active', async () => {
    const place = await places.place()
    const agent = await places.agent(place)
    const [one, other] = [await places.credential('openai'), await places.credential('openai')]
    for (const { id: providerCredentialId } of [one, other]) {
      const { settingId } = await places.setting(place, agent.agentId, { provider: 'openai', providerCredentialId })
      await places.serve(place, [agent])
      await data(place.owner.delete(`${place.path}/agents/${agent.agentId}/provider-settings/${settingId}`))
    }
    expect(outcome(await world.owner.delete(one.path))).toBe(200)
    expect(outcome(await world.owner.delete(other.path))).toBe('409 credential_in_use')
  })
})
