import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { type Lease, once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let world: WorkersWorld
beforeAll(async () => {
  world = await openWorkers()
})
afterAll(() => world?.stop())

const serving = () =>
  world.serving([workerOperation('charge', once), workerOperation('look'), workerOperation('late', { timeoutMs: 1 })])

describe('errors', () => {
  test('are returned to the caller', async () => {
    const served = await serving()
    const called = world.called(served, 'shop.charge')
    const error = { code: 'card_declined', message: 'No funds.', retryable: false }
    const lease = await world.leased(served)
    expect(await data(world.complete(served, lease, { error }))).toEqual({ state: 'failed' } as never)
    expect(await called).toMatchObject({ state: 'failed', error: { message: 'shop.charge: card_declined: No funds.' } })
    expect(await data(world.complete(served, lease, { error }))).toEqual({ state: 'failed' } as never)
  })

  test('that are retryable are retried, also for a write', async () => {
    const served = await serving()
    const called = world.called(served, 'shop.charge')
    const error = { code: 'busy', message: 'Later.', retryable: true }
    const first = await world.leased(served)
    expect(await data(world.complete(served, first, { error }))).toEqual({ state: 'retrying' } as never)
    const second = await world.leased(served)
    expect(second).toMatchObject({ invocationId: first.invocationId, attempt: 2, idempotencyKey: first.idempotencyKey })
    await world.complete(served, second, { output: 1 })
    expect(await called).toMatchObject({ state: 'succeeded', output: 1 })
  })

  test('an invalid output fails the call', async () => {
    const served = await world.serving([workerOperation('typed', { outputSchema: { type: 'number' } })])
    const called = world.called(served, 'shop.typed')
    await world.complete(served, await world.leased(served), { output: 'x' })
    expect(await called).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('answer') } })
  })

  test('a queue without workers', async () => {
    const served = await serving()
    expect(await world.called(served, 'shop.late')).toMatchObject({ state: 'failed', error: { code: 'no_worker' } })
  })
})

describe('rejected', () => {
  let served: Served
  let lease: Lease
  beforeAll(async () => {
    served = await serving()
    void world.called(served, 'shop.charge')
    lease = await world.leased(served)
  })

  test.each([
    [{ queue: 'no queue' }, '/body/queue'],
    [{ slots: 0 }, '/body/slots'],
    [{ slots: 101 }, '/body/slots'],
    [{ waitSeconds: 26 }, '/body/waitSeconds'],
    [{ workerId: 'a b' }, '/body/workerId'],
    [{ workerId: 'x'.repeat(201) }, '/body/workerId'],
    [{ operations: [] }, '/body/operations'],
    [{ more: 1 }, '/body/more'],
  ])('a request like %j', async (body, path) => {
    const { status, body: answer } = await world.lease(served, body)
    expect({ status, path: answer.error.details.issues[0].path }).toEqual({ status: 422, path })
  })

  test('a result with neither output nor error, or with both', async () => {
    const error = { code: 'x', message: 'X', retryable: false }
    for (const answer of [{}, { output: 1, error }]) {
      expect((await world.complete(served, lease, answer)).status).toBe(422)
    }
  })

  test('a token that is invalid, of another call, or of a lost lease', async () => {
    const other = world.called(served, 'shop.look')
    const otherLease = await world.leased(served)
    for (const token of ['guessed', otherLease.token]) {
      const forged = { ...lease, token }
      const heartbeat = await world.heartbeat(served, forged)
      expect([heartbeat.status, heartbeat.body.error.code]).toEqual([409, 'stale_lease'])
      expect((await world.complete(served, forged, { output: 1 })).body.error.code).toBe('stale_lease')
    }
    await world.complete(served, otherLease, { output: 1 })
    await other
  })

  test('a call of another Environment or organization, or a missing one', async () => {
    const elsewhere = await serving()
    for (const [from, client] of [
      [elsewhere, world.owner],
      [served, await world.foreigner()],
    ] as const) {
      expect((await world.complete(from, lease, { output: 1 }, client)).status).toBe(404)
      expect((await world.heartbeat(from, lease, client)).status).toBe(404)
    }
    const none = { ...lease, invocationId: `opi_${'0'.repeat(26)}` }
    expect((await world.complete(served, none, { output: 1 })).status).toBe(404)
    expect((await world.lease(elsewhere)).status).toBe(204)
  })

  test('a key without the permission', async () => {
    const { secret } = await data<{ secret: string }>(
      world.owner.post('/api/v1/api-keys', { name: 'runs', operations: ['agent-runs:*'] }),
    )
    expect((await world.lease(served, {}, world.as(secret))).status).toBe(403)
  })

  test('the same result twice is accepted, another one is not', async () => {
    expect((await world.complete(served, lease, { output: 1 })).status).toBe(200)
    expect((await world.complete(served, lease, { output: 1 })).status).toBe(200)
    expect((await world.complete(served, lease, { output: 2 })).body.error.code).toBe('stale_lease')
    const error = { code: 'x', message: 'X', retryable: false }
    expect((await world.complete(served, lease, { error })).body.error.code).toBe('stale_lease')
    expect((await world.heartbeat(served, lease)).body.error.code).toBe('stale_lease')
  })

  test('a timeout that only workers may have', async () => {
    const place = await world.place()
    const path = `${place.project}/definitions`
    const { id } = await data(world.owner.post(path, { name: 'long', kind: 'operations' }))
    const revise = (operation: object) =>
      world.owner.post(`${path}/${id}/revisions`, { source: { operations: [operation] } })
    const timeoutMs = 86_400_000
    expect((await revise(workerOperation('a', { timeoutMs }))).status).toBe(201)
    const refused = await revise(workerOperation('a', { timeoutMs, handler: { type: 'echo' } }))
    expect(refused.body.error.details.issues[0].path).toBe('/body/source/operations/0/timeoutMs')
  })
})
