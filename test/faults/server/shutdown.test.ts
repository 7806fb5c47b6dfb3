/** An operator stops a busy server. Source: contract 9, "`SIGTERM`"; contract 0, "Every 429 and 503". */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { mayHandleHangUp } from '../../../src/server/hang-up.ts'
import { endAll, eventually, Site } from '../../support/process.ts'
import {
  agentId,
  completedCalls,
  expectWhole,
  expectWholeStream,
  inState,
  start,
  stepsOf,
  timesTold,
} from '../../support/run-records.ts'
import { lease } from '../../support/simulated-runner.ts'

const sites: Site[] = []
const siteOf = async (environment: Record<string, string> = {}) => {
  const site = await Site.create(environment)
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test.concurrent('a server that still waits for its store ends on SIGTERM as well', async () => {
  const asked = Promise.withResolvers<void>()
  // accepts connections, and never answers
  const database = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: { open: () => asked.resolve(), data() {} },
  })
  const site = await Site.withoutStore()
  sites.push(site)
  const starting = site.spawn({
    TROUPE_STORE: `postgres://troupe@127.0.0.1:${database.port}/troupe`,
    TROUPE_MASTER_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  })
  await Promise.race([asked.promise, starting.exited])
  expect({ code: await starting.end('SIGTERM'), output: starting.output() }).toEqual({ code: 0, output: '' })
  database.stop(true)
})

test.concurrent('SIGTERM hands back running attempts at no cost, and the next server continues from their checkpoints', async () => {
  const site = await siteOf({ TROUPE_RUNNER_SLOTS: '3' })
  const server = await site.start()
  // long enough that none ends before the signal, also on a machine with too much to do
  const query = '/call echo {"text":"a"}\n/sleep 5000\n/call echo {"text":"b"}\n/say done'
  // Without retries: a run whose attempt counted as lost would fail.
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push((await start(server.client, query, { maxRetries: 0 })).id)
  await eventually('three runs beyond their first call', async () => {
    const steps = await Promise.all(ids.map((id) => stepsOf(server.client, id)))
    return steps.filter((of) => of.some(({ kind, status }) => kind === 'tool' && status === 'completed')).length === 3
  })
  expect(await server.end('SIGTERM')).toBe(0)

  const database = new Database(site.storePath)
  const states = database.query<{ state: string }, []>('select state from runs').all()
  database.close()
  expect(states.map(({ state }) => state)).toEqual(Array(5).fill('queued'))

  const next = await site.start()
  for (const id of ids) {
    await inState(next.client, id, 'completed', 'failed')
    const { run, transitions } = await expectWhole(next.client, id)
    expect({ id, state: run.state, reason: run.stateReason }).toEqual({ id, state: 'completed', reason: null })
    expect(transitions.filter(({ event }) => event === 'leaseRequested').length).toBe(run.attempt)
    await expectWholeStream(next.client, id)
    expect(await completedCalls(next.client, id)).toEqual({ call_1: 1, call_2: 1 })
    expect(await timesTold(next.client, id, query)).toBe(1)
  }
  // a closed terminal is no kill; a parent that ignores the signal, as nohup does, makes the server ignore it
  expect(await next.end(mayHandleHangUp() ? 'SIGHUP' : 'SIGTERM')).toBe(0)
})

test.concurrent('during its shutdown the server starts nothing, answers reads, and tells external runners to drain', async () => {
  const site = await siteOf()
  const outside = await site.start({ TROUPE_RUNNER: 'none' })
  const held = await start(outside.client, '/say from elsewhere')
  const attempt = await lease(outside.client, site.runnerToken)
  await attempt.boot()
  await outside.end('SIGKILL')

  const server = await site.start()
  attempt.moveTo(server.client)
  expect((await attempt.beat()).body.data.signal).toBe('continue')
  const slow = await start(server.client, '/sleep 600000')
  await eventually('a model call', async () => (await stepsOf(server.client, slow.id)).length === 2)
  // The last report of the embedded runner has to wait, and so does the shutdown.
  const blocker = new Database(site.storePath)
  blocker.run('pragma busy_timeout = 5000')
  blocker.run('begin immediate')
  const ended = server.end('SIGTERM')
  const refused = await eventually('a refusal', async () => {
    const reply = await server.client.post('/api/v1/agent-runs', { agentId, query: '' })
    return reply.status === 503 && reply
  })
  expect(refused.body.error.code).toBe('service_unavailable')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect((await server.client.post(`/api/v1/agent-runs/${slow.id}/cancel`)).status).toBe(503)
  const work = { machineId: 'another', waitSeconds: 0 }
  expect((await server.client.post('/api/v1/runner/leases', work, { key: site.runnerToken })).status).toBe(503)
  expect((await server.client.get(`/api/v1/agent-runs/${held.id}`)).body.data.state).toBe('running')
  expect((await server.client.get('/readyz')).status).toBe(503)
  expect((await attempt.beat()).body.data.signal).toBe('drain')
  blocker.run('rollback')
  blocker.close()
  expect(await ended).toBe(0)

  const next = await site.start()
  expect((await next.client.post(`/api/v1/agent-runs/${slow.id}/cancel`)).status).toBe(200)
  await inState(next.client, slow.id, 'canceled')
  await expectWhole(next.client, slow.id)
  // A runner without time to drain continues with the next server.
  attempt.moveTo(next.client)
  expect((await attempt.beat()).body.data.signal).toBe('continue')
  expect((await attempt.complete({ outcome: 'completed', stopReason: 'end_turn', output: 'done' })).status).toBe(200)
  expect((await expectWhole(next.client, held.id)).run).toMatchObject({ state: 'completed', attempt: 1 })
  await next.end('SIGTERM')
})

test.concurrent('a runner that waits for work when the server shuts down is told that there is none', async () => {
  const site = await siteOf({ TROUPE_RUNNER: 'none' })
  const server = await site.start()
  const waiting = server.client.post(
    '/api/v1/runner/leases',
    { machineId: 'patient', waitSeconds: 25 },
    { key: site.runnerToken },
  )
  await eventually('a runner that waits', async () => {
    const { body } = await server.client.get('/metrics')
    return String(body).includes('troupe_runners_waiting 1\n')
  })
  const settled = waiting.then(
    ({ status }) => status,
    () => 'cut off',
  )
  expect(await server.end('SIGTERM')).toBe(0)
  expect([204, 503]).toContain((await settled) as number)
})
