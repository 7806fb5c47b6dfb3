import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { answersKeptMs } from '../../../src/platform/http/changes/idempotency.ts'
import { assistant, openWorld, type World } from '../world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const keyed = (key: string) => ({ headers: { 'idempotency-key': key }, unchecked: true })
const body = { agentId: assistant, query: 'Hello' }
const startWith = (key: string, changes: object = {}) => world.owner.post(path, { ...body, ...changes }, keyed(key))
const countRuns = async (of = world) =>
  (await of.store.first<{ count: number }>({ sql: 'select count(*) as count from runs', parameters: [] }))?.count ?? 0
const countKeys = async () =>
  (
    await world.store.first<{ count: number }>({
      sql: 'select count(*) as count from idempotency_keys',
      parameters: [],
    })
  )?.count

describe('the same request with the same key', () => {
  test('gets the first answer again, marked, with a new request id', async () => {
    const first = await startWith('again')
    await world.runner.begin(first.body.data.id)
    const second = await startWith('again')
    expect([first.headers.get('idempotency-replayed'), second.headers.get('idempotency-replayed')]).toEqual([
      null,
      'true',
    ])
    expect(second.body).toEqual(first.body)
    expect(second.requestId).not.toBe(first.requestId)
  })

  test('may have another spelling of its body', async () => {
    const first = await startWith('canonical')
    const text = '{ "query": "Hello",\n "agentId": "agt_system_assistant" }'
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'canonical' }
    const second = await world.owner.call('POST', path, text, { headers })
    expect(second.body).toEqual(first.body)
  })

  test('starts one run, whatever the number of concurrent requests', async () => {
    const before = await countRuns()
    const answers = await Promise.all(Array.from({ length: 50 }, () => startWith('crowd')))
    expect(new Set(answers.map(({ body: answer }) => answer.data.id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    expect(await countRuns()).toBe(before + 1)
  })

  test('has a separate effect for another user, organization and operation', async () => {
    const ids = [
      (await startWith('shared')).body.data.id,
      (await world.colleague.post(path, body, keyed('shared'))).body.data.id,
      (await world.foreigner.post(path, body, keyed('shared'))).body.data.id,
    ]
    expect(new Set(ids).size).toBe(3)
    expect((await world.owner.post(`${path}/${ids[0]}/cancel`, undefined, keyed('shared'))).body.data.state).toBe(
      'canceled',
    )
  })

  test('is the same with another key of the user', async () => {
    const first = await startWith('siblings')
    expect((await world.sibling.post(path, body, keyed('siblings'))).body).toEqual(first.body)
  })

  test('shows no run to a key that may not read it', async () => {
    await startWith('bounds')
    const foreign = await world.bound.post(path, body, keyed('bounds'))
    // nor does a header say that there is a run
    expect([foreign.status, foreign.headers.get('idempotency-replayed')]).toEqual([404, null])
  })

  test('shows no run to a key that may not read it, whatever the first answer was', async () => {
    const runId = await world.startIn('running')
    for (const [command, sent] of [
      ['cancel', undefined],
      ['continue', { query: 'x' }],
    ] as const) {
      const first = await world.owner.post(`${path}/${runId}/${command}`, sent, keyed(command))
      expect([200, 409]).toContain(first.status)
      expect((await world.bound.post(`${path}/${runId}/${command}`, sent, keyed(command))).status).toBe(404)
    }
    expect((await world.session.post(`${path}/${runId}/cancel`, undefined, keyed('cancel'))).status).toBe(401)
  })

  test('cancels and continues once', async () => {
    const runId = await world.startIn('completed')
    const go = () => world.owner.post(`${path}/${runId}/continue`, { query: 'x' }, keyed('go'))
    const first = await go()
    expect((await go()).body).toEqual(first.body)
    const stop = () => world.owner.post(`${path}/${runId}/cancel`, undefined, keyed('stop'))
    expect((await stop()).body).toEqual((await stop()).body)
    const { body: journal } = await world.owner.get(`${path}/${runId}/transitions`)
    expect(journal.data.items.filter(({ event }: { event: string }) => event === 'continue')).toHaveLength(1)
  })

  test('that the state refused never takes effect later', async () => {
    const runId = await world.startIn('running')
    const go = () => world.owner.post(`${path}/${runId}/continue`, { query: 'x' }, keyed('early'))
    const refused = await go()
    expect([refused.status, refused.body.error.code]).toEqual([409, 'invalid_transition'])
    await world.runner.complete(runId)
    const again = await go()
    expect([again.status, again.body]).toEqual([409, refused.body])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await world.owner.get(`${path}/${runId}`)).body.data.state).toBe('completed')
  })

  test('that the state refused with 400 never takes effect later', async () => {
    const runId = await world.startIn('awaitingDelegateResult')
    const go = () => world.owner.post(`${path}/${runId}/continue`, { query: 'x' }, keyed('delegate'))
    const refused = await go()
    await world.owner.post(`${path}/${runId}/cancel`)
    expect([refused.status, (await go()).status]).toEqual([400, 400])
  })
})

describe('another request with the same key', () => {
  test.each([
    ['another query', { query: 'Bye' }],
    ['another field', { maxRetries: 0 }],
  ])('is 422: %s', async (what, changes) => {
    await startWith(what)
    const { status, body: answer } = await startWith(what, changes)
    expect([status, answer.error.code]).toEqual([422, 'idempotency_key_reused'])
    expect(answer.error.details.issues).toEqual([{ path: '/headers/idempotency-key', message: answer.error.message }])
  })

  test('is 422 while the first one is in progress', async () => {
    const [one, other] = await Promise.all([startWith('both'), startWith('both', { query: 'Bye' })])
    expect([one.status, other.status]).toEqual([200, 422])
  })

  test('is 422 for another run', async () => {
    const [one, other] = [await world.start(), await world.start()]
    await world.owner.post(`${path}/${one}/cancel`, undefined, keyed('one run'))
    const { status } = await world.owner.post(`${path}/${other}/cancel`, undefined, keyed('one run'))
    expect([status, (await world.owner.get(`${path}/${other}`)).body.data.state]).toEqual([422, 'queued'])
  })

  test('is 422 with another file', async () => {
    const send = (text: string) => {
      const form = new FormData()
      form.set('agentId', assistant)
      form.append('files', new File([text], 'a.txt'))
      return world.owner.call('POST', path, form, keyed('files'))
    }
    expect([(await send('one')).status, (await send('one')).status, (await send('two')).status]).toEqual([
      200, 200, 422,
    ])
  })
})

describe('nothing is stored', () => {
  test.each([
    ['422', { agentId: 7 }, 422],
    ['404', { agentId: 'agt_x' }, 404],
    ['400 of the input', { query: '' }, 400],
  ] as [string, object, number][])('of a %s', async (what, changes, status) => {
    expect((await startWith(`kept ${what}`, changes)).status).toBe(status)
    expect((await startWith(`kept ${what}`)).status).toBe(200)
  })

  test('of a 402', async () => {
    let spent = true
    const other = await openWorld({
      reserve: () => {
        if (spent) throw new ApiError(402, 'budget_exhausted', 'The budget is used up.')
        return undefined
      },
    })
    try {
      expect((await other.owner.post(path, body, keyed('money'))).status).toBe(402)
      spent = false
      expect((await other.owner.post(path, body, keyed('money'))).status).toBe(200)
    } finally {
      await other.close()
    }
  })

  test('without a key', async () => {
    const before = await countKeys()
    await world.start()
    expect(await countKeys()).toBe(before)
  })
})

describe('a key', () => {
  test.each([
    ['empty', ''],
    ['longer than 255', 'x'.repeat(256)],
    ['not ASCII', 'schl\xfcssel'],
    ['with a control character', 'a\tb'],
  ])('that is %s is 400', async (_what, key) => {
    const { status, body: answer } = await startWith(key)
    expect([status, answer.error.code]).toEqual([400, 'invalid_idempotency_key'])
  })

  test.each(['x', 'x'.repeat(255), '~ !"#$%&'])('can be %j', async (key) => {
    expect((await startWith(key)).status).toBe(200)
  })

  test('expires after 24 hours, and is removed', async () => {
    const other = await openWorld()
    try {
      const go = () => other.owner.post(path, body, keyed('day'))
      const first = await go()
      await other.owner.post(path, body, keyed('other'))
      other.clock.advance(answersKeptMs - 1)
      expect((await go()).body.data.id).toBe(first.body.data.id)
      expect(await other.idempotency.prune()).toBe(0)
      other.clock.advance(1)
      expect((await go()).body.data.id).not.toBe(first.body.data.id)
      expect(await other.idempotency.prune()).toBe(1)
      expect(await other.idempotency.prune()).toBe(0)
      expect(await countRuns(other)).toBe(3)
    } finally {
      await other.close()
    }
  })
})
