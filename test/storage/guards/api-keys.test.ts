/** A key is changed only as it was read, and only by its organization. Source: contract 1, "API key". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Write } from '../../../storage/store.ts'
import { changeApiKey, insertApiKeyInPlace, revokeApiKey, rotateApiKey } from '../../../storage/tenancy/api-keys.ts'
import { type Guards, openGuards } from './world.ts'

let world: Guards
beforeAll(async () => {
  world = await openGuards()
})
afterAll(() => world?.close())

const asRead = { name: 'Key', expires_at: 1_000, status: 'active', replaced_by: null }

type Place = { organizationId: string; id: string }
const was = { wasName: 'Key', wasExpiresAt: 1_000 }
const writes: Record<string, (at: Place) => Write> = {
  'a change': (at) => changeApiKey(world.store, { ...at, ...was, name: 'New', expiresAt: 2, wasStatus: 'active' }),
  'a rotation': (at) =>
    rotateApiKey(world.store, { ...at, ...was, replacedBy: 'key_new', status: 'active', expiresAt: 2 }),
  'a revocation': (at) => revokeApiKey(world.store, at),
}

const changes = { name: 'Other', expires_at: 1_001, status: 'revoked' }
test.each([
  ['a change', changes],
  ['a rotation', { ...changes, replaced_by: 'key_newer' }],
  ['a revocation', {}],
])('%s is refused in another organization, and once the key has changed', async (what, faults) => {
  const write = writes[what] as (at: Place) => Write
  const { organization_id } = world.tree()
  const key = (values: object = {}) => ({
    organizationId: organization_id,
    id: world.plant('api_keys', { ...asRead, organization_id, ...values }).id as string,
  })
  key()
  expect(await world.isStale(write(key()))).toBe(false)
  expect(await world.isStale(write({ ...key(), organizationId: 'org_other' }))).toBe(true)
  for (const [column, value] of Object.entries(faults))
    expect([column, await world.isStale(write(key({ [column]: value })))]).toEqual([column, true])
})

test('keys of other organizations do not count towards the limit', async () => {
  const [ours, theirs] = [world.tree(), world.tree()]
  world.plant('users', { id: 'usr_1' })
  world.plant('memberships', { organization_id: ours.organization_id, user_id: 'usr_1', role: 'owner' })
  const values = { status: 'active', expires_at: 1_000, created_at: 1, created_by: 'usr_1' }
  const bound = { project_id: null, environment_id: null, agent_id: null }
  for (const organization_id of [theirs.organization_id, theirs.organization_id, ours.organization_id])
    world.plant('api_keys', { ...values, organization_id })
  const insert = (usableMax: number) => {
    const row = world.row('api_keys', { ...values, ...bound, organization_id: ours.organization_id })
    return world.isStale(insertApiKeyInPlace(world.store, { ...row, madeBy: null, usableMax }))
  }
  expect(await insert(2)).toBe(false)
  expect(await insert(2)).toBe(true)
})
