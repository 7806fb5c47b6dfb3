/** What is retried, when, and with which key: against a server that fails in every way. */
import { afterEach, describe, expect, test } from 'bun:test'
import { ConnectionError, type Fetch, RateLimitError, ServerError, Troupe, type TroupeOptions } from '@troupe/sdk'

type Answer = (request: Request) => Response | Promise<Response>
interface Seen {
  method: string
  path: string
  key: string | null
  body: string
}

const servers: { stop(force: boolean): Promise<void> }[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop(true))))

/** A server with these answers in order, the last one repeated; and a client of it. */
function serverOf(answers: Answer[], options: TroupeOptions = {}) {
  const seen: Seen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, headers, url } = request
      const key = headers.get('idempotency-key')
      seen.push({ method, path: new URL(url).pathname, key, body: await request.text() })
      return (answers[seen.length - 1] ?? answers.at(-1)!)(request)
    },
  })
  servers.push(server)
  return { seen, troupe: new Troupe({ baseUrl: server.url.href, apiKey: 'trp_x', ...options }) }
}

const run = { id: 'run_1', state: 'queued' }
const good: Answer = () => Response.json({ data: run })
const refused =
  (status: number, code: string, retryAfter?: string): Answer =>
  () =>
    Response.json(
      { error: { code, message: 'No.', requestId: 'req_1' } },
      { status, ...(retryAfter && { headers: { 'retry-after': retryAfter } }) },
    )
const proxy =
  (status: number): Answer =>
  () =>
    new Response('<h1>Bad gateway</h1>', { status })
/** A truncated answer. */
const lost: Answer = () =>
  new Response('{"data": {"id": "run_1", "st', { headers: { 'content-type': 'application/json' } })

const start = (troupe: Troupe) => troupe.runs.start({ agent: 'agt_system_assistant', query: 'Hello' })
const create = (troupe: Troupe) => troupe.projects.create({ slug: 'shop', name: 'Shop' })
const read = (troupe: Troupe) => troupe.projects.get({ projectId: 'prj_1' })

describe('retried', () => {
  test.each([
    ['a 429 with its Retry-After', refused(429, 'rate_limited', '1'), create],
    ['a 503 of the server', refused(503, 'service_unavailable', '1'), create],
    ['a 503 without a Retry-After', refused(503, 'store_unavailable'), create],
    ['a first request that is still running', refused(409, 'idempotency_in_progress'), start],
    ['a 502 of a proxy, with a key that makes it safe', proxy(502), start],
    ['a 503 of a proxy, with a key that makes it safe', proxy(503), start],
    ['a 504 of a proxy to a read', proxy(504), read],
    ['a truncated answer to a read', lost, read],
    ['a truncated answer, with a key that makes it safe', lost, start],
  ] as const)('after %s', async (_, failure, act) => {
    const { seen, troupe } = serverOf([failure, good])
    await act(troupe)
    expect(seen).toHaveLength(2)
    expect(seen[1]).toEqual(seen[0]!)
  })

  test('more often while a client waits for the end of a run, as a server that is replaced may be away for long', async () => {
    const away = Array.from({ length: 6 }, () => refused(503, 'service_unavailable', '0'))
    const ended: Answer = () => Response.json({ data: { id: 'run_1', state: 'completed', output: { text: 'Hi.' } } })
    const { seen, troupe } = serverOf([...away, ended])
    expect(await troupe.runs.open('run_1').output()).toEqual({ text: 'Hi.' })
    expect(seen).toHaveLength(7)
  })

  test('with the same generated key for all attempts of a call, and another one for the next call', async () => {
    const { seen, troupe } = serverOf([refused(503, 'service_unavailable', '1'), good])
    await start(troupe)
    await start(troupe)
    const keys = seen.map(({ key }) => key)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys[1]).toBe(keys[0]!)
    expect(keys[2]).not.toBe(keys[0]!)
  })

  test("with the caller's key", async () => {
    const { seen, troupe } = serverOf([refused(503, 'service_unavailable', '1'), good])
    await troupe.runs.cancel({ agentRunId: 'run_1' }, { idempotencyKey: 'mine' })
    expect(seen.map(({ key }) => key)).toEqual(['mine', 'mine'])
  })

  test("as often as the client's setting says; then the error is thrown", async () => {
    const { seen, troupe } = serverOf([refused(429, 'rate_limited', '1')], { maxRetries: 1 })
    await expect(create(troupe)).rejects.toBeInstanceOf(RateLimitError)
    expect(seen).toHaveLength(2)
    await expect(troupe.projects.list({}, { maxRetries: 0 })).rejects.toBeInstanceOf(RateLimitError)
    expect(seen).toHaveLength(3)
  })
})

describe('not retried', () => {
  test.each([
    ['a 502 of a proxy to a change without a key', proxy(502), create],
    ['a 503 of a proxy to a change without a key', proxy(503), create],
    ['a truncated answer to a change without a key', lost, create],
    ['a 500', refused(500, 'internal_error'), start],
    ['a conflict', refused(409, 'slug_taken'), start],
    ['a Retry-After beyond the limit', refused(429, 'rate_limited', '3600'), read],
  ] as const)('after %s', async (_, failure, act) => {
    const { seen, troupe } = serverOf([failure, good])
    await expect(act(troupe)).rejects.toBeInstanceOf(Error)
    expect(seen).toHaveLength(1)
  })
})

test('an answer of another server is an error that says so', async () => {
  const { troupe } = serverOf([proxy(500)])
  const error = await read(troupe).catch((error) => error)
  expect(error).toBeInstanceOf(ServerError)
  expect(error).toMatchObject({ status: 500, code: 'unexpected_answer' })
})

test.each([
  ['an answer', create],
  ['a stream', (troupe: Troupe) => Array.fromAsync(troupe.runs.open('run_1'))],
])('a page in place of %s is an error that says so, at once', async (_, act) => {
  const page: Answer = () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } })
  const { seen, troupe } = serverOf([page])
  expect(await act(troupe).catch((error) => error)).toMatchObject({
    name: 'ApiError',
    status: 200,
    code: 'unexpected_answer',
    message: 'The server answered 200, and not as Troupe does.',
  })
  expect(seen).toHaveLength(1)
})

test.each([
  ['data', read],
  ['a list', (troupe: Troupe) => Promise.resolve(troupe.projects.list())],
  ['a list of another name', (troupe: Troupe) => Promise.resolve(troupe.runs.list())],
])('JSON of another program in place of %s is an error that says so', async (_, act) => {
  for (const body of [{ hello: 1 }, [], null]) {
    const { troupe } = serverOf([() => Response.json(body)])
    expect(await act(troupe).catch((error) => error)).toMatchObject({ name: 'ApiError', code: 'unexpected_answer' })
  }
})

test('an unreachable server is a connection error', async () => {
  const { troupe } = serverOf([good], { maxRetries: 1 })
  await servers.splice(0)[0]!.stop(true)
  const error = await read(troupe).catch((error) => error)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({
    code: 'connection_failed',
    message: expect.stringMatching(/^No answer to GET \/api\/v1\/\S+: ECONNREFUSED[^?]*$/),
  })
})

test.each([
  [new Error('connect ECONNREFUSED 127.0.0.1:9'), 'connect ECONNREFUSED 127.0.0.1:9'],
  [Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
])('a connection error has the reason that Node.js puts into the cause', async (reason, said) => {
  const fetch: Fetch = () => Promise.reject(new TypeError('fetch failed', { cause: reason }))
  const troupe = new Troupe({ baseUrl: 'http://localhost', apiKey: null, fetch, maxRetries: 0 })
  await expect(read(troupe)).rejects.toThrow(`: ${said}`)
})

test('a server that does not answer in time is a timeout', async () => {
  const { troupe } = serverOf([() => new Promise(() => {})], { maxRetries: 0, timeoutMs: 50 })
  await expect(read(troupe)).rejects.toMatchObject({ name: 'ConnectionError', code: 'timeout' })
})

test('the time of a Retry-After does not count', async () => {
  const slow: Answer = async () => {
    await Bun.sleep(100)
    return Response.json({ data: { ...run, state: 'completed', output: { text: 'Done.' } } })
  }
  const { troupe } = serverOf([slow], { maxRetries: 0, timeoutMs: 10 })
  expect(await troupe.runs.open('run_1').output()).toEqual({ text: 'Done.' })
})

test.each([
  ['break off', (controller: ReadableStreamDefaultController) => controller.error(new TypeError('It broke off.'))],
  ['end without an event', (controller: ReadableStreamDefaultController) => controller.close()],
])('a stream whose connections always %s is abandoned', async (_, pull) => {
  let opened = 0
  const fetch: Fetch = async () => {
    opened += 1
    const opening = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('retry: 1\n\n')),
      pull,
    })
    return new Response(opening, { headers: { 'content-type': 'text/event-stream' } })
  }
  const troupe = new Troupe({ baseUrl: 'http://localhost', apiKey: null, fetch })
  const reading = (async () => {
    for await (const _ of troupe.runs.open('run_1').events({}, { maxRetries: 2 })) break
  })()
  await expect(reading).rejects.toMatchObject({ name: 'ConnectionError', code: 'connection_failed' })
  expect(opened).toBe(3)
})

test('an aborted call rejects with the reason, also between two attempts', async () => {
  const { seen, troupe } = serverOf([refused(429, 'rate_limited', '60')])
  const stop = new AbortController()
  const reading = troupe.projects.get({ projectId: 'prj_1' }, { signal: stop.signal })
  while (seen.length === 0) await Bun.sleep(1)
  stop.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
  await expect(troupe.projects.list({}, { signal: stop.signal })).rejects.toThrow('enough')
  expect(seen).toHaveLength(1)
})

test('a stream continues after the last event, whatever happened between', async () => {
  const ids: (string | null)[] = []
  const event = (id: number) => `id: ${id}\nevent: move\ndata: {"n": ${id}}\n\n`
  const piece =
    (text: string): Answer =>
    (request) => {
      ids.push(request.headers.get('last-event-id'))
      return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
    }
  const ended: Answer = (request) => {
    ids.push(request.headers.get('last-event-id'))
    return new Response(null, { status: 204 })
  }
  const { troupe } = serverOf([
    piece(`retry: 10\n\n${event(1)}id: 2\nevent: mo`),
    proxy(502),
    refused(429, 'too_many_streams', '1'),
    piece(`: keep-alive\n\n${event(2)}`),
    piece('event: end\ndata: {"reason": "revoked"}\n\n'),
    piece(event(3).replaceAll('\n', '\r\n')),
    ended,
  ])
  const seen: unknown[] = []
  for await (const { id, data } of troupe.machines.streamActor({ kind: 'run', id: 'run_1' })) seen.push([id, data])
  expect(seen).toEqual([1, 2, 3].map((n) => [`${n}`, { n }]))
  expect(ids).toEqual([null, '1', '2', '2', '3'])
})

test('a stream that the server refuses is not requested again', async () => {
  const { seen, troupe } = serverOf([refused(404, 'not_found')])
  const reading = (async () => {
    for await (const _ of troupe.runs.open('run_1')) break
  })()
  await expect(reading).rejects.toMatchObject({ name: 'NotFoundError' })
  expect(seen).toHaveLength(1)
})

test('a stream with a longer Retry-After than the client waits for is refused at once', async () => {
  const { seen, troupe } = serverOf([refused(503, 'service_unavailable', '3600')])
  const reading = (async () => {
    for await (const _ of troupe.runs.open('run_1')) break
  })()
  await expect(reading).rejects.toMatchObject({ name: 'ServerError', retryAfterMs: 3_600_000 })
  expect(seen).toHaveLength(1)
})
