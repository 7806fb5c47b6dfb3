/** Contract 9: health, readiness, metrics, and refusals during the shutdown. */
import { describe, expect, test } from 'bun:test'
import { Housekeeping } from '../../../src/platform/operating/housekeeping.ts'
import { readGauge } from '../../../src/platform/operating/prometheus.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { api } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { allKey, testApp, thingId } from '../http/fixture.ts'

describe('readiness', () => {
  const failing = () => {
    throw new Error('away')
  }
  const rows: [string, Record<string, () => void | Promise<void>>, number, object][] = [
    ['without checks', {}, 200, { status: 'ready', checks: {} }],
    [
      'all checks pass',
      { store: () => {}, redis: async () => {} },
      200,
      { status: 'ready', checks: { store: 'ok', redis: 'ok' } },
    ],
    [
      'the store throws',
      { store: failing, runner: () => {} },
      503,
      { status: 'not_ready', checks: { store: 'failing', runner: 'ok' } },
    ],
    [
      'Redis rejects',
      { redis: () => Promise.reject(new Error('away')) },
      503,
      { status: 'not_ready', checks: { redis: 'failing' } },
    ],
  ]
  test.each(rows)('when %s', async (_, checks, status, expected) => {
    const answer = await api(testApp({ checks }).app).get('/readyz')
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual(expected)
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '1' : null)
  })

  test('when a check never answers', async () => {
    const answer = await api(testApp({ checks: { store: () => new Promise<void>(() => {}) } }).app).get('/readyz')
    expect(answer.body).toEqual({ status: 'not_ready', checks: { store: 'failing' } })
  })

  test('the reason of a failing check is not public', async () => {
    expect(JSON.stringify((await api(testApp({ checks: { store: failing } }).app).get('/readyz')).body)).not.toContain(
      'away',
    )
  })
})

describe('during the shutdown', () => {
  const { app, lifecycle } = testApp()
  const client = api(app, allKey)
  lifecycle.drain()
  const rows: [string, string, string | null, number][] = [
    ['POST', '/api/v1/things', allKey, 503],
    ['POST', '/api/v1/things', null, 503],
    ['PATCH', `/api/v1/things/${thingId}`, allKey, 503],
    ['DELETE', `/api/v1/things/${thingId}`, allKey, 503],
    ['POST', '/api/v1/runner/leases', 'runner', 503],
    ['POST', '/api/v1/runner/heartbeat', 'attempt', 200],
    ['GET', `/api/v1/things/${thingId}`, allKey, 200],
    ['HEAD', `/api/v1/things/${thingId}`, allKey, 200],
    ['GET', '/healthz', null, 200],
    ['GET', '/readyz', null, 503],
  ]
  test.each(rows)('%s %s with %p answers %d', async (method, path, key, status) => {
    const answer = await client.call(method, path, undefined, { key })
    expect(answer.status).toBe(status)
    if (status === 503) expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('refusals say service_unavailable, readiness says shutting_down', async () => {
    expect((await client.post('/api/v1/things', {})).body.error.code).toBe('service_unavailable')
    expect((await client.get('/readyz')).body.status).toBe('shutting_down')
  })
})

describe('metrics', () => {
  const { app } = testApp()
  const client = api(app, allKey)
  const metrics = async (): Promise<string> => (await client.get('/metrics')).body
  const count = async (labels: string): Promise<number> =>
    Number(new RegExp(`_seconds_count\\{${labels}\\} (\\d+)`).exec(await metrics())?.[1] ?? 0)

  test('are Prometheus text', async () => {
    const { headers, body } = await client.get('/metrics')
    expect(headers.get('content-type')).toStartWith('text/plain; version=0.0.4')
    expect(body).toContain('# TYPE troupe_http_request_duration_seconds histogram')
  })

  const calls: [string, string, string | null, string][] = [
    ['GET', `/api/v1/things/${thingId}`, allKey, 'route="/api/v1/things/:thingId",method="GET",status="2xx"'],
    ['GET', '/api/v1/things/nonsense', allKey, 'route="/api/v1/things/:thingId",method="GET",status="4xx"'],
    ['GET', `/api/v1/things/${thingId}`, null, 'route="/api/v1/things/:thingId",method="GET",status="4xx"'],
    ['POST', '/api/v1/fail/bug', allKey, 'route="/api/v1/fail/:how",method="POST",status="5xx"'],
    ['GET', '/api/v1/later', allKey, 'route="/api/v1/later",method="GET",status="4xx"'],
    ['GET', '/some/unknown/path', allKey, 'route="unmatched",method="GET",status="4xx"'],
    ['GET', '/healthz', null, 'route="/healthz",method="GET",status="2xx"'],
  ]
  test.each(calls)('count %s %s with %p', async (method, path, key, labels) => {
    const before = await count(labels)
    await client.call(method, path, undefined, { key })
    expect(await count(labels)).toBe(before + 1)
  })

  test('have cumulative buckets up to infinity', async () => {
    await client.get('/healthz')
    const buckets = [...(await metrics()).matchAll(/_bucket\{route="\/healthz",[^}]*le="([^"]+)"\} (\d+)/g)]
    const values = buckets.map(([, , value]) => Number(value))
    expect(buckets.at(-1)?.[1]).toBe('+Inf')
    expect(values).toEqual([...values].sort((one, other) => one - other))
    expect(values.at(-1)).toBeGreaterThan(0)
  })

  const unavailable: [string, () => Promise<number>][] = [
    ['is unavailable', () => Promise.reject(new StoreUnavailable('away'))],
    ['does not answer', () => new Promise<number>(() => {})],
  ]
  test.each(unavailable)('lack what is read from the store while that %s', async (_, read) => {
    const { app, registry } = testApp()
    readGauge(registry, 'troupe_stored', 'Is read from the store.', read)
    readGauge(registry, 'troupe_known', 'Is known to the process.', () => 7)
    const { status, body } = await api(app).get('/metrics')
    expect(status).toBe(200)
    expect(body).toContain('troupe_known 7')
    expect(body).toContain('# TYPE troupe_http_request_duration_seconds histogram')
    expect(body).not.toContain('troupe_stored')
  })

  test('are read once for two answers at the same time, and anew for the next one', async () => {
    const { app, registry } = testApp()
    const asked = { first: [] as (() => void)[], second: [] as (() => void)[] }
    const tasks = (['first', 'second'] as const).map((name) => ({
      name,
      run: async () => 0,
      overdueSince: () => new Promise<undefined>((resolve) => asked[name].push(() => resolve(undefined))),
    }))
    new Housekeeping(systemClock, tasks, 1_000, () => {}).register(registry)
    const scrape = () => api(app).get('/metrics')
    const nextOf = (name: keyof typeof asked) =>
      eventually(`a question for the ${name} task`, () => asked[name].shift())
    const one = scrape()
    ;(await nextOf('first'))()
    const answer = await nextOf('second')
    const other = scrape()
    answer()
    const both = /overdue_seconds\{task="first"\} 0\n.*overdue_seconds\{task="second"\} 0\n/
    for (const { body } of await Promise.all([one, other])) expect(body).toMatch(both)
    expect(asked).toEqual({ first: [], second: [] })

    const later = scrape()
    for (const name of ['first', 'second'] as const) (await nextOf(name))()
    expect((await later).body).toMatch(both)
  })

  test('have a bounded number of series, whatever clients request', async () => {
    for (let index = 0; index < 50; index++) await client.get(`/unknown/${index}`)
    expect(await metrics()).not.toContain('/unknown/')
  })
})
