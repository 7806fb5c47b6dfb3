import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError, serviceUnavailable } from '../../../src/http/errors.ts'
import { answersKeptMs } from '../../../src/http/idempotency.ts'
import type { AgentResolver } from '../../../src/runs/agents.ts'
import { assistant, openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

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
  test('gets the first answer again, marked, under a new request id', async () => {
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

  test('may write its body in another way', async () => {
    const first = await startWith('canonical')
    const text = '{ "query": "Hello",\n "agentId": "agt_system_assistant" }'
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'canonical' }
    const second = await world.owner.call('POST', path, text, { headers })
    expect(second.body).toEqual(first.body)
  })

  test('starts one run, however many come at once', async () => {
    const before = await countRuns()
    const answers = await Promise.all(Array.from({ length: 50 }, () => startWith('crowd')))
    expect(new Set(answers.map(({ body: answer }) => answer.data.id)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    expect(await countRuns()).toBe(before + 1)
  })

  test('is worked on once, however many come at once, and in turn while it fails', async () => {
    let looks = 0
    const other = await openWorld({
      agents: (system) => ({
        resolve: async (...given) => {
          looks += 1
          await new Promise((resolve) => setImmediate(resolve))
          if (looks < 3) throw serviceUnavailable('Not now.')
          return system.resolve(...given)
        },
      }),
    })
    try {
      const answers = await Promise.all(Array.from({ length: 20 }, () => other.owner.post(path, body, keyed('turns'))))
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(18).fill(200), 503, 503])
      expect([looks, await countRuns(other)]).toEqual([3, 1])
    } finally {
      await other.close()
    }
  })

  test('has its own effect with another user, in another organization and with another operation', async () => {
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

  test('shows no run to a key that does not reach it', async () => {
    await startWith('bounds')
    expect((await world.bound.post(path, body, keyed('bounds'))).status).toBe(404)
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

  test('that the state refused never acts later', async () => {
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

  test('that the state refused with 400 never acts later', async () => {
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
  })

  test('is 422 while the first one is running', async () => {
    const [one, other] = await Promise.all([startWith('both'), startWith('both', { query: 'Bye' })])
    expect([one.status, other.status]).toEqual([200, 422])
  })

  test('is 422 on another run', async () => {
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

describe('nothing is kept', () => {
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
      assertBudget: () => {
        if (spent) throw new ApiError(402, 'budget_exhausted', 'The budget is used up.')
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

  test.each(['x', 'x'.repeat(255), '~ !"#$%&'])('may be %j', async (key) => {
    expect((await startWith(key)).status).toBe(200)
  })

  test('is forgotten after 24 hours, and pruned', async () => {
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

describe('while the first request is running', () => {
  test('the same one waits, for five seconds at most', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrives } = Promise.withResolvers<void>()
    const slow = (system: AgentResolver): AgentResolver => ({
      resolve: async (...given) => {
        arrives()
        await held
        return system.resolve(...given)
      },
    })
    const other = await openWorld({ agents: slow })
    try {
      const send = () => other.owner.post(path, body, keyed('slow'))
      const first = send()
      await arrived
      const impatient = send()
      while (other.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
      other.clock.advance(5_000)
      const { status, body: answer } = await impatient
      expect([status, answer.error.code]).toEqual([409, 'idempotency_in_progress'])
      const patient = send()
      while (other.clock.waiting === 0) await new Promise((resolve) => setImmediate(resolve))
      go()
      expect((await patient).body).toEqual((await first).body)
      expect(await countRuns(other)).toBe(1)
    } finally {
      await other.close()
    }
  })

  test('one that another process has kept meanwhile answers for both', async () => {
    const meanwhile = { done: true }
    const other = await openWorld({
      assertBudget: () => {
        if (meanwhile.done) return
        meanwhile.done = true
        // what another process would commit between our look and our commit
        void other.store.commit([
          {
            sql: 'insert into idempotency_keys select scope, fingerprint, status, body, created_at, expires_at from stolen',
            parameters: [],
          },
        ])
      },
    })
    try {
      const first = await other.owner.post(path, body, keyed('race'))
      const write = (sql: string) => other.store.commit([{ sql, parameters: [] }])
      await write('create table stolen as select * from idempotency_keys')
      await write('delete from idempotency_keys')
      meanwhile.done = false
      const second = await other.owner.post(path, body, keyed('race'))
      expect(second.body).toEqual(first.body)
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      expect(await countRuns(other)).toBe(1)
    } finally {
      await other.close()
    }
  })
})
