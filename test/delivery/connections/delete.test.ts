import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { eventually } from '../../support/process.ts'
import { data, tallyStatuses, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const get = async (id: string) => (await world.owner.get(`${world.connectionsPath}/${id}`)).body.data
const patch = (id: string, body: object) => world.owner.patch(`${world.connectionsPath}/${id}`, body)

describe('deletion', () => {
  test('is 204, and frees name and key', async () => {
    const agentId = await world.agent()
    const { id, name } = await world.connection({ agentId, bindingKey: 'shop' })
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(204)
    expect((await world.owner.get(`${world.connectionsPath}/${id}`)).status).toBe(404)
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(404)
    await world.connection({ name, agentId, bindingKey: 'shop' })
  })

  test('is 409 while a Configuration Revision of the Environment holds it', async () => {
    const [held, neighbour] = [await world.connection(), await world.connection()]
    world.snapshot([])
    world.snapshot([newId('con'), held.id])
    world.snapshot([])
    const reply = await world.owner.delete(`${world.connectionsPath}/${held.id}`)
    expect(verdict(reply)).toEqual([409, 'connection_retained'])
    const [row] = world.rows<{ id: string; number: number }>(
      `select id, number from configuration_revisions where environment_id = ? and content like ?`,
      world.environmentId,
      `%${held.id}%`,
    )
    const { message, details } = reply.body.error
    expect(message).toContain(`Configuration Revision ${row?.number} (${row?.id})`)
    expect(message).toContain(held.name)
    expect(details).toEqual({ dependents: [{ type: 'configurationRevision', ...row }] })
    expect(await get(held.id)).toEqual(held)
    expect((await patch(held.id, { status: 'disabled' })).status).toBe(200)
    expect((await world.owner.delete(`${world.connectionsPath}/${neighbour.id}`)).status).toBe(204)
  })

  test('is not blocked by the id elsewhere in a revision', async () => {
    const { id } = await world.connection()
    world.rows(
      `insert into configuration_revisions select ?, organization_id, environment_id, 999, null,
       json_set(content, '$.providerSettings', json_array(json_object('settings', json_object('connectionId', ?)))),
       digest, null, created_by_type, created_by_id, created_at from configuration_revisions where number = 0 and environment_id = ?`,
      newId('cfr'),
      id,
      world.environmentId,
    )
    expect((await world.owner.delete(`${world.connectionsPath}/${id}`)).status).toBe(204)
  })

  test('is refused for the oldest of many Configuration Revisions, and only for one that contains it', async () => {
    const { path, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}`
    await world.owner.patch(at, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
    const held = await world.connection({}, `${at}/connections`)
    const take = async () => {
      const expectedHeadRevisionId = (await world.owner.get(at)).body.data.configurationHead.revisionId
      return data(world.owner.post(`${at}/configuration-revisions`, { expectedHeadRevisionId }))
    }
    for (let number = 1; number <= 25; number += 1) {
      await take()
      // later ones leave it out
      if (number === 1) await world.owner.patch(`${at}/connections/${held.id}`, { status: 'disabled' })
    }
    const free = await world.connection({}, `${at}/connections`)
    expect(verdict(await world.owner.delete(`${at}/connections/${held.id}`))).toEqual([409, 'connection_retained'])
    expect((await world.owner.delete(`${at}/connections/${free.id}`)).status).toBe(204)
    // a revision that is created during the look at the others counts
    for (let round = 0; round < 5; round += 1) {
      const { id } = await world.connection({}, `${at}/connections`)
      const [revision, { status }] = await Promise.all([take(), world.owner.delete(`${at}/connections/${id}`)])
      expect(status).toBe(JSON.stringify(revision).includes(id) ? 409 : 204)
    }
  })

  test('of eight concurrent ones exactly one is 204', async () => {
    const { id } = await world.connection()
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => world.owner.delete(`${world.connectionsPath}/${id}`)),
    )
    expect(tallyStatuses(replies)).toEqual({ 204: 1, 404: 7 })
  })

  test('concurrent with changes leaves nothing half-written', async () => {
    const { id } = await world.connection()
    const [deleted, ...changed] = await Promise.all([
      world.owner.delete(`${world.connectionsPath}/${id}`),
      ...Array.from({ length: 4 }, () => patch(id, { version: { providerCredentialId: null } })),
    ])
    expect(deleted?.status).toBe(204)
    for (const { status } of changed) expect([200, 404]).toContain(status)
    await eventually('the removal of its versions', () => {
      world.clock.advance(60_000)
      return world.versions(id).length === 0
    })
  })

  test('concurrent with a Configuration Revision: Connections in the revision still exist', async () => {
    const { path, environments } = await world.newProject()
    const at = `${path}/environments/${environments[0]}`
    await world.owner.patch(at, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
    for (let round = 0; round < 4; round += 1) {
      const { id } = await world.connection({}, `${at}/connections`)
      const expectedHeadRevisionId = (await world.owner.get(at)).body.data.configurationHead.revisionId
      const [taken, deleted] = await Promise.all([
        world.owner.post(`${at}/configuration-revisions`, { expectedHeadRevisionId }),
        world.owner.delete(`${at}/connections/${id}`),
      ])
      expect(taken.status).toBe(201)
      const holds = JSON.stringify(taken.body.data.connections).includes(id)
      expect(deleted.status).toBe(holds ? 409 : 204)
    }
  })

  test('of a credential does not change the Connections that refer to it', async () => {
    const providerCredentialId = await world.credential()
    const before = await world.connection({ providerCredentialId })
    expect((await world.owner.delete(`${world.credentialsPath}/${providerCredentialId}`)).status).toBe(200)
    expect(await get(before.id)).toEqual(before)
    expect(verdict(await patch(before.id, { version: { providerCredentialId } }))).toEqual([404, 'not_found'])
  })
})
