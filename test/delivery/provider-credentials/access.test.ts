/** Permissions for provider credentials, and their audit log. Source: requirement 4.7; contract 4. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import { outcome } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { credentialIn, credentialsPath, newCredential } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const credential = (changes: object = {}) => credentialIn(world, changes)

describe('permissions', () => {
  const commands: [string, string, string, object | undefined][] = [
    ['list', 'GET', '', undefined],
    ['create', 'POST', '', {}],
    ['get', 'GET', '/:id', undefined],
    ['update', 'PATCH', '/:id', {}],
    ['delete', 'DELETE', '/:id', undefined],
    ['versions:create', 'POST', '/:id/versions', {}],
  ]
  test.each(commands)('without provider-credentials:%s: %s %s is 404, as for other organizations', async (...row) => {
    const [verb, method, below, sent] = row
    const { path } = await credential()
    const target = below === '' ? credentialsPath : below.replace('/:id', path)
    const all = ['list', 'get', 'create', 'update', 'delete', 'versions:create']
    const operations = all.filter((each) => each !== verb).map((each) => `provider-credentials:${each}`)
    const lacking = world.keyOf(world.user('admin'), { operations })
    const foreigner = world.organization().owner
    const refused = await lacking.call(method, target, sent)
    expect(outcome(refused)).toBe('404 not_found')
    const strange = await foreigner.call(method, target, sent)
    expect({ ...strange.body.error, requestId: '' }).toEqual({ ...refused.body.error, requestId: '' })
    expect((await world.owner.get(path)).status).toBe(200)
  })

  test('a member and a key that is bound to a Project get 404', async () => {
    const { id } = await world.project()
    expect((await world.keyOf(world.user('member')).get(credentialsPath)).status).toBe(404)
    expect((await world.keyOf(world.ownerId, { projectId: id }).get(credentialsPath)).status).toBe(404)
  })

  test("an admin's key is allowed", async () => {
    expect((await world.keyOf(world.user('admin')).get(credentialsPath)).status).toBe(200)
  })

  test.each<[string, string, object | undefined]>([
    ['GET', '', undefined],
    ['PATCH', '', { label: 'Mine' }],
    ['DELETE', '', undefined],
    ['POST', '/versions', { secret: 'mine' }],
  ])('%s %s of a foreign and of a missing one are the same 404', async (method, below, sent) => {
    const { id } = await credential()
    const { id: theirs, owner } = world.organization()
    const under = `/api/v1/organizations/${theirs}/provider-credentials`
    const replies = [
      await owner.call(method, `${under}/${id}${below}`, sent),
      await owner.call(method, `${under}/${newId('crd')}${below}`, sent),
      await owner.call(method, `${under}/nonsense${below}`, sent),
    ]
    const texts = replies.map((reply) => JSON.stringify([reply.status, { ...reply.body.error, requestId: '' }]))
    expect(new Set(texts).size).toBe(1)
    expect(replies[0]?.status).toBe(404)
  })
})

test('the audit log names the credential and the fields', async () => {
  const { id: organizationId, owner } = world.organization()
  const path = `/api/v1/organizations/${organizationId}/provider-credentials`
  const { id } = (await owner.post(path, newCredential())).body.data
  world.clock.advance(1)
  await owner.patch(`${path}/${id}`, { status: 'disabled' })
  world.clock.advance(1)
  await owner.post(`${path}/${id}/versions`, { secret: 'sk-2' })
  world.clock.advance(1)
  await owner.delete(`${path}/${id}`)
  const lines = world.rows<{ operation: string; changed: string; resource_type: string; resource_id: string }>(
    "select operation, changed, resource_type, resource_id from audit_events where organization_id = ? and outcome = 'allowed' order by id",
    organizationId,
  )
  const resource = { resource_type: 'providerCredential', resource_id: id }
  expect(lines).toEqual([
    { operation: 'createProviderCredential', changed: '["credentialType","label","provider","secret"]', ...resource },
    { operation: 'updateProviderCredential', changed: '["status"]', ...resource },
    { operation: 'createProviderCredentialVersion', changed: '["secret"]', ...resource },
    { operation: 'deleteProviderCredential', changed: '[]', ...resource },
  ])
})
