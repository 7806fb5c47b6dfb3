/** Runner pools and their tokens over HTTP. Source: contract 1, 5. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { firstPoolId, operatorTokenId } from '../../../storage/runs/first-runner-pool.ts'
import { eventually } from '../../support/process.ts'
import { bothAtOnce } from '../../support/world/replies.ts'
import { openPools, operatorToken, type PoolsWorld } from './world.ts'

let world: PoolsWorld
beforeAll(async () => {
  world = await openPools()
})
afterAll(() => world?.troupe.stop())

const pools = '/api/v1/runner-pools'
const firstPool = `${pools}/${firstPoolId}`

describe('a pool', () => {
  test('is created, read, renamed and deleted', async () => {
    const { owner, ourId } = world
    const pool = await world.newPool(owner, { name: ' Ours ', exclusive: true })
    expect(pool).toMatchObject({ name: 'Ours', scope: 'organization', organizationId: ourId, exclusive: true })
    const path = `${pools}/${pool.id}`
    expect((await owner.get(path)).body.data).toEqual(pool)
    const changed = await owner.patch(path, { name: 'Renamed', exclusive: false })
    expect(changed.body.data).toMatchObject({ id: pool.id, name: 'Renamed', exclusive: false })
    expect((await owner.patch(path, {})).body.data).toEqual(changed.body.data)
    expect((await owner.delete(path)).status).toBe(204)
    expect((await owner.get(path)).status).toBe(404)
    expect((await owner.delete(path)).status).toBe(404)
  })

  test.each<[string, object, string]>([
    ['without a name', {}, '/body/name'],
    ['with an empty name', { name: ' ' }, '/body/name'],
    ['with an unknown scope', { name: 'x', scope: 'world' }, '/body/scope'],
    ['of the server that is exclusive', { name: 'x', scope: 'deployment', exclusive: true }, '/body/exclusive'],
    ['with an unknown field', { name: 'x', tokens: [] }, '/body/tokens'],
  ])('%s is refused', async (_, body, path) => {
    const reply = await world.owner.post(pools, body)
    expect(reply.status).toBe(422)
    expect(reply.body.error.details.issues[0].path).toBe(path)
  })

  test('has a unique name among those of its owner', async () => {
    const { name, id } = await world.newPool(world.owner)
    const { error } = (await world.owner.post(pools, { name })).body
    expect([error.code, error.message]).toEqual([
      'name_taken',
      expect.stringContaining('another pool of the same owner'),
    ])
    await world.newPool(world.other, { name })
    const second = await world.newPool(world.owner)
    expect((await world.owner.patch(`${pools}/${second.id}`, { name })).status).toBe(409)
    for (const each of [id, second.id]) await world.owner.delete(`${pools}/${each}`)
  })

  test('is one of at most 20, and the list is newest first, with pages', async () => {
    const made: string[] = []
    const before = (await world.other.get(pools)).body.data.items.length
    while (before + made.length < 20) made.push((await world.newPool(world.other)).id)
    const refused = await world.other.post(pools, { name: 'one too many' })
    expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_exceeded'])
    const first = await world.other.get(pools, { query: { limit: 12 } })
    const second = await world.other.get(pools, { query: { limit: 12, cursor: first.body.pagination.nextCursor } })
    const ids = [...first.body.data.items, ...second.body.data.items].map(({ id }) => id)
    expect(ids).toHaveLength(20)
    expect(ids).toEqual([...ids].sort().reverse())
    for (const id of made) await world.other.delete(`${pools}/${id}`)
  })
})

describe('a pool of the server', () => {
  test("exists from the first start on, with the operator's token", async () => {
    const { owner } = world
    expect((await owner.get(firstPool)).body.data).toMatchObject({ scope: 'deployment', organizationId: null })
    await world.ask(operatorToken)
    const { items } = (await owner.get(`${firstPool}/tokens`)).body.data
    expect(items).toMatchObject([{ id: operatorTokenId, origin: 'configuration', prefix: null, status: 'active' }])
    expect(JSON.stringify(items)).not.toContain(operatorToken)
  })

  test('is managed by the operator: neither it nor its token can be removed over the API', async () => {
    const { owner } = world
    for (const reply of [
      await owner.delete(firstPool),
      await owner.post(`${firstPool}/tokens/${operatorTokenId}/revoke`),
      await owner.post(`${firstPool}/tokens/${operatorTokenId}/rotate`, {}),
    ]) {
      expect([reply.status, reply.body.error.code]).toEqual([409, 'set_by_operator'])
    }
    expect((await world.ask(operatorToken)).status).toBe(204)
  })

  test('is created and visible only by owners of the first organization', async () => {
    const { owner, other } = world
    const pool = await world.newPool(owner, { scope: 'deployment' })
    expect(pool).toMatchObject({ scope: 'deployment', organizationId: null, exclusive: false })
    const listed = (await owner.get(pools)).body.data.items.map(({ id }: { id: string }) => id)
    expect(listed).toContain(pool.id)
    expect(listed).toContain(firstPoolId)
    expect((await other.post(pools, { name: 'x', scope: 'deployment' })).status).toBe(403)
    for (const id of [pool.id, firstPoolId]) {
      expect((await other.get(`${pools}/${id}`)).status).toBe(404)
      expect((await other.get(`${pools}/${id}/tokens`)).status).toBe(404)
      expect((await other.post(`${pools}/${id}/tokens`, {})).status).toBe(404)
      expect((await other.patch(`${pools}/${id}`, { name: 'x' })).status).toBe(404)
      expect((await other.delete(`${pools}/${id}`)).status).toBe(404)
    }
    expect((await owner.patch(`${pools}/${pool.id}`, { exclusive: true })).status).toBe(422)
    expect((await owner.delete(`${pools}/${pool.id}`)).status).toBe(204)
  })
})

describe('a token', () => {
  test('is shown once, and listed without its secret', async () => {
    const { owner } = world
    const { path, token, secret } = await world.furnished(owner)
    expect(secret).toMatch(/^trr_[0-9A-Za-z]{49}$/)
    expect(token).toMatchObject({ prefix: secret.slice(0, 8), status: 'active', expiresAt: null, lastUsedAt: null })
    expect((await world.ask(secret)).status).toBe(204)
    const listed = await eventually('a note of its use', async () => {
      const { body } = await owner.get(`${path}/tokens`)
      return body.data.items[0].lastUsedAt !== null && body
    })
    expect(JSON.stringify(listed)).not.toContain(secret)
    const { secret: _, ...shown } = token
    expect(listed.data.items).toEqual([{ ...shown, origin: 'api', lastUsedAt: listed.data.items[0].lastUsedAt }])
  })

  test('ends at its expiry', async () => {
    const { owner, clock } = world
    const { pool } = await world.furnished(owner)
    const expiresAt = new Date(clock.now() + 60_000).toISOString()
    const { secret } = await world.newToken(owner, pool.id, { expiresAt })
    expect((await world.ask(secret)).status).toBe(204)
    clock.advance(60_000)
    expect((await world.ask(secret)).status).toBe(401)
    for (const bad of [new Date(clock.now() - 1).toISOString(), 'soon', new Date(clock.now() + 4e10).toISOString()]) {
      expect((await owner.post(`${pools}/${pool.id}/tokens`, { expiresAt: bad })).status).toBe(422)
    }
  })

  test('can be rotated, and works during the overlap', async () => {
    const { owner, clock } = world
    const { path, token, secret } = await world.furnished(owner)
    const rotated = await owner.post(`${path}/tokens/${token.id}/rotate`, { overlapSeconds: 60 })
    expect(rotated.status).toBe(201)
    const next = rotated.body.data.secret
    clock.advance(59_999)
    expect([(await world.ask(secret)).status, (await world.ask(next)).status]).toEqual([204, 204])
    clock.advance(1)
    expect([(await world.ask(secret)).status, (await world.ask(next)).status]).toEqual([401, 204])
    const again = await owner.post(`${path}/tokens/${token.id}/rotate`, {})
    expect([again.status, again.body.error.details.currentState]).toEqual([409, 'expired'])
    const atOnce = await owner.post(`${path}/tokens/${rotated.body.data.id}/rotate`, { overlapSeconds: 0 })
    expect([(await world.ask(next)).status, (await world.ask(atOnce.body.data.secret)).status]).toEqual([401, 204])
    for (const overlapSeconds of [-1, 604_801, 1.5]) {
      expect((await owner.post(`${path}/tokens/${atOnce.body.data.id}/rotate`, { overlapSeconds })).status).toBe(422)
    }
  })

  test('never lives longer because of a rotation', async () => {
    const { owner, clock } = world
    const { pool, path } = await world.furnished(owner)
    const { id, secret } = await world.newToken(owner, pool.id, {
      expiresAt: new Date(clock.now() + 5_000).toISOString(),
    })
    await owner.post(`${path}/tokens/${id}/rotate`, { overlapSeconds: 3_600 })
    clock.advance(5_000)
    expect((await world.ask(secret)).status).toBe(401)
  })

  test('that is revoked leases nothing from the next request on, and a repeated revocation succeeds', async () => {
    const { owner } = world
    const { path, token, secret } = await world.furnished(owner)
    expect((await world.ask(secret)).status).toBe(204)
    for (let times = 0; times < 2; times += 1) {
      const revoked = await owner.post(`${path}/tokens/${token.id}/revoke`)
      expect([revoked.status, revoked.body.data.status]).toEqual([200, 'revoked'])
      expect((await world.ask(secret)).body.error.code).toBe('invalid_attempt_token')
    }
    const rotated = await owner.post(`${path}/tokens/${token.id}/rotate`, {})
    expect([rotated.status, rotated.body.error.details.currentState]).toEqual([409, 'revoked'])
  })

  test('that is revoked during its rotation is not replaced', async () => {
    const { owner } = world
    const { pool, path } = await world.furnished(owner)
    const count = async () => (await owner.get(`${path}/tokens`)).body.data.items.length
    for (let round = 0; round < 12; round += 1) {
      const { id } = await world.newToken(owner, pool.id)
      const before = await count()
      let after = before
      const [rotated, revoked] = await bothAtOnce(
        round,
        () => owner.post(`${path}/tokens/${id}/rotate`, {}),
        async () => {
          const reply = await owner.post(`${path}/tokens/${id}/revoke`)
          after = await count()
          return reply
        },
      )
      expect(revoked.status).toBe(200)
      if (after > before) expect(rotated.status).toBe(201)
      else expect([rotated.status, rotated.body.error.details.currentState]).toEqual([409, 'revoked'])
    }
    await owner.delete(path)
  })

  test('is invalid once its pool is deleted', async () => {
    const { owner } = world
    const { path, secret } = await world.furnished(owner)
    expect((await world.ask(secret)).status).toBe(204)
    await owner.delete(path)
    expect((await world.ask(secret)).status).toBe(401)
  })

  test('is one of at most 20 usable ones', async () => {
    const { owner } = world
    const { pool, path, token } = await world.furnished(owner)
    for (let count = 1; count < 20; count += 1) await world.newToken(owner, pool.id)
    for (const refused of [
      await owner.post(`${path}/tokens`, {}),
      await owner.post(`${path}/tokens/${token.id}/rotate`, {}),
    ]) {
      expect([refused.status, refused.body.error.code]).toEqual([422, 'limit_exceeded'])
    }
    await owner.post(`${path}/tokens/${token.id}/revoke`)
    await world.newToken(owner, pool.id)
  })

  test('of another pool is 404', async () => {
    const { owner, other } = world
    const ours = await world.furnished(owner)
    const another = await world.furnished(owner)
    for (const action of ['revoke', 'rotate']) {
      const body = action === 'rotate' ? {} : undefined
      expect((await owner.post(`${another.path}/tokens/${ours.token.id}/${action}`, body)).status).toBe(404)
      expect((await other.post(`${ours.path}/tokens/${ours.token.id}/${action}`, body)).status).toBe(404)
    }
  })

  test.each(['trr_', 'trp_', ''])('with an invalid form (%s) is refused like an unknown one', async (mark) => {
    const { secret } = await world.furnished(world.owner)
    const wrong = `${mark}${secret.slice(4, -1)}${secret.endsWith('0') ? '1' : '0'}`
    expect((await world.ask(wrong)).body.error.code).toBe('invalid_attempt_token')
  })
})

test('changes of pools and tokens are in the audit log, without secrets', async () => {
  const { owner, ourId } = world
  world.clock.advance(1)
  const pool = await world.newPool(owner)
  const path = `/api/v1/runner-pools/${pool.id}`
  // lines of one millisecond have no order
  const next = <Result>(work: () => Promise<Result>) => {
    world.clock.advance(1)
    return work()
  }
  const token = await next(() => world.newToken(owner, pool.id))
  const rotated = await next(() => owner.post(`${path}/tokens/${token.id}/rotate`, { overlapSeconds: 10 }))
  await next(() => owner.post(`${path}/tokens/${token.id}/revoke`))
  await next(() => owner.delete(path))
  const { body } = await owner.get(`/api/v1/organizations/${ourId}/audit-events`, { query: { limit: 5 } })
  const audited = body.data.items.map(({ operation, resource }: { operation: string; resource: object }) => ({
    operation,
    ...resource,
  }))
  expect(audited).toEqual([
    { operation: 'deleteRunnerPool', type: 'runnerPool', id: pool.id },
    { operation: 'revokeRunnerToken', type: 'runnerToken', id: token.id },
    { operation: 'rotateRunnerToken', type: 'runnerToken', id: rotated.body.data.id },
    { operation: 'createRunnerToken', type: 'runnerToken', id: token.id },
    { operation: 'createRunnerPool', type: 'runnerPool', id: pool.id },
  ])
  for (const each of [token.secret, rotated.body.data.secret]) {
    expect(JSON.stringify(body)).not.toContain(each)
    expect((await Bun.file(world.troupe.file).text()).includes(each)).toBe(false)
  }
})
