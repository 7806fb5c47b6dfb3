/** The server is killed around forks, on each engine. Source: contract 14, "Fork". */
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../support/process.ts'
import { agentId, expectWhole, expectWholeStream, inState, start } from '../support/run-records.ts'
import { calls, conversation, lease } from '../support/simulated-runner.ts'
import { newMigratedDatabase } from '../support/stores/engine.ts'

const after: (() => Promise<unknown>)[] = []
afterAll(async () => {
  await endAll()
  for (const each of after) await each()
})

const path = '/api/v1/agent-runs'
const quick = { TROUPE_LEASE_TTL_MS: '2000', TROUPE_ATTEMPT_BACKOFF_MS: '1' }

async function placeOn(engine: string): Promise<Site> {
  if (engine === 'sqlite') return Site.create(quick)
  const database = await newMigratedDatabase()
  after.push(() => database.remove())
  const master = `test:${Buffer.alloc(32, 7).toString('base64')}`
  return Site.withoutStore({ ...quick, TROUPE_STORE: database.address, TROUPE_MASTER_KEYS: master })
}

test.each(['sqlite', 'postgres'])(
  'killed right after the answer, on %s: the fork goes on after the restart',
  async (engine) => {
    const site = await placeOn(engine)
    after.unshift(() => site.remove())
    // on an overloaded machine, half a second may pass between two reports
    let server = await site.start({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '60000' })
    const query = '/call calculator {"expression":"1+1"}\n/say done'
    const { id } = await start(server.client, query)
    const attempt = await lease(server.client, site.runnerToken)
    await attempt.boot()
    const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
    const call = { toolCallId: 'call_1', toolName: 'calculator', input: { expression: '1+1' } }
    const body = await attempt.checkpoint(model, conversation([{ role: 'user', content: query }, calls(call)], [call]))
    const { checkpointId } = body.body.data
    const key = { headers: { 'idempotency-key': 'the fork' } }
    const request = { checkpointId, query: '/say afterwards' }
    const answer = await server.client.post(`${path}/${id}/fork`, request, key)
    await server.end('SIGKILL')
    expect(answer.status).toBe(200)

    server = await site.start({ TROUPE_RUNNER: 'none' })
    const fork = answer.body.data.id as string
    const again = await server.client.post(`${path}/${id}/fork`, request, key)
    expect([again.status, again.body.data.id]).toEqual([200, fork])
    const found = await server.client.get(`${path}/${fork}`)
    expect(found.body.data).toMatchObject({ state: 'queued', forkedFrom: { agentRunId: id, checkpointId } })
    await server.end('SIGKILL')

    server = await site.start({ TROUPE_RUNNER: 'embedded' })
    await inState(server.client, fork, 'completed')
    const latest = await server.client.get(`${path}/${fork}/checkpoints/latest`)
    const { messages } = latest.body.data.runtimeCheckpoint
    expect(messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'assistant',
    ])
    await expectWhole(server.client, fork)
    await expectWholeStream(server.client, fork)
    expect(await server.end('SIGTERM')).toBe(0)
  },
)

test('killed while forks are made: each that was answered exists, and each that exists is whole', async () => {
  const site = await Site.create({ ...quick, TROUPE_RUNNER: 'none' })
  after.unshift(() => site.remove())
  let server = await site.start()
  const { id } = await start(server.client, '/say hello')
  const answered: string[] = []
  const forking = Array.from({ length: 8 }, async () => {
    for (;;) {
      const { status, body } = await server.client.post(`${path}/${id}/fork`, {})
      if (status === 200) answered.push(body.data.id)
    }
  })
  const over = Promise.allSettled(forking)
  await eventually('some forks', async () => answered.length > 20)
  await server.end('SIGKILL')
  await over
  server = await site.start()
  for (const fork of answered.slice(-20)) {
    const { status, body } = await server.client.get(`${path}/${fork}`)
    expect([status, body.data?.forkedFrom?.agentRunId, body.data?.agentId]).toEqual([200, id, agentId])
  }
  const { body } = await server.client.get(`${path}?limit=30`)
  for (const run of body.agentRuns) await expectWhole(server.client, run.id)
})

test('killed while a fork makes the open call before its message: neither is lost', async () => {
  const site = await Site.create({ ...quick, TROUPE_RUNNER: 'none' })
  after.unshift(() => site.remove())
  let server = await site.start({ TROUPE_LEASE_TTL_MS: '60000' })
  const query = '/call calculator {"expression":"1+1"}\n/say done'
  const { id } = await start(server.client, query)
  const attempt = await lease(server.client, site.runnerToken)
  await attempt.boot()
  const model = await attempt.begin({ kind: 'model', name: 'sandbox' })
  const call = { toolCallId: 'call_1', toolName: 'calculator', input: { expression: '1+1' } }
  const state = conversation([{ role: 'user', content: query }, calls(call)], [call])
  const { checkpointId } = (await attempt.checkpoint(model, state)).body.data
  await server.client.post(`${path}/${id}/cancel`, undefined, { query: { force: 'true' } })
  const made = await server.client.post(`${path}/${id}/fork`, { checkpointId, query: '/say afterwards' })
  const fork = made.body.data.id as string
  const first = await lease(server.client, site.runnerToken)
  expect(first.runId).toBe(fork)
  expect(first.assignment).toMatchObject({ callsFirst: true, chain: 1, resume: { chain: 0 }, interruptedCalls: [] })
  await first.boot()
  const step = await first.begin({ kind: 'tool', name: 'calculator', execution: { toolCallId: 'call_1' } })
  await first.endStep(step, { status: 'completed', output: { result: 2 } })
  const result = {
    type: 'tool-result',
    toolCallId: 'call_1',
    toolName: 'calculator',
    output: { type: 'json', value: { result: 2 } },
  }
  const answered = [...state.messages, { role: 'tool', content: [result] }]
  expect((await first.checkpoint(step, conversation(answered, [], 2))).status).toBe(422)
  expect((await first.checkpoint(step, conversation(answered, [], 0))).status).toBe(201)
  await server.end('SIGKILL')

  server = await site.start({ TROUPE_RUNNER: 'embedded' })
  await inState(server.client, fork, 'completed')
  const { messages } = (await server.client.get(`${path}/${fork}/checkpoints/latest`)).body.data.runtimeCheckpoint
  expect(messages.slice(0, 3)).toEqual(answered)
  expect(messages[3]).toEqual({ role: 'user', content: '/say afterwards' })
  expect(messages).toHaveLength(5)
})
