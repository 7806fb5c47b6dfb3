/**
 * Which runs the runners of a pool lease, and what happens when a token ends. Source: contract 5, "Runner protocol".
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { api, type Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { askForWork, completed } from '../../support/simulated-runner.ts'
import { openPools, operatorToken, type PoolsWorld } from './world.ts'

let world: PoolsWorld
/** Of our organization, of the other one, and of the server. */
let ours: Awaited<ReturnType<PoolsWorld['furnished']>>
let theirs: typeof ours
let shared: typeof ours
beforeAll(async () => {
  world = await openPools()
  ours = await world.furnished(world.owner)
  theirs = await world.furnished(world.other)
  shared = await world.furnished(world.owner, { scope: 'deployment' })
})
afterAll(() => world?.troupe.stop())

const cancel = (client: Client, id: string) => client.post(`/api/v1/agent-runs/${id}/cancel`)
const leasedId = async (secret: string, request = {}) =>
  (await world.ask(secret, request)).body?.data.lease.agentRunId ?? null

describe('the runners of a pool', () => {
  test('of an organization lease only its runs', async () => {
    const { owner, other } = world
    const foreign = await world.start(other)
    const first = await world.start(owner)
    expect(await leasedId(ours.secret)).toBe(first)
    expect(await leasedId(ours.secret)).toBeNull()
    expect(await leasedId(theirs.secret)).toBe(foreign)
    await cancel(owner, first)
    await cancel(other, foreign)
  })

  test('of the server lease those of all organizations, in turn', async () => {
    const { owner, other } = world
    const mine = [await world.start(owner), await world.start(owner), await world.start(owner)]
    const foreign = [await world.start(other), await world.start(other)]
    const given = []
    for (const secret of [shared.secret, operatorToken, shared.secret, shared.secret])
      given.push(await leasedId(secret))
    expect(given).toEqual([mine[0], foreign[0], mine[1], foreign[1]] as string[])
    // leases by an organization's pool cost the organization no turn
    expect(await leasedId(ours.secret)).toBe(mine[2] as string)
    for (const id of mine) await cancel(owner, id)
    for (const id of foreign) await cancel(other, id)
  })

  test('wake up only for runs that they may lease', async () => {
    const { owner, other } = world
    const waiting = world.ask(ours.secret, { waitSeconds: 25 })
    const anybody = world.ask(shared.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    const foreign = await world.start(other)
    expect((await anybody).body.data.lease.agentRunId).toBe(foreign)
    const mine = await world.start(owner)
    expect((await waiting).body.data.lease.agentRunId).toBe(mine)
    await cancel(owner, mine)
    await cancel(other, foreign)
  })

  test('go first for queued runs while both wait', async () => {
    const { owner } = world
    const anybody = world.ask(shared.secret, { waitSeconds: 25 })
    await Bun.sleep(20)
    const own = world.ask(ours.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    const one = await world.start(owner)
    expect((await own).body.data.lease.agentRunId).toBe(one)
    const two = await world.start(owner)
    expect((await anybody).body.data.lease.agentRunId).toBe(two)
    for (const id of [one, two]) await cancel(owner, id)
  })

  test('may use the machine names of other pools', async () => {
    const { owner, other } = world
    const mine = await world.start(owner)
    const foreign = await world.start(other)
    const machine = { machineId: 'machine', slots: 1 }
    expect(await leasedId(ours.secret, machine)).toBe(mine)
    expect(await leasedId(theirs.secret, machine)).toBe(foreign)
    const second = await world.start(owner)
    expect(await leasedId(ours.secret, machine)).toBeNull()
    expect(await leasedId(shared.secret, machine)).toBe(second)
    for (const id of [mine, second]) await cancel(owner, id)
    await cancel(other, foreign)
  })

  test('are shown in the record of the run', async () => {
    const { owner } = world
    const id = await world.start(owner)
    await world.lease(ours.secret)
    const { body } = await owner.get(`/api/v1/actors/run/${id}`)
    expect(body.data.context.lease.runner).toEqual({ poolId: ours.pool.id, tokenId: ours.token.id })
    await cancel(owner, id)
  })
})

describe('an exclusive pool', () => {
  test("keeps the server's runners from the organization's runs, from the answer on", async () => {
    const { owner, other } = world
    const queued = await world.start(owner)
    await owner.patch(ours.path, { exclusive: true })
    const foreign = await world.start(other)
    expect(await leasedId(shared.secret)).toBe(foreign)
    expect(await leasedId(shared.secret)).toBeNull()
    expect(await leasedId(operatorToken)).toBeNull()
    expect(await leasedId(ours.secret)).toBe(queued)
    // also after a restart of the queue: swept runs are still for its own pool
    const swept = await world.start(owner)
    world.clock.advance(5_000)
    expect(await leasedId(shared.secret)).toBeNull()
    // and without it everybody may lease them again
    const anybody = world.ask(shared.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    await owner.patch(ours.path, { exclusive: false })
    expect((await anybody).body.data.lease.agentRunId).toBe(swept)
    for (const id of [queued, swept]) await cancel(owner, id)
    await cancel(other, foreign)
  })

  test('that is deleted releases the runs to others', async () => {
    const { owner } = world
    const pool = await world.furnished(owner, { exclusive: true })
    const id = await world.start(owner)
    expect(await leasedId(shared.secret)).toBeNull()
    await owner.delete(pool.path)
    expect(await leasedId(shared.secret)).toBe(id)
    await cancel(owner, id)
  })

  test('of another organization does not affect ours', async () => {
    const { owner, other } = world
    await other.patch(theirs.path, { exclusive: true })
    const id = await world.start(owner)
    expect(await leasedId(shared.secret)).toBe(id)
    await cancel(owner, id)
    await other.patch(theirs.path, { exclusive: false })
  })
})

describe('a token that is revoked', () => {
  test('ends waiting requests for work with it, and no other one', async () => {
    const { owner } = world
    const revoked = await world.furnished(owner)
    const waiting = askForWork(api(world.troupe.url), revoked.secret, { waitSeconds: 25 })
    const other = askForWork(api(world.troupe.url), ours.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    await owner.post(`${revoked.path}/tokens/${revoked.token.id}/revoke`)
    expect((await waiting).status).toBe(401)
    const id = await world.start(owner)
    expect((await other).body.data.lease.agentRunId).toBe(id)
    await cancel(owner, id)
  })

  test('ends the waiting request when it is deleted with its pool', async () => {
    const { owner } = world
    const gone = await world.furnished(owner)
    const waiting = askForWork(api(world.troupe.url), gone.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    await owner.delete(gone.path)
    expect((await waiting).status).toBe(401)
  })

  test('fences its leases: the run is queued again, at no cost, and no report is accepted', async () => {
    const { owner } = world
    const revoked = await world.furnished(owner)
    const reply = await owner.post('/api/v1/agent-runs', {
      agentId: 'agt_system_assistant',
      query: '/say hi',
      maxRetries: 0,
    })
    const { id } = reply.body.data
    const attempt = await world.lease(revoked.secret)
    await attempt.boot()
    const stepId = await attempt.begin({ kind: 'model', name: 'sandbox' })
    await owner.post(`${revoked.path}/tokens/${revoked.token.id}/revoke`)
    for (const [name, call] of Object.entries(attempt.everyCall(stepId))) {
      expect({ name, status: (await call()).status }).toEqual({ name, status: 401 })
    }
    await eventually('a run that is queued again', async () => (await world.stateOf(owner, id)) === 'queued')
    const next = await world.lease(ours.secret)
    expect([next.runId, next.assignment.attempt]).toEqual([id, 2])
    await next.boot()
    await next.complete(completed('done'))
    expect(await world.stateOf(owner, id)).toBe('completed')
  })

  test('does not affect leases of another token', async () => {
    const { owner } = world
    const pool = await world.furnished(owner)
    const second = await world.newToken(owner, pool.pool.id)
    const id = await world.start(owner)
    const attempt = await world.lease(second.secret)
    await owner.post(`${pool.path}/tokens/${pool.token.id}/revoke`)
    expect((await attempt.boot()).status).toBe(200)
    await attempt.complete(completed('done'))
    expect(await world.stateOf(owner, id)).toBe('completed')
  })

  test('leases nothing, however its end and a lease race', async () => {
    const { owner } = world
    for (let round = 0; round < 12; round += 1) {
      const racing = await world.furnished(owner)
      const id = await world.start(owner)
      const [asked] = await Promise.all([
        world.ask(racing.secret, { machineId: 'racer' }),
        (async () => {
          for (let turns = 0; turns < round; turns += 1) await Promise.resolve()
          await owner.post(`${racing.path}/tokens/${racing.token.id}/revoke`)
        })(),
      ])
      if (asked.status === 200) {
        const { lease, attemptToken } = asked.body.data
        const boot = `/api/v1/agent-runs/${id}/attempts/${lease.attemptId}/boot`
        expect((await world.stranger.post(boot, {}, { key: attemptToken })).status).toBe(401)
      } else expect([401, 204]).toContain(asked.status)
      // nobody else has to wait for the lease to expire
      await eventually('a queued run', async () => (await world.stateOf(owner, id)) === 'queued')
      const next = await eventually('its lease', async () => (await leasedId(ours.secret)) ?? undefined)
      expect(next).toBe(id)
      await cancel(owner, id)
      await owner.delete(racing.path)
    }
  })
})

describe('a rotated token', () => {
  test('lets its attempts continue beyond its end, and leases no more', async () => {
    const { owner, clock } = world
    const pool = await world.furnished(owner)
    const id = await world.start(owner)
    const attempt = await world.lease(pool.secret)
    await attempt.boot()
    await owner.post(`${pool.path}/tokens/${pool.token.id}/rotate`, { overlapSeconds: 5 })
    clock.advance(5_000)
    expect((await world.ask(pool.secret)).status).toBe(401)
    expect((await attempt.complete(completed('done'))).status).toBe(200)
    expect(await world.stateOf(owner, id)).toBe('completed')
  })

  test('leases nothing to a request that waits at its end', async () => {
    const { owner, clock } = world
    const pool = await world.furnished(owner)
    await owner.post(`${pool.path}/tokens/${pool.token.id}/rotate`, { overlapSeconds: 5 })
    const waiting = askForWork(api(world.troupe.url), pool.secret, { waitSeconds: 25 })
    await Bun.sleep(50)
    clock.advance(5_000)
    expect((await waiting).status).toBe(204)
  })
})
