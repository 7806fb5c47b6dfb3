/** Operations in user processes, over HTTP. Source: contract 11, "Workers". */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { movesOf } from '../../../storage/runtime/journal.ts'
import type { StoredMoves } from '../../../storage/tables.ts'
import { eventually } from '../../support/process.ts'
import { data, outcome } from '../../support/world/replies.ts'
import { browserOfUser } from '../../tenancy/sessions/browser.ts'
import { calls } from '../operations/world.ts'
import { type Lease, once, openWorkers, type Served, type WorkersWorld, workerOperation } from './world.ts'

let world: WorkersWorld
beforeAll(async () => {
  world = await openWorkers()
})
afterAll(() => world?.stop())

const serving = () =>
  world.serving([workerOperation('charge', once), workerOperation('look'), workerOperation('late', { timeoutMs: 1 })])
const charged = { amount: 5 }

test("a worker receives the call, and the caller the worker's response", async () => {
  const served = await serving()
  const called = world.called(served, 'shop.charge', charged)
  const lease = await world.leased(served)
  expect(lease).toMatchObject({
    operation: 'shop.charge',
    input: charged,
    attempt: 1,
    idempotencyKey: lease.invocationId,
  })
  expect(await data(world.complete(served, lease, { output: { ok: true } }))).toEqual({ state: 'succeeded' } as never)
  expect(await called).toMatchObject({ id: lease.invocationId, state: 'succeeded', output: { ok: true }, error: null })
})

test('a call wakes a waiting worker, and a poll without a call returns 204', async () => {
  const served = await serving()
  expect((await world.lease(served, { waitSeconds: 1 })).status).toBe(204)
  const waiting = world.leased(served)
  const called = world.called(served, 'shop.charge')
  await world.complete(served, await waiting, { output: null })
  expect(await called).toMatchObject({ state: 'succeeded', output: null })
})

type Worker = Parameters<WorkersWorld['lease']>[2]
const keyOf = (userId: string) => world.keyOf(userId, { operations: ['workers:serve'] })

test.each<[string, string, (userId: string) => Worker | Promise<Worker>, string]>([
  ['its key is revoked', '401 invalid_api_key', keyOf, "update api_keys set status = 'revoked' where created_by = ?"],
  [
    'its session ends',
    '401 session_expired',
    (userId) => browserOfUser(world, world.tenancy, userId),
    'delete from sessions where user_id = ?',
  ],
  [
    'its user loses the permission',
    '403 permission_denied',
    keyOf,
    "update memberships set role = 'member' where user_id = ?",
  ],
])('a request that waits while %s gets no call: %s', async (_, refused, workerOf, lose) => {
  const served = await serving()
  const userId = world.user('owner')
  const worker = await workerOf(userId)
  const waiting = world.lease(served, { waitSeconds: 20 }, worker)
  await eventually('the waiting worker', async () => {
    const { workers } = await data<{ workers: object[] }>(world.owner.get(`${served.place.path}/workers`))
    return workers.length > 0
  })
  // the credential is looked up again after a second
  await Bun.sleep(1_100)
  world.rows(lose, userId)
  const called = world.called(served, 'shop.charge')
  expect(outcome(await waiting)).toBe(refused)
  const lease = await world.leased(served)
  expect(lease.attempt).toBe(1)
  await world.complete(served, lease, { output: null })
  expect(await called).toMatchObject({ state: 'succeeded' })
})

test('the oldest calls come first, as many as there are slots, to one worker each', async () => {
  const served = await serving()
  const made = []
  for (let n = 0; n < 5; n += 1) {
    const before = await waitingIn(served)
    made.push(world.called(served, 'shop.charge', { n }))
    await eventually('a queued call', async () => (await waitingIn(served)) > before)
  }
  const answers = await Promise.all([
    world.lease(served, { slots: 3 }),
    world.lease(served, { slots: 3, workerId: 'w2' }),
  ])
  const leases = answers.flatMap(({ body }) => [body.data.lease, ...body.data.more] as Lease[])
  expect(leases.map(({ input }) => (input as { n: number }).n).sort()).toEqual([0, 1, 2, 3, 4])
  const first = (answers[0]!.body.data.lease as Lease).input as { n: number }
  expect([0, 3]).toContain(first.n)
  await Promise.all(leases.map((lease) => world.complete(served, lease, { output: lease.input })))
  expect((await Promise.all(made)).map(({ output }) => output)).toEqual([0, 1, 2, 3, 4].map((n) => ({ n })))
})

const waitingIn = async ({ place }: Served) => {
  const { queues } = await data<{ queues: { queue: string; waiting: number }[] }>(
    world.owner.get(`${place.path}/workers`),
  )
  return queues.find(({ queue }) => queue === 'billing')?.waiting ?? 0
}

test('a worker can poll for some operations of its queue only', async () => {
  const served = await serving()
  const looked = world.called(served, 'shop.look')
  await eventually('a queued call', async () => (await waitingIn(served)) > 0)
  expect((await world.lease(served, { operations: ['shop.charge'] })).status).toBe(204)
  expect((await world.lease(served, { queue: 'other' })).status).toBe(204)
  const charge = world.called(served, 'shop.charge')
  const lease = await world.leased(served, { operations: ['shop.charge'] })
  expect(lease.operation).toBe('shop.charge')
  await world.complete(served, lease, { output: 1 })
  await world.complete(served, await world.leased(served), { output: 2 })
  expect([(await charge).output, (await looked).output]).toEqual([1, 2])
})

test('a worker of some operations finds its call behind any number of others', async () => {
  const served = await serving()
  void world.called(served, 'shop.look')
  await eventually('a queued call', async () => (await waitingIn(served)) > 0)
  const database = new Database(world.file)
  const others = 20_001
  const columns = (database.query('pragma table_info(worker_calls)').all() as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => name !== 'id')
  database
    .query(
      `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${others})
      insert into worker_calls (id, ${columns}) select printf('opi_0%021d', n), ${columns} from worker_calls, numbers
      where state = 'queued' and environment_id = ?`,
    )
    .run(served.place.environmentId)
  database.close()
  void world.called(served, 'shop.charge')
  await eventually('the call', async () => {
    const query = { operation: 'shop.charge' }
    return (await data<{ items: object[] }>(world.owner.get(served.invocations, { query }))).items.length > 0
  })
  const operations = ['shop.charge']
  const found = await eventually('its lease', async () => {
    const { status, body } = await world.lease(served, { operations })
    return status === 200 && (body.data.lease as Lease)
  })
  expect(found.operation).toBe('shop.charge')
  // the next one is found at once, and one that waits again too
  const again = { error: { code: 'busy', message: 'Later.', retryable: true } }
  await data(world.complete(served, found, again))
  const second = await world.leased(served, { operations })
  expect(second).toMatchObject({ invocationId: found.invocationId, attempt: 2 })
})

test('a call that arrives while a worker waits is stored as leased', async () => {
  const served = await serving()
  const lease = world.leased(served)
  const waits = async () => {
    const { workers } = await data<{ workers: object[] }>(world.owner.get(`${served.place.path}/workers`))
    return workers.length > 0
  }
  await eventually('a worker that waits', waits)
  const called = world.called(served, 'shop.charge', charged)
  const { invocationId, token } = await lease
  await world.complete(served, { invocationId, token }, { output: 1 })
  expect(await called).toMatchObject({ id: invocationId, state: 'succeeded', output: 1 })
  const journal = "select * from transitions where kind = 'worker-call' and actor_id = ? order by sequence"
  const moves = movesOf(world.rows<StoredMoves>(journal, invocationId))
  expect(moves.map(({ event, to_state }) => `${event}: ${to_state}`)).toEqual([
    'create: queued',
    'leased: leased',
    'completed: succeeded',
  ])
})

test('several results in one request, each on its own', async () => {
  const served = await serving()
  const called = [world.called(served, 'shop.charge'), world.called(served, 'shop.charge')]
  const leases: Lease[] = []
  for (const _ of called) leases.push(await world.leased(served))
  const [one, other] = leases as [Lease, Lease]
  const elsewhere = await serving()
  const none = `opi_${'0'.repeat(26)}`
  const answers = [
    { invocationId: one.invocationId, token: one.token, output: 1 },
    { invocationId: none, token: one.token, output: 1 },
    { invocationId: other.invocationId, token: one.token, output: 1 },
    { invocationId: other.invocationId, token: other.token, error: { code: 'x', message: 'X', retryable: false } },
  ]
  const path = ({ place }: Served) => `${place.path}/workers/complete`
  const { items } = await data<{ items: object[] }>(world.owner.post(path(served), { answers }))
  expect(items).toMatchObject([
    { invocationId: one.invocationId, state: 'succeeded', error: null },
    { invocationId: none, state: null, error: { code: 'not_found' } },
    { invocationId: other.invocationId, state: null, error: { code: 'stale_lease' } },
    { invocationId: other.invocationId, state: 'failed', error: null },
  ])
  expect((await Promise.all(called)).map(({ state }) => state).sort()).toEqual(['failed', 'succeeded'])
  const foreign = await data<{ items: object[] }>(world.owner.post(path(elsewhere), { answers: answers.slice(0, 1) }))
  expect(foreign.items).toMatchObject([{ state: null, error: { code: 'not_found' } }])
  const both = [{ ...answers[0], error: { code: 'x', message: 'X', retryable: false } }]
  for (const bad of [[], Array(101).fill(answers[0]), [{ ...answers[0], more: 1 }]]) {
    expect((await world.owner.post(path(served), { answers: bad })).status).toBe(422)
  }
  const { body } = await world.owner.post(path(served), { answers: both })
  expect(body.data.items[0].error.code).toBe('validation_failed')
})

test('the number of waiting calls is limited', async () => {
  const served = await serving()
  await world.called(served, 'shop.late')
  const database = new Database(world.file)
  const stored = (count: number) =>
    database
      .query("update actor_counts set count = ? where kind = 'worker-call' and state = 'queued' and place = ?")
      .run(count, served.place.environmentId)
  stored(100_000)
  expect(await world.called(served, 'shop.late')).toMatchObject({
    state: 'failed',
    error: { code: 'tool_error', message: expect.stringContaining('at most 100000 calls that wait for workers') },
  })
  stored(99_999)
  expect(await world.called(served, 'shop.late')).toMatchObject({ error: { code: 'no_worker' } })
  stored(0)
  database.close()
})

test('a tool call of a run is executed by a worker', async () => {
  const served = await serving()
  const started = await data(world.start(served.place, served.agent.agentId, calls(['charge', charged])))
  const lease = await world.leased(served)
  expect(lease.input).toEqual(charged)
  await world.complete(served, lease, { output: { paid: true } })
  expect(await world.ended(started.id)).toMatchObject({ state: 'completed' })
})

test('a run waits without its machine for a slow worker, and shows that it does', async () => {
  const served = await world.serving([workerOperation('slow', { timeoutMs: 61_000 })])
  const started = await data(world.start(served.place, served.agent.agentId, calls(['slow', charged])))
  const lease = await world.leased(served)
  const run = () => data<{ state: string; awaiting?: object }>(world.owner.get(`/api/v1/agent-runs/${started.id}`))
  await eventually('a run that waits', async () => (await run()).state === 'awaitingToolResult')
  const call = { kind: 'worker', toolName: 'slow', input: charged, invocationId: lease.invocationId }
  const { awaiting } = await run()
  expect(awaiting).toEqual({
    ...call,
    toolCallId: expect.any(String),
    pending: [{ ...call, toolCallId: expect.any(String) }],
  } as never)
  await world.complete(served, lease, { output: { paid: true } })
  await eventually('the end', async () => (await run()).state === 'completed')
})

test('a canceled call is reported to its worker with the next heartbeat', async () => {
  const served = await serving()
  const started = await data(world.start(served.place, served.agent.agentId, calls(['charge'])))
  const lease = await world.leased(served)
  expect(await data(world.heartbeat(served, lease))).toMatchObject({ signal: 'continue' })
  await world.owner.post(`/api/v1/agent-runs/${started.id}/cancel`)
  await eventually(
    'the signal',
    async () => (await data<{ signal: string }>(world.heartbeat(served, lease))).signal === 'cancel',
  )
})
