import { afterEach, expect, test } from 'bun:test'
import type { Clock } from '../../../src/platform/time/clock.ts'
import { runAttempt } from '../../../src/runs/runner/attempt.ts'
import { RunnerRefused } from '../../../src/runs/runner/pool.ts'
import { HttpTransport } from '../../../src/runs/runner/protocol/http-transport.ts'
import { type AttemptChannel, StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import { failure, HttpServer } from './support/http-server.ts'
import { call, createWorld, operation } from './support/world.ts'

/** Waits are recorded and end at once. */
class HastyClock implements Clock {
  readonly waits: number[] = []
  #ahead = 0
  now() {
    return Date.now() + this.#ahead
  }
  after(delayMs: number, callback: () => void) {
    this.waits.push(delayMs)
    this.#ahead += delayMs
    const timer = setTimeout(callback, 0)
    return { cancel: () => clearTimeout(timer) }
  }
}

const servers: HttpServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
})

async function createWire(token = 'runner-token', timeoutMs?: number) {
  const world = createWorld({
    content: { tools: [operation('write')] },
    executors: { write: { idempotent: false } },
    turns: [{ text: 'First.', calls: [call('w', 'write', { n: 1 })] }, { text: 'Done ☕.' }],
  })
  const http = new HttpServer(world.server)
  servers.push(http)
  await http.start()
  const clock = new HastyClock()
  const logged: string[] = []
  const log = (fields: Record<string, unknown>, message: string) =>
    void logged.push(`${message} ${JSON.stringify(fields)}`)
  const transport = new HttpTransport({
    serverUrl: `${http.url}/`,
    token,
    clock,
    log: { info: log, warn: log, error: log },
    ...(timeoutMs ? { timeoutMs } : {}),
  })
  const lease = (signal = new AbortController().signal) =>
    transport.lease({ machineId: 'm', slots: 2, waitSeconds: 1 }, signal)
  const run = async () => runAttempt((await lease()) as AttemptChannel, world.services, new AbortController().signal)
  return { world, http, clock, lease, run, logged }
}

test('an attempt over HTTP equals one in process, and every report has its path', async () => {
  const { world, http, run } = await createWire()
  expect(await run()).toBe('completed')
  const attempt = '/api/v1/agent-runs/run_1/attempts/att_1'
  expect(http.seen.map(({ method, path }) => `${method} ${path.replace(attempt, '')}`)).toEqual([
    'POST /api/v1/runner/leases',
    'POST /boot',
    'POST /steps',
    'POST /model/stream',
    'POST /events',
    'PATCH /steps/1',
    'POST /steps/1/checkpoints',
    'POST /steps',
    'PATCH /steps/2',
    'POST /steps/2/checkpoints',
    'POST /steps',
    'POST /model/stream',
    'POST /events',
    'PATCH /steps/3',
    'POST /steps/3/checkpoints',
    'POST /complete',
  ])
  expect(http.seen[0]).toMatchObject({
    token: 'Bearer runner-token',
    body: { machineId: 'm', slots: 2, waitSeconds: 1 },
  })
  expect(new Set(http.seen.slice(1).map(({ token }) => token))).toEqual(new Set(['Bearer attempt-token']))
  const keys = http.seen.map(({ key }) => key)
  expect(keys).not.toContain(null)
  expect(new Set(keys).size).toBe(keys.length)
  expect(world.server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: 'Done ☕.' }])
  expect(world.executed).toEqual({ write: ['w'] })
})

test('204 means no work', async () => {
  const { http, lease } = await createWire()
  http.offers = 0
  expect(await lease()).toBeNull()
})

test('a wrong runner token is a permanent refusal, with a hint', async () => {
  const { lease, http } = await createWire('wrong')
  await expect(lease()).rejects.toThrow(RunnerRefused)
  await expect(lease()).rejects.toThrow(/TROUPE_RUNNER_TOKEN/)
  expect(http.seen).toHaveLength(2)
})

test('an answer that is not a refusal of the runner is retried by the pool', async () => {
  const { lease, http } = await createWire()
  http.before = () => failure(404, 'not_found')
  const thrown = await lease().catch((error) => error)
  expect(thrown).not.toBeInstanceOf(RunnerRefused)
  expect(thrown.message).toMatch(/404/)
})

test.each([
  ['seconds', '7', 7_000, 7_500],
  ['an HTTP date', () => new Date(Date.now() + 9_000).toUTCString(), 7_000, 10_000],
] as const)('503 is retried after Retry-After in %s', async (_, value, min, max) => {
  const { http, clock, run } = await createWire()
  http.before = ({ path }, count) => {
    if (!path.endsWith('/boot') || count > 2) return undefined
    return failure(503, 'service_unavailable', 'Wait.', { 'retry-after': typeof value === 'string' ? value : value() })
  }
  expect(await run()).toBe('completed')
  expect(clock.waits[0]).toBeGreaterThanOrEqual(min)
  expect(clock.waits[0]).toBeLessThanOrEqual(max)
})

test.each([408, 429, 500, 502, 503, 504])('%d is temporary, and the order of the reports stays', async (status) => {
  const { world, http, run } = await createWire()
  let refusals = 2
  http.before = ({ path }) => (path.endsWith('/events') && refusals-- > 0 ? failure(status, 'busy') : undefined)
  expect(await run()).toBe('completed')
  expect(world.server.names.slice(0, 5)).toEqual(['boot', 'startStep', 'deltas', 'endStep', 'checkpoint'])
})

test.each(['boot', 'steps', 'events', 'steps/1', 'steps/1/checkpoints', 'complete'])(
  'a connection that drops before or after %s repeats the report with the same key',
  async (path) => {
    for (const when of ['before', 'after'] as const) {
      const { world, http, run } = await createWire()
      let drops = 1
      http[when] = (request) => (request.path.endsWith(`att_1/${path}`) && drops-- > 0 ? 'drop' : undefined)
      expect(await run()).toBe('completed')
      const keys = http.seen.filter((request) => request.path.endsWith(`att_1/${path}`)).map(({ key }) => key)
      expect(keys.length - new Set(keys).size).toBe(1)
      expect(world.server.steps).toHaveLength(3)
      expect(world.executed).toEqual({ write: ['w'] })
    }
  },
)

test('an answer that is not JSON, as from a proxy, is temporary', async () => {
  const { http, run } = await createWire()
  let pages = 1
  http.before = ({ path }) => (path.endsWith('/steps') && pages-- > 0 ? new Response('<html>Hello</html>') : undefined)
  expect(await run()).toBe('completed')
})

test('409 stale_attempt ends the attempt', async () => {
  const { world, http, run } = await createWire()
  http.before = ({ path }) => (path.endsWith('/checkpoints') ? failure(409, 'stale_attempt') : undefined)
  expect(await run()).toBe('lost')
  expect(world.server.completions).toEqual([])
  expect(http.seen.at(-1)?.path).toMatch(/checkpoints$/)
})

test.each([
  [401, 'invalid_attempt_token'],
  [404, 'not_found'],
])('%d %s for a report means that the attempt is stale', async (status, code) => {
  const { http, lease } = await createWire()
  http.before = ({ path }) => (path.endsWith('/boot') ? failure(status, code) : undefined)
  const channel = (await lease())!
  await expect(channel.boot()).rejects.toThrow(StaleAttempt)
  const sent = http.seen.length
  await expect(channel.complete({ outcome: 'canceled' })).rejects.toThrow(StaleAttempt)
  expect(http.seen).toHaveLength(sent)
})

test('another 409, or a 422, fails this report and later ones, but not the final one', async () => {
  const { world, http, run } = await createWire()
  http.before = ({ path }) => (path.endsWith('/events') ? failure(422, 'validation_failed', 'Bad text.') : undefined)
  expect(await run()).toBe('failed')
  expect(world.server.completions).toMatchObject([{ error: { code: 'internal_error', retryable: true } }])
  expect(http.seen.map(({ path }) => path.split('/').at(-1))).toEqual([
    'leases',
    'boot',
    'steps',
    'stream',
    'events',
    'complete',
  ])
})

test('an unavailable server is retried until the lease has expired', async () => {
  const { http, lease, clock } = await createWire()
  const channel = (await lease())!
  http.before = () => failure(503, 'service_unavailable')
  await expect(channel.boot()).rejects.toThrow(StaleAttempt)
  const waited = clock.waits.reduce((sum, wait) => sum + wait, 0)
  expect(waited).toBeGreaterThan(20_000)
  expect(waited).toBeLessThan(30_000)
})

test('a call without an answer ends with its timeout, and is repeated', async () => {
  const { http, run } = await createWire('runner-token', 100)
  let silences = 1
  http.before = ({ path }) => (path.endsWith('/steps') && silences-- > 0 ? new Promise(() => {}) : undefined)
  expect(await run()).toBe('completed')
})

test('requests for work survive an unavailable server, each with one key, by which proxies may repeat it', async () => {
  const { http, lease, logged } = await createWire()
  let refusals = 3
  http.before = () => (refusals-- > 0 ? failure(503, 'service_unavailable') : undefined)
  expect(await lease()).not.toBeNull()
  expect(http.seen).toHaveLength(4)
  expect(http.seen.map(({ key }) => key)).toEqual(Array(4).fill(expect.stringMatching(/./)))
  expect(new Set(http.seen.map(({ key }) => key)).size).toBe(1)
  expect(logged.some((line) => line.includes('503') || line.includes('not available'))).toBe(true)
})

test('a request for work ends at once when it is aborted', async () => {
  const { http, lease } = await createWire()
  http.before = () => new Promise(() => {})
  const stop = new AbortController()
  const asking = lease(stop.signal)
  while (http.seen.length === 0) await Bun.sleep(1)
  stop.abort()
  await expect(asking).rejects.toThrow(/abort/i)
})

test('a server with a wrong clock does not shorten the lease', async () => {
  for (const clockAheadMs of [-3_600_000, 3_600_000]) {
    const { http, lease } = await createWire()
    http.clockAheadMs = clockAheadMs
    const channel = (await lease())!
    const beat = (await channel.boot().then(() => channel.heartbeat({ lastStepSequence: 1 })))!
    for (const instant of [channel.lease.expiresAt, beat.expiresAt]) {
      expect(Math.abs(Date.parse(instant) - Date.now() - 30_000)).toBeLessThan(3_000)
    }
  }
})

test('heartbeats do not wait for reports', async () => {
  const { http, lease } = await createWire()
  const channel = (await lease())!
  const boot = Promise.withResolvers<undefined>()
  http.before = ({ path }) => (path.endsWith('/boot') ? boot.promise : undefined)
  const booted = channel.boot()
  expect(await channel.heartbeat({ lastStepSequence: 0 })).toMatchObject({ signal: 'continue' })
  boot.resolve(undefined)
  await booted
})

test('much text is sent in groups, in order, without half characters', async () => {
  const { world, http, lease } = await createWire()
  const channel = (await lease())!
  await channel.boot()
  const { agentStepId } = await channel.startStep({ kind: 'model', name: 'm', input: null })
  const text = `a${'😀'.repeat(120_000)}`
  await channel.deltas([
    { type: 'step.delta', agentStepId, data: { kind: 'text', text } },
    { type: 'step.delta', agentStepId, data: { kind: 'text', text: 'end\ud83d' } },
  ])
  expect(world.server.deltas.map(({ data }) => data.text).join('')).toBe(`${text}end\ufffd`)
  expect(world.server.deltas.every(({ data }) => data.text.isWellFormed())).toBe(true)
  const bodies = http.seen.filter(({ path }) => path.endsWith('/events')).map(({ body }) => JSON.stringify(body).length)
  expect(bodies.length).toBeGreaterThan(2)
  expect(Math.max(...bodies)).toBeLessThan(110_000)
})

test('characters that no server accepts are sent as U+FFFD', async () => {
  const { http, lease } = await createWire()
  const channel = (await lease())!
  await channel.boot()
  const input = { 'a\0b': ['x\0', { half: '\ud83d' }], whole: '😀 \\u0000', number: 1, none: null }
  await channel.startStep({ kind: 'tool', name: 't', input })
  const sent = http.seen.find(({ path }) => path.endsWith('/steps'))?.body
  expect(sent).toMatchObject({
    input: { 'a\ufffdb': ['x\ufffd', { half: '\ufffd' }], whole: '😀 \\u0000', number: 1, none: null },
  })
})

test('many small deltas are sent in groups of at most 1,000', async () => {
  const { world, http, lease } = await createWire()
  const channel = (await lease())!
  await channel.boot()
  const { agentStepId } = await channel.startStep({ kind: 'model', name: 'm', input: null })
  const data = { kind: 'text', text: 'x' } as const
  await channel.deltas(Array.from({ length: 2_500 }, () => ({ type: 'step.delta', agentStepId, data }) as const))
  const bodies = http.seen
    .filter(({ path }) => path.endsWith('/events'))
    .map(({ body }) => body as { events: unknown[] })
  expect(bodies.map(({ events }) => events.length)).toEqual([1_000, 1_000, 500])
  expect(world.server.deltas).toHaveLength(2_500)
})

test('redirects are not followed', async () => {
  const { http, lease } = await createWire()
  http.before = () => Response.redirect('http://127.0.0.1:1/', 307)
  await expect(lease()).rejects.toThrow(/307/)
})
