/** The deletion of a provider credential. Source: requirement 4.7; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { atOnce, outcome, tally } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { activate, credentialIn, deactivate } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
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

  describe('while an active Deployment pins it is 409', () => {
    test('by a provider setting', async () => {
      const { id, path } = await credential()
      const project = await world.project()
      const { environments } = project
      const setting = { settingId: 1, providerCredentialId: id, providerCredentialVersion: 1 }
      activate(world, environments[1], { providerSettings: [{ settingId: 2, providerCredentialId: null }, setting] })
      const refused = await world.owner.delete(path)
      expect(outcome(refused)).toBe('409 credential_in_use')
      expect(refused.body.error.details.dependents).toEqual([
        {
          type: 'deployment',
          id: expect.stringMatching(/^dep_/),
          project: { id: project.id, slug: expect.any(String) },
          environment: { id: environments[1], kind: 'preview' },
        },
      ])
      const [{ project: place }] = refused.body.error.details.dependents
      expect(refused.body.error.message).toContain(
        `the Environment preview (${environments[1]}) of the Project ${place.slug}`,
      )
      expect((await world.owner.get(path)).status).toBe(200)
      deactivate(world, environments[1])
      expect(outcome(await world.owner.delete(path))).toBe(200)
    })

    test('by a Connection version', async () => {
      const { id, path } = await credential({ provider: 'custom' })
      const { environments } = await world.project()
      const connectionId = newId('con')
      const connectionVersionId = newId('cnv')
      world.rows(
        "insert into connections (id, organization_id, environment_id, name, kind, status, current_version_id, created_at, updated_at) values (?, ?, ?, 'Shop', 'http', 'active', ?, 0, 0)",
        connectionId,
        world.ours,
        environments[0],
        connectionVersionId,
      )
      world.rows(
        "insert into connection_versions values (?, ?, ?, 1, '{}', ?, 1, 0, null)",
        connectionVersionId,
        world.ours,
        connectionId,
        id,
      )
      expect((await world.owner.get(path)).status).toBe(200)
      activate(world, environments[0], { connections: [{ connectionId, connectionVersionId }] })
      expect(outcome(await world.owner.delete(path))).toBe('409 credential_in_use')
    })
  })

  test('is not blocked by another credential, an inactive snapshot, or another organization', async () => {
    const [one, other] = [await credential(), await credential()]
    const { environments } = await world.project()
    activate(world, environments[0], { providerSettings: [{ providerCredentialId: one.id }] })
    activate(world, environments[0], { providerSettings: [{ providerCredentialId: other.id }] })
    expect(outcome(await world.owner.delete(one.path))).toBe(200)
    const foreign = world.organization()
    const theirs = await world.project(foreign.owner)
    activate(world, theirs.environments[0], { providerSettings: [{ providerCredentialId: other.id }] })
    deactivate(world, environments[0])
    expect(outcome(await world.owner.delete(other.path))).toBe(200)
  })
})
