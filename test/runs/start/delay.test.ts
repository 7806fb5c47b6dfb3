/** Starts for later. Source: contract 14, "Delay". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { agentId, expectWhole, getRun } from '../../support/run-records.ts'
import { askForWork, completed, lease } from '../../support/simulated-runner.ts'
import { openWorld, type World } from '../../support/world/world.ts'

const path = '/api/v1/agent-runs'
const runnerToken = 'runner-token-of-the-tests'
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

let world: World
beforeAll(async () => {
  world = await openWorld({
    environment: { TROUPE_RUNNER: 'none', TROUPE_RUNNER_TOKEN: runnerToken, TROUPE_RATE_LIMIT_PER_MINUTE: '0' },
  })
})
afterAll(() => world?.stop())

const later = (ms: number) => new Date(world.clock.now() + ms).toISOString()
const start = (body: object, query: Record<string, string> = {}) =>
  world.owner.post(path, { agentId, query: '/say hi', ...body }, { query })
const started = async (body: object) => {
  const answer = await start(body)
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
  return answer.body.data
}
/** Asks for work; the time of the server passes while it waits. */
async function work(): Promise<Reply> {
  const asking = askForWork(world.owner, runnerToken, { waitSeconds: 0 })
  for (;;) {
    const answer = await Promise.race([asking, Bun.sleep(5)])
    if (answer) return answer
    world.clock.advance(1)
  }
}
/** The next run that is leased, which is then completed. */
const leased = async () => {
  const attempt = await lease(world.owner, runnerToken)
  await attempt.boot()
  await attempt.complete(completed('hi'))
  return attempt.runId
}

describe('a run with startAt', () => {
  test('is queued until then, and nothing leases it before', async () => {
    const startAt = later(hour)
    const run = await started({ startAt })
    expect(run).toMatchObject({ state: 'queued', attempt: 0, startAt, availableAt: startAt })
    const now = await started({})
    expect(await leased()).toBe(now.id)
    expect((await work()).status).toBe(204)
    world.clock.advance(hour - 10_000)
    expect((await work()).status).toBe(204)
    world.clock.advance(10_000)
    expect(await leased()).toBe(run.id)
    expect((await getRun(world.owner, run.id)).startAt).toBe(startAt)
    await expectWhole(world.owner, run.id)
    const { body } = await world.owner.get(`${path}/statistics`)
    expect(body.data.queueTime.p99Ms).toBeLessThan(minute)
  })

  test('in the past starts now', async () => {
    const run = await started({ startAt: later(-day) })
    expect(run.availableAt).toBe(run.createdAt)
    expect(run.startAt).toBeUndefined()
    expect(await leased()).toBe(run.id)
  })

  test('can be canceled meanwhile, and continued at once', async () => {
    const run = await started({ startAt: later(day) })
    expect((await world.owner.post(`${path}/${run.id}/cancel`)).body.data.state).toBe('canceled')
    const continued = await world.owner.post(`${path}/${run.id}/continue`, { query: '/say now' })
    expect(continued.body.data).toMatchObject({ state: 'queued', turn: 2 })
    expect(await leased()).toBe(run.id)
  })

  test('expires a day after that time, not after its start', async () => {
    const run = await started({ startAt: later(2 * day) })
    world.clock.advance(2 * day + 23 * hour)
    expect((await getRun(world.owner, run.id)).state).toBe('queued')
    await eventually('the end of the run', async () => {
      world.clock.advance(hour)
      return (await getRun(world.owner, run.id)).state === 'expired'
    })
  })

  test('keeps its content as long as any other after that time', async () => {
    const startAt = later(10 * day)
    const run = await started({ startAt })
    expect(Date.parse(run.contentRetention.expiresAt) - Date.parse(startAt)).toBe(30 * day)
    await world.owner.post(`${path}/${run.id}/cancel`)
  })

  describe('starts now', () => {
    const startNow = (id: string, client = world.owner) => client.post(`${path}/${id}/start-now`)

    test('and its time in the queue counts from then', async () => {
      const run = await started({ startAt: later(hour) })
      world.clock.advance(minute)
      const now = later(0)
      const { status, body } = await startNow(run.id)
      expect([status, body.data]).toMatchObject([
        200,
        { state: 'queued', startAt: now, availableAt: now, lastActivity: { kind: 'startNow' } },
      ])
      // repeating it is safe
      expect((await startNow(run.id)).body.data).toEqual(body.data)
      expect(await leased()).toBe(run.id)
      expect((await getRun(world.owner, run.id)).startAt).toBe(now)
      await expectWhole(world.owner, run.id)
      const { body: statistics } = await world.owner.get(`${path}/statistics`)
      expect(statistics.data.queueTime.p99Ms).toBeLessThan(minute)
    })

    test('at the moment of its time', async () => {
      const run = await started({ startAt: later(hour) })
      world.clock.advance(hour)
      const [answer, first] = await Promise.all([startNow(run.id), leased()])
      expect([200, 409]).toContain(answer.status)
      expect(first).toBe(run.id)
      expect((await work()).status).toBe(204)
    })

    test('or is canceled, whichever comes first', async () => {
      const run = await started({ startAt: later(hour) })
      const [answer, cancel] = await Promise.all([startNow(run.id), world.owner.post(`${path}/${run.id}/cancel`)])
      expect([200, 409]).toContain(answer.status)
      expect([cancel.status, (await getRun(world.owner, run.id)).state]).toEqual([200, 'canceled'])
      expect((await work()).status).toBe(204)
    })

    test('only if it has not started', async () => {
      const run = await started({})
      expect((await startNow(run.id)).body.data).toMatchObject({ state: 'queued', availableAt: run.availableAt })
      expect(await leased()).toBe(run.id)
      const { status, body } = await startNow(run.id)
      expect([status, body.error]).toMatchObject([
        409,
        { code: 'invalid_transition', details: { currentState: 'completed' } },
      ])
    })
  })

  test('may be sent as a form', async () => {
    const form = new FormData()
    const startAt = later(hour)
    for (const [name, value] of Object.entries({ agentId, query: '/say hi', startAt })) form.set(name, value)
    const answer = await world.owner.raw('POST', path, form)
    const { data } = (await answer.json()) as { data: { id: string; availableAt: string } }
    expect([answer.status, data.availableAt]).toEqual([200, startAt])
    await world.owner.post(`${path}/${data.id}/cancel`)
  })

  test('is answered at once with waitSeconds, if it starts after the wait', async () => {
    const { status, body } = await start({ startAt: later(hour) }, { waitSeconds: '60', include: 'output' })
    expect([status, body.data.state, body.data.output]).toEqual([200, 'queued', null])
    await world.owner.post(`${path}/${body.data.id}/cancel`)
  })

  test('is made once for one Idempotency-Key, whenever it is repeated', async () => {
    const body = { agentId, query: '/say hi', startAt: later(30 * day) }
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await world.owner.post(path, body, { headers })
    world.clock.advance(minute)
    const second = await world.owner.post(path, body, { headers })
    expect([first.status, second.body.data.id]).toEqual([200, first.body.data.id])
    await world.owner.post(`${path}/${first.body.data.id}/cancel`)
  })
})

describe('is refused', () => {
  test.each([
    ['more than 30 days ahead', () => later(30 * day + minute)],
    ['that is no instant', () => 'tomorrow'],
    ['that is a number', () => 1_900_000_000_000],
  ])('a startAt %s', async (_, startAt) => {
    const { status, body } = await start({ startAt: startAt() })
    expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/startAt'])
  })

  test('a startAt of a later message in a conversation, but not of its first one', async () => {
    const threadKey = crypto.randomUUID()
    const run = await started({ threadKey, startAt: later(hour) })
    const busy = await start({ threadKey, startAt: later(hour), ifBusy: 'enqueue' })
    expect([busy.status, busy.body.error.details.issues[0].path]).toEqual([422, '/body/startAt'])
    await world.owner.post(`${path}/${run.id}/cancel`)
    const ended = await start({ threadKey, startAt: later(hour) })
    expect([ended.status, ended.body.error.details.issues[0].path]).toEqual([422, '/body/startAt'])
  })
})
