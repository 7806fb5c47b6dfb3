/** Contract 0, "Errors" and "Global statuses": one shape, made in one place, without stacks. */
import { describe, expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { allKey, testApp, thingId } from './fixture.ts'

const { app, lines } = testApp({ level: 'debug' })
const client = api(app, allKey)

const outcomes: [string, number, string][] = [
  ['conflict', 409, 'invalid_transition'],
  ['bug', 500, 'internal_error'],
  ['text', 500, 'internal_error'],
  ['store', 503, 'store_unavailable'],
  ['unknown', 503, 'store_unavailable'],
  ['stale', 409, 'concurrent_change'],
  ['busy', 503, 'service_unavailable'],
]
test.each(outcomes)('a handler that throws %s answers %d %s', async (how, status, code) => {
  const answer = await client.post(`/api/v1/fail/${how}`)
  expect([answer.status, answer.body.error.code]).toEqual([status, code])
})

test('a store that was lost at a commit is not reported as unchanged', async () => {
  const message = async (how: string) => (await client.post(`/api/v1/fail/${how}`)).body.error.message
  expect(await message('store')).toMatch(/nothing was changed/)
  expect(await message('unknown')).toMatch(/not known whether the change was made.*Idempotency-Key/)
})

test('an error has exactly the four fields of the contract', async () => {
  const { body } = await client.post('/api/v1/fail/conflict', undefined, { headers: { 'x-request-id': 'abc' } })
  expect(body).toEqual({
    error: {
      code: 'invalid_transition',
      message: 'Not possible while completed.',
      requestId: 'abc',
      details: { currentState: 'completed' },
    },
  })
})

test('an unexpected exception shows nothing outside and everything in the log, under the request id', async () => {
  const { body, requestId } = await client.post('/api/v1/fail/bug')
  expect(JSON.stringify(body)).not.toMatch(/hunter2|Error|\.ts|at /)
  const line = lines.find((entry) => entry.level === 'error' && entry.requestId === requestId)
  const logged = line?.err as Record<string, string> | undefined
  expect([logged?.type, logged?.message]).toEqual(['Error', 'the password is hunter2'])
  expect(logged?.stack).toContain('things.ts')
})

test('an outage has a line for each refused request, and its cause once a minute', async () => {
  const { app, clock, lines } = testApp()
  const some = api(app, allKey)
  const logged = async () => {
    const { requestId } = await some.post('/api/v1/fail/store')
    const line = lines.find((entry) => entry.requestId === requestId) as Record<string, unknown>
    return [line.code, line.err !== undefined, line.repeated]
  }
  expect(await logged()).toEqual(['store_unavailable', true, undefined])
  for (let count = 0; count < 2; count += 1) expect(await logged()).toEqual(['store_unavailable', false, undefined])
  // another failure is none of these
  await some.post('/api/v1/fail/unknown')
  expect(lines.at(-1)?.err).toBeDefined()
  clock.advance(60_000)
  expect(await logged()).toEqual(['store_unavailable', true, 2])
})

test('a rejected promise of a handler is an error like any other', async () => {
  const answer = await client.get('/api/v1/later')
  expect([answer.status, answer.body.error.code]).toEqual([409, 'invalid_transition'])
})

test("Elysia's own validation errors have the same shape", async () => {
  const { status, body } = await client.get('/api/v1/cookie', { headers: { cookie: 'size=hunter2' } })
  expect(status).toBe(422)
  expect(body.error.details.issues).toEqual([{ path: '/cookie', message: 'Is not valid.' }])
  expect(JSON.stringify(body)).not.toContain('hunter2')
})

test('an outage hides its cause and logs it as a warning', async () => {
  const { body, requestId, headers } = await client.post('/api/v1/fail/store')
  expect(JSON.stringify(body)).not.toContain('/var/lib')
  expect(headers.get('retry-after')).toBe('1')
  expect(lines.find((entry) => entry.requestId === requestId && entry.level === 'warn')).toBeDefined()
})

test('Retry-After is whole seconds, rounded up', async () => {
  expect((await client.post('/api/v1/fail/busy')).headers.get('retry-after')).toBe('3')
})

test('401 says how to authenticate, with the same body for every wrong key', async () => {
  const same = { 'x-request-id': 'same' }
  const unknown = await client.get(`/api/v1/things/${thingId}`, { key: 'wrong', headers: same })
  const other = await client.get(`/api/v1/things/${thingId}`, { key: 'also-wrong', headers: same })
  expect(unknown.headers.get('www-authenticate')).toBe('Bearer')
  expect(unknown.body).toEqual(other.body)
})

describe('malformed ids are 404', () => {
  const ids = [
    'nonsense',
    'run_',
    'RUN_01h455vb4pex5vsknk084sn02q',
    'key_01h455vb4pex5vsknk084sn02q',
    'run_81h455vb4pex5vsknk084sn02q',
    '%00',
    '%FF',
    '%E0%A4%A',
    '..%2f..',
    `${thingId}x`,
    'x'.repeat(5000),
  ]
  test.each(ids)('%s', async (id) => {
    const { status, body } = await client.get(`/api/v1/things/${id}`)
    expect([status, body.error.code]).toEqual([404, 'not_found'])
  })
  test.each(['0', '-1', '1.5', '1e2', '01', 'abc', '99999999999999999999', '%20'])('part %s', async (part) => {
    expect((await client.get(`/api/v1/things/${thingId}/parts/${part}`)).status).toBe(404)
  })
  test('an integer id is parsed as an integer', async () => {
    expect((await client.get(`/api/v1/things/${thingId}/parts/12`)).body.data).toEqual({ partId: 12 })
  })
})

test('a foreign and a missing resource have the same answer, byte for byte', async () => {
  const text = async (id: string) =>
    (await client.raw('GET', `/api/v1/things/${id}`, undefined, { headers: { 'x-request-id': 'same' } })).text()
  expect(await text('run_01h455vb4pex5vsknk084sn02r')).toBe(await text('nonsense'))
})
