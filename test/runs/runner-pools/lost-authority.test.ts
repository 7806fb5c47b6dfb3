/** Runner tokens of members who lose the pool. Source: contract 1, "Keys and organizations". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { openPools, type PoolsWorld } from './world.ts'

let world: PoolsWorld
beforeAll(async () => {
  world = await openPools()
})
afterAll(() => world?.troupe.stop())

describe('a token ends with the authority of its creator', () => {
  const usable = async (tokens: { secret: string }[]) => {
    const asked = []
    for (const { secret } of tokens) asked.push((await world.ask(secret)).status)
    return asked
  }
  const membership = (userId: string) => `/api/v1/organizations/${world.ourId}/members/${userId}`

  test.each([
    ['is removed', (path: string) => world.owner.delete(path)],
    ['is no longer an administrator', (path: string) => world.owner.patch(path, { role: 'member' })],
  ] as const)('who %s', async (_, lose) => {
    const { troupe, owner } = world
    const adminId = troupe.user('admin')
    const admin = troupe.keyOf(adminId)
    const own = await world.furnished(admin)
    const ofOwner = await world.newToken(owner, own.pool.id)
    const elsewhere = await world.newToken(admin, (await world.newPool(owner)).id)
    expect(await usable([own, elsewhere, ofOwner])).toEqual([204, 204, 204])
    expect([200, 204]).toContain((await lose(membership(adminId))).status)
    expect(await usable([own, elsewhere, ofOwner])).toEqual([401, 401, 204])
    const { items } = (await owner.get(`${own.path}/tokens`)).body.data
    // the clock stands still, so their order is not certain
    expect(items).toHaveLength(2)
    expect(items).toContainEqual(expect.objectContaining({ id: ofOwner.id, status: 'active' }))
    expect(items).toContainEqual(expect.objectContaining({ id: own.token.id, status: 'revoked', createdBy: adminId }))
  })

  test('of the server, who is no longer an owner', async () => {
    const { troupe, owner } = world
    const secondId = troupe.user('owner')
    const second = troupe.keyOf(secondId)
    const [ofServer, ofOrganization] = [
      await world.furnished(second, { scope: 'deployment' }),
      await world.furnished(second),
    ]
    await owner.patch(membership(secondId), { role: 'owner' })
    expect(await usable([ofServer, ofOrganization])).toEqual([204, 204])
    await owner.patch(membership(secondId), { role: 'admin' })
    expect(await usable([ofServer, ofOrganization])).toEqual([401, 204])
    for (const { path } of [ofServer, ofOrganization]) await owner.delete(path)
  })

  test("in that organization: tokens of the user's other organizations are unaffected", async () => {
    const { troupe, owner, other, otherId } = world
    const adminId = troupe.user('admin')
    troupe.tenancy.member(otherId, adminId, 'admin')
    const [here, there] = [
      await world.furnished(troupe.keyOf(adminId)),
      await world.furnished(troupe.keyOf(adminId, { organizationId: otherId })),
    ]
    await owner.delete(membership(adminId))
    expect(await usable([here, there])).toEqual([401, 204])
    await other.delete(there.path)
  })

  test('and so do the attempts that were leased with it', async () => {
    const { troupe, owner } = world
    const adminId = troupe.user('admin')
    const own = await world.furnished(troupe.keyOf(adminId))
    const id = await world.start(owner)
    const attempt = await world.lease(own.secret)
    await owner.delete(membership(adminId))
    expect((await attempt.boot()).status).toBe(401)
    await eventually('a run that is queued again', async () => (await world.stateOf(owner, id)) === 'queued')
    await owner.post(`/api/v1/agent-runs/${id}/cancel`)
  })
})
