/** Requests for work: waiting, slots, disconnected runners, expired leases, server restarts. Source: contract 5. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client } from '../../support/client.ts'
import { endAll, eventually, Site } from '../../support/process.ts'
import { expectWhole, expectWholeStream, getRun, inState, start, stepsOf } from '../../support/run-records.ts'
import { askForWork, completed, type HeldAttempt, lease } from '../../support/simulated-runner.ts'

/** Long enough for a few calls on an overloaded machine, since the holder of a lease must be faster. */
const leaseMs = 2_000
const sites: Site[] = []
async function newSite(environment: Record<string, string> = {}) {
  const site = await Site.create({ TROUPE_RUNNER: 'none', TROUPE_ATTEMPT_BACKOFF_MS: '20', ...environment })
  sites.push(site)
  return { site, server: await site.start() }
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

/** Leases with the site's token. */
const leaser =
  (site: Site, client: Client) =>
  (options: object = {}) =>
    lease(client, site.runnerToken, options)
async function finish(attempt: HeldAttempt) {
  expect((await attempt.boot()).status).toBe(200)
  expect((await attempt.complete(completed('done'))).status).toBe(200)
}

describe('a request for work', () => {
  let client: Client
  let token: string
  let leased: (options?: object) => Promise<HeldAttempt>
  beforeAll(async () => {
    const { site, server } = await newSite()
    client = server.client
    token = site.runnerToken
    leased = leaser(site, client)
  })
  test('without work and without waiting gets 204', async () => {
    const { status, body } = await askForWork(client, token, { waitSeconds: 0 })
    expect({ status, body }).toEqual({ status: 204, body: undefined })
  })
  test('waits, and gets 204 if there is none', async () => {
    expect((await askForWork(client, token, { waitSeconds: 1 })).status).toBe(204)
  })
  test('that waits gets the run that starts meanwhile', async () => {
    const waiting = askForWork(client, token, { waitSeconds: 25 })
    const { id } = await start(client, '/say hi')
    const { status, body } = await waiting
    expect({ status, id: body.data.lease.agentRunId }).toEqual({ status: 200, id })
    await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('of many concurrent ones, each run goes to one', async () => {
    const waiting = Array.from({ length: 12 }, () => askForWork(client, token, { waitSeconds: 1 }))
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await start(client, '/say hi')).id as string))
    const answers = await Promise.all(waiting)
    const given = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.lease.agentRunId)
    expect(given.sort()).toEqual(ids.sort())
    for (const id of ids) await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('gets the oldest run first', async () => {
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.push((await start(client, '/say hi')).id)
    const given: string[] = []
    for (const _ of ids) given.push((await leased()).runId)
    expect(given).toEqual(ids)
    for (const id of ids) await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('does not get a run that was canceled while queued', async () => {
    const { id } = await start(client, '/say hi')
    expect((await client.post(`/api/v1/agent-runs/${id}/cancel`)).body.data.state).toBe('canceled')
    const other = await start(client, '/say hi')
    expect((await leased({ waitSeconds: 1 })).runId).toBe(other.id)
    await client.post(`/api/v1/agent-runs/${other.id}/cancel`)
  })
  test('of a machine with one slot is refused while the slot is held, and the run goes to another machine', async () => {
    const one = await start(client, '/say one')
    const two = await start(client, '/say two')
    const held = await leased({ machineId: 'single' })
    expect(held.runId).toBe(one.id)
    expect((await askForWork(client, token, { machineId: 'single', waitSeconds: 0 })).status).toBe(204)
    expect((await askForWork(client, token, { machineId: 'single', slots: 1, waitSeconds: 0 })).status).toBe(204)
    expect((await leased({ machineId: 'other' })).runId).toBe(two.id)
    await finish(held)
    const three = await start(client, '/say three')
    expect((await leased({ machineId: 'single' })).runId).toBe(three.id)
    for (const { id } of [two, three]) await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('of a machine with held slots does not change the order of the queue', async () => {
    const held = await start(client, '/say held')
    expect((await leased({ machineId: 'full' })).runId).toBe(held.id)
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push((await start(client, '/say hi')).id)
    expect((await askForWork(client, token, { machineId: 'full', waitSeconds: 0 })).status).toBe(204)
    for (const id of ids) expect((await leased()).runId).toBe(id)
    for (const id of [held.id, ...ids]) await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('of a machine with two slots gets two', async () => {
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push((await start(client, '/say hi')).id)
    const [one, two] = [
      await leased({ machineId: 'double', slots: 2 }),
      await leased({ machineId: 'double', slots: 2 }),
    ]
    expect([one.runId, two.runId]).toEqual(ids.slice(0, 2))
    expect((await askForWork(client, token, { machineId: 'double', slots: 2, waitSeconds: 0 })).status).toBe(204)
    await finish(one)
    expect((await leased({ machineId: 'double', slots: 2 })).runId).toBe(ids[2] as string)
    expect((await two.beat()).body.data.signal).toBe('continue')
    for (const id of ids) await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('of a runner that has disconnected takes no run', async () => {
    const gone = new AbortController()
    const asked = Array.from({ length: 10 }, (_, index) => {
      const body = { machineId: `gone-${index}`, waitSeconds: 25 }
      return client.raw('POST', '/api/v1/runner/leases', body, { key: token, signal: gone.signal }).then(
        ({ status }) => status,
        () => 'gone',
      )
    })
    // Requests on the same connection are answered in order: the waiting requests exist, and then they do not.
    for (let count = 0; count < 3; count += 1) await client.get('/healthz')
    gone.abort()
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['gone']))
    for (let count = 0; count < 3; count += 1) await client.get('/healthz')
    const { id } = await start(client, '/say hi', { maxRetries: 0 })
    expect((await leased()).runId).toBe(id)
    expect((await getRun(client, id)).attempt).toBe(1)
    await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
})

describe('a lease that is not renewed', () => {
  let client: Client
  let leased: (options?: object) => Promise<HeldAttempt>
  beforeAll(async () => {
    const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: `${leaseMs}` })
    client = server.client
    leased = leaser(site, client)
  })
  test('is lost: the run is queued, and no report of the stale attempt counts', async () => {
    const { id } = await start(client, '/say hi')
    const stale = await leased()
    await stale.boot()
    const step = await stale.begin({ kind: 'model', name: 'sandbox' })
    const next = await leased()
    expect([next.runId, next.assignment.attempt, next.assignment.chainAttempt]).toEqual([id, 2, 2])
    await next.boot()
    await eventually('a run in its second attempt', async () => (await getRun(client, id)).attempt === 2)
    const before = [await stepsOf(client, id), (await expectWhole(client, id)).transitions]
    for (const [name, report] of Object.entries(stale.everyCall(step))) {
      await next.beat()
      const { status, body } = await report()
      expect({ name, status, code: body.error?.code }).toEqual({ name, status: 409, code: 'stale_attempt' })
    }
    const after = [await stepsOf(client, id), (await expectWhole(client, id)).transitions.slice(0, before[1]?.length)]
    expect(after).toEqual(before)
    expect(before[0]?.find(({ agentStepId }) => agentStepId === step)).toMatchObject({
      status: 'failed',
      error: { code: 'lease_lost' },
    })
    const { transitions } = await expectWhole(client, id)
    expect(transitions.find(({ event }) => event === 'attemptLost')).toMatchObject({
      from: 'running',
      to: 'queued',
      reason: { code: 'lease_lost' },
      actor: { type: 'system' },
    })
    await client.post(`/api/v1/agent-runs/${id}/cancel`)
  })
  test('fails the run if no attempt is left', async () => {
    const { id } = await start(client, '/say hi', { maxRetries: 1 })
    for (const attempt of [1, 2]) {
      const held = await leased()
      expect([held.runId, held.assignment.attempt]).toEqual([id, attempt])
      // The first one never boots.
      if (attempt === 2) await held.boot()
    }
    expect(await inState(client, id, 'failed')).toMatchObject({ attempt: 2, stateReason: { code: 'lease_lost' } })
    await expectWhole(client, id)
    await expectWholeStream(client, id)
  })
  test('cancels the run if it was canceling', async () => {
    const { id } = await start(client, '/say hi')
    const held = await leased()
    await held.boot()
    await client.post(`/api/v1/agent-runs/${id}/cancel`)
    await inState(client, id, 'canceled')
    await expectWhole(client, id)
    expect((await held.complete({ outcome: 'canceled' })).body.error.code).toBe('stale_attempt')
  })
  test('and a renewed one is not', async () => {
    const { id } = await start(client, '/say hi', { maxRetries: 0 })
    const held = await leased()
    await held.boot()
    const until = Date.now() + 2 * leaseMs
    while (Date.now() < until) {
      expect((await held.beat()).status).toBe(200)
      await Bun.sleep(20)
    }
    await held.complete(completed('hi'))
    expect(await getRun(client, id)).toMatchObject({ state: 'completed', attempt: 1 })
  })
})

test.concurrent('a cancel that the runner never answers is completed after the grace period', async () => {
  const { site, server } = await newSite({ TROUPE_CANCEL_GRACE_MS: '200' })
  const { client } = server
  const { id } = await start(client, '/say hi')
  const held = await leaser(site, client)()
  await held.boot()
  await client.post(`/api/v1/agent-runs/${id}/cancel`)
  await inState(client, id, 'canceled')
  const { transitions } = await expectWhole(client, id)
  expect(transitions.at(-1)).toMatchObject({ from: 'canceling', event: expect.any(String), actor: { type: 'system' } })
  expect((await held.complete({ outcome: 'canceled' })).body.error.code).toBe('stale_attempt')
})

test.concurrent('a runner continues its attempt with the restarted server', async () => {
  const { site, server } = await newSite()
  const [one, two, three] = [
    await start(server.client, '/say one', { maxRetries: 0 }),
    await start(server.client, '/say two', { maxRetries: 0 }),
    await start(server.client, '/say three', { maxRetries: 0 }),
  ]
  const machine = { machineId: 'survivor', slots: 3 }
  const held = [await leaser(site, server.client)(machine), await leaser(site, server.client)(machine)]
  const [booted, leasedOnly] = held as [HeldAttempt, HeldAttempt]
  await booted.boot()
  const model = await booted.begin({ kind: 'model', name: 'sandbox', execution: { provider: 'sandbox' } })
  const tool = await booted.begin({ kind: 'tool', name: 'ask', execution: { toolCallId: 'call_1' } })
  await booted.endStep(tool, { status: 'waiting' })
  const key = { headers: { 'idempotency-key': 'again' } }
  const before = await booted.startStep({ kind: 'model', name: 'sandbox' }, key)
  await server.end('SIGKILL')

  const { client, end } = await site.start()
  for (const attempt of held) attempt.moveTo(client)
  // More work for the machine must not take the slots of its attempts.
  const more = await leaser(site, client)(machine)
  expect(more.runId).toBe(three.id)
  expect((await askForWork(client, site.runnerToken, { ...machine, waitSeconds: 0 })).status).toBe(204)
  for (const attempt of held) expect((await attempt.beat()).status).toBe(200)
  // The answers to these may have been lost with the server.
  expect((await booted.boot()).body.data).toMatchObject({ state: 'running', attempt: 1 })
  expect((await booted.startStep({ kind: 'model', name: 'sandbox' }, key)).body.data).toEqual(before.body.data)
  expect((await leasedOnly.boot()).body.data).toMatchObject({ state: 'running', attempt: 1 })
  const ended = await booted.endStep(model, { status: 'completed', execution: { finishReason: 'stop' } })
  expect(ended.body.data.execution).toMatchObject({ provider: 'sandbox', finishReason: 'stop' })
  expect((await booted.endStep(tool, { status: 'completed', output: 1 })).body.data.execution.toolCallId).toBe('call_1')
  const step = await booted.begin({ kind: 'model', name: 'sandbox' })
  const [root] = await stepsOf(client, one.id)
  expect((await stepsOf(client, one.id)).find(({ agentStepId }) => agentStepId === step)).toMatchObject({
    parentAgentStepId: root.agentStepId,
    attempt: 1,
    agent: { name: 'Assistant' },
  })
  for (const attempt of held) expect((await attempt.complete(completed('done'))).status).toBe(200)
  await finish(more)
  for (const { id } of [one, two, three]) {
    expect((await expectWhole(client, id)).run).toMatchObject({ state: 'completed', attempt: 1 })
    await expectWholeStream(client, id)
  }
  await end('SIGTERM')
})

test.concurrent('a runner that died with the server loses its run one lease later, which costs no retry', async () => {
  const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: `${leaseMs}` })
  const { id } = await start(server.client, '/say hi', { maxRetries: 0 })
  await (await leaser(site, server.client)({ machineId: 'victim' })).boot()
  await server.end('SIGKILL')
  const { client, end } = await site.start()
  const next = await leaser(site, client)()
  expect([next.runId, next.assignment.attempt]).toEqual([id, 2])
  await finish(next)
  expect((await expectWhole(client, id)).run.state).toBe('completed')
  await end('SIGTERM')
})

test.concurrent('a runner that dies after it has returned to the server costs a retry', async () => {
  const { site, server } = await newSite({ TROUPE_LEASE_TTL_MS: `${3 * leaseMs}` })
  const { id } = await start(server.client, '/say hi', { maxRetries: 0 })
  const held = await leaser(site, server.client)()
  await held.boot()
  await server.end('SIGKILL')
  const { client, end } = await site.start()
  held.moveTo(client)
  expect((await held.beat()).status).toBe(200)
  await inState(client, id, 'failed')
  expect((await expectWhole(client, id)).run).toMatchObject({ attempt: 1, stateReason: { code: 'lease_lost' } })
  await end('SIGTERM')
})
