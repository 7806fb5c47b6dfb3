/**
 * The store exists but accepts no writes: another process holds the lock, the disk is full, or another file has taken
 * its place. Source: contract 0, 503.
 */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { endAll, eventually, Site } from '../../support/process.ts'
import {
  agentId,
  checkpointOf,
  completedCalls,
  expectWhole,
  expectWholeStream,
  getRun,
  inState,
  start,
  stepsOf,
  timesTold,
} from '../../support/run-records.ts'
import { completed, conversation, lease } from '../../support/simulated-runner.ts'
import { smallDisk } from '../../support/stores/small-disk.ts'

const cleanUps: (() => Promise<unknown> | unknown)[] = []
afterAll(async () => {
  await endAll()
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
})

const expectAway = ({
  status,
  body,
  headers,
}: {
  status: number
  body: { error: { code: string } }
  headers: Headers
}) => {
  expect({ status, code: body.error?.code }).toEqual({ status: 503, code: 'store_unavailable' })
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

test.concurrent('while another process holds the lock, writes answer 503 and reads are served; afterwards everything continues', async () => {
  const site = await Site.create({ TROUPE_ATTEMPT_BACKOFF_MS: '50', TROUPE_RUNNER_SLOTS: '3' })
  cleanUps.push(() => site.remove())
  const server = await site.start()
  const { client } = server
  const query =
    '/call echo {"text":"a"}\n/sleep 3000\n/call echo {"text":"b"}\n/sleep 300\n/call echo {"text":"c"}\n/say done'
  const ids: string[] = []
  for (let count = 0; count < 6; count += 1) ids.push((await start(client, query, { maxRetries: 10 })).id)
  await eventually('runs in the middle', async () => (await stepsOf(client, ids[0] as string)).length >= 4)

  const blocker = new Database(site.storePath)
  blocker.run('pragma busy_timeout = 5000')
  blocker.run('begin immediate')
  const body = { agentId, query: 'while locked' }
  const headers = { 'idempotency-key': 'while-locked' }
  const [refused, canceled] = await Promise.all([
    client.post('/api/v1/agent-runs', body, { headers }),
    client.post(`/api/v1/agent-runs/${ids[5]}/cancel`),
  ])
  expectAway(refused)
  expectAway(canceled)
  expect(await getRun(client, ids[5] as string)).toMatchObject({ state: 'queued' })
  expect((await client.get('/api/v1/agent-runs')).body.agentRuns).toHaveLength(6)
  // Nothing of the refused requests was stored.
  const database = new Database(site.storePath, { readonly: true })
  expect(database.query('select count(*) as count from runs').get()).toEqual({ count: 6 })
  expect(database.query('select count(*) as count from idempotency_keys').get()).toEqual({ count: 0 })
  database.close()
  blocker.run('rollback')
  blocker.close()

  const accepted = await client.post('/api/v1/agent-runs', body, { headers })
  expect(accepted.status).toBe(200)
  expect(accepted.headers.get('idempotency-replayed')).toBeNull()
  await inState(client, accepted.body.data.id, 'completed')
  for (const id of ids) {
    await inState(client, id, 'completed', 'failed')
    const { run } = await expectWhole(client, id)
    expect({ id, state: run.state, reason: run.stateReason }).toEqual({ id, state: 'completed', reason: null })
    await expectWholeStream(client, id)
    expect(await completedCalls(client, id)).toEqual({ call_1: 1, call_2: 1, call_3: 1 })
    expect(await timesTold(client, id, query)).toBe(1)
  }
  expect(await server.end('SIGTERM')).toBe(0)
})

test.concurrent('reports of an external runner that failed while the store was locked succeed afterwards', async () => {
  const site = await Site.create({ TROUPE_RUNNER: 'none' })
  cleanUps.push(() => site.remove())
  const server = await site.start()
  const { client } = server
  const { id } = await start(client, '/say hi', { maxRetries: 0 })
  const attempt = await lease(client, site.runnerToken)
  await attempt.boot()
  const execution = { toolCallId: 'call_1', provider: 'sandbox' }
  const step = await attempt.begin({ kind: 'tool', name: 'echo', execution })
  const said = (count: number) =>
    conversation(Array.from({ length: count }, (_, index) => ({ role: 'user', content: `message ${index}` })))
  await attempt.checkpoint(step, said(1))

  const blocker = new Database(site.storePath)
  blocker.run('pragma busy_timeout = 5000')
  blocker.run('begin immediate')
  const reports = {
    end: () => attempt.endStep(step, { status: 'completed', output: 'done' }),
    checkpoint: () => attempt.checkpoint(step, said(2)),
    start: () => attempt.startStep({ kind: 'model', name: 'sandbox' }),
    completion: () => attempt.complete(completed('hi')),
  }
  const beat = attempt.beat()
  for (const refused of await Promise.all(Object.values(reports).map((report) => report()))) expectAway(refused)
  expect((await beat).body.data.signal).toBe('continue')
  blocker.run('rollback')
  blocker.close()

  expect((await reports.end()).body.data).toMatchObject({ status: 'completed', output: 'done', execution })
  expect((await reports.checkpoint()).status).toBe(201)
  expect((await attempt.checkpoint(step, said(3))).status).toBe(201)
  expect((await checkpointOf(client, id)).runtimeCheckpoint).toEqual(said(3))
  expect((await reports.start()).status).toBe(201)
  expect((await reports.completion()).body.data).toMatchObject({ state: 'completed', attempt: 1 })
  expect(await stepsOf(client, id)).toHaveLength(3)
  await expectWhole(client, id)
  await expectWholeStream(client, id)
  expect(await server.end('SIGTERM')).toBe(0)
})

test.concurrent.each([
  ['replaced', (path: string) => copyFileSync(`${path}.before`, path)],
  ['removed', () => {}],
])(
  'while its file is %s, writes answer 503; once it is back, everything acknowledged is there',
  async (how, replace) => {
    const site = await Site.create({ TROUPE_RUNNER: 'none' })
    cleanUps.push(() => site.remove())
    const server = await site.start()
    const { client } = server
    const acknowledged = [(await start(client, '/say hi')).id]
    renameSync(site.storePath, `${site.storePath}.before`)
    replace(site.storePath)

    expectAway(await client.post('/api/v1/agent-runs', { agentId, query: '/say lost?' }))
    const ready = await client.get('/readyz')
    expect({ status: ready.status, store: ready.body.checks.store }).toEqual({ status: 503, store: 'failing' })
    const reason = `The file ${site.storePath} was ${how} while the server had it open. Restart the server`
    await eventually('its reason in the log', async () => server.output().includes(reason))

    rmSync(site.storePath, { force: true })
    renameSync(`${site.storePath}.before`, site.storePath)
    await eventually('a server that is ready again', async () => (await client.get('/readyz')).status === 200)
    acknowledged.push((await start(client, '/say back')).id)
    expect(await server.end('SIGTERM')).toBe(0)
    const next = await site.start({ TROUPE_RUNNER: 'embedded' })
    for (const id of acknowledged) await inState(next.client, id, 'completed')
    expect((await next.client.get('/api/v1/agent-runs')).body.agentRuns).toHaveLength(2)
    expect(await next.end('SIGTERM')).toBe(0)
  },
)

const disk = await smallDisk(24)
if (disk) cleanUps.push(disk.remove)

test.skipIf(!disk)(
  'on a full disk starts answer 503, acknowledged runs are kept, and free space is the only remedy needed',
  async () => {
    const site = await Site.create({ TROUPE_RUNNER: 'none' }, disk?.folder)
    const server = await site.start()
    const { client } = server
    const acknowledged: string[] = []
    for (let count = 0; count < 20; count += 1) acknowledged.push((await start(client, `/say ${count}`)).id)
    // Leaves only a little free space.
    disk?.fill()
    const refused = await eventually('a refusal', async () => {
      const reply = await client.post('/api/v1/agent-runs', { agentId, query: 'x'.repeat(200_000) })
      if (reply.status === 200) acknowledged.push(reply.body.data.id)
      return reply.status !== 200 && reply
    })
    expectAway(refused)
    await eventually('a server that says so', async () => {
      const { status, body } = await client.get('/readyz')
      return status === 503 && body.checks.store === 'failing'
    })
    for (const id of acknowledged) expect(await getRun(client, id)).toMatchObject({ id, state: 'queued' })
    const page = await client.get('/api/v1/agent-runs', { query: { limit: 100 } })
    expect(page.body.agentRuns).toHaveLength(acknowledged.length)

    await disk?.clear()
    await eventually('a server that is ready again', async () => (await client.get('/readyz')).status === 200)
    acknowledged.push((await start(client, '/say there is room')).id)
    for (const id of acknowledged) await expectWhole(client, id)
    expect(await server.end('SIGTERM')).toBe(0)
    const next = await site.start({ TROUPE_RUNNER: 'embedded' })
    for (const id of acknowledged) await inState(next.client, id, 'completed')
    expect(await next.end('SIGTERM')).toBe(0)
  },
)
