/** The server is killed in the middle of everything and started again. Source: design 3, rules 5 and 6; contract 5. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { endAll, eventually, Site } from '../support/process.ts'
import {
  agentId,
  completedCalls,
  expectWhole,
  expectWholeStream,
  getRun,
  inState,
  start,
  stepsOf,
  timesTold,
} from '../support/run-records.ts'
import { awaits, calls, conversation, failed, lease } from '../support/simulated-runner.ts'

const quick = { TROUPE_LEASE_TTL_MS: '2000', TROUPE_ATTEMPT_BACKOFF_MS: '50', TROUPE_CANCEL_GRACE_MS: '400' }
const sites: Site[] = []
const siteOf = async (environment: Record<string, string>) => {
  const site = await Site.create({ ...quick, ...environment })
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const add = (a: number) => `/call calculator {"expression":"${a}+1"}`

/** As stored in the file while no server runs. */
function storedStates(site: Site): Record<string, string> {
  const database = new Database(site.storePath)
  const rows = database.query<{ id: string; state: string }, []>('select id, state from runs').all()
  database.close()
  return Object.fromEntries(rows.map(({ id, state }) => [id, state]))
}

test.concurrent('killed with a run in every state, the server loses none and repeats nothing that was completed', async () => {
  const site = await siteOf({ TROUPE_CANCEL_GRACE_MS: '30000' })
  const before = await site.start({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '60000' })
  const ours = { maxRetries: 10 }
  const queries = {
    starting: '/say from the start',
    running: `${add(1)}\n${add(2)}\n/say in a model call`,
    betweenSteps: `${add(1)}\n${add(2)}\n/say between steps`,
    inTool: `${add(1)}\n/say in a tool`,
    canceling: '/say never',
    awaitingToolResult: '/say thanks for the answer',
    awaitingDelegateResult: '/say thanks, delegate',
    backingOff: '/say at last',
    queued: `${add(1)}\n/say was queued`,
  }
  const ids: Record<string, string> = {}
  const client = before.client
  const lead = async (name: keyof typeof queries) => {
    ids[name] = (await start(client, queries[name], ours)).id
    const attempt = await lease(client, site.runnerToken)
    expect(attempt.runId).toBe(ids[name] as string)
    return attempt
  }
  const running = async (name: keyof typeof queries) => {
    const attempt = await lead(name)
    await attempt.boot()
    return attempt
  }
  const user = (name: keyof typeof queries) => ({ role: 'user', content: queries[name] })
  const first = { toolCallId: 'call_1', toolName: 'calculator', input: { expression: '1+1' } }
  /** A model step that requests the first call, saved by a checkpoint. */
  const asking = async (name: keyof typeof queries, call: { toolCallId: string; toolName: string; input: unknown }) => {
    const attempt = await running(name)
    const model = await attempt.begin({ kind: 'model', name: 'sandbox', input: { messages: 1 } })
    await attempt.endStep(model, { status: 'completed', output: { text: '', toolCalls: [call] } })
    await attempt.checkpoint(model, conversation([user(name), calls(call)], [call]))
    return attempt
  }

  await lead('starting')
  const inModelCall = await running('running')
  await inModelCall.begin({ kind: 'model', name: 'sandbox' })
  // The call is done, its checkpoint is not written yet.
  const between = await asking('betweenSteps', first)
  const done = await between.begin({ kind: 'tool', name: 'calculator', execution: { toolCallId: 'call_1' } })
  await between.endStep(done, { status: 'completed', output: { result: 2 } })
  const tool = await asking('inTool', first)
  await tool.begin({ kind: 'tool', name: 'calculator', execution: { toolCallId: 'call_1' } })
  await running('canceling')
  await client.post(`/api/v1/agent-runs/${ids.canceling}/cancel`)
  const question = { toolCallId: 'call_q', toolName: 'ask', input: {} }
  for (const [name, kind] of [
    ['awaitingToolResult', 'tool'],
    ['awaitingDelegateResult', 'delegate'],
  ] as const) {
    const attempt = await asking(name, question)
    const step = await attempt.begin({ kind, name: 'ask', execution: { toolCallId: 'call_q' } })
    await attempt.endStep(step, { status: 'waiting' })
    await attempt.checkpoint(step, conversation([user(name), calls(question)], [question]), 'suspended')
    expect((await attempt.complete(awaits(kind, 'call_q'))).status).toBe(200)
  }
  const ill = await running('backingOff')
  await ill.complete(failed(true, { retryAfterMs: 700 }))
  ids.queued = (await start(client, queries.queued, ours)).id

  await before.end('SIGKILL')
  const stored = storedStates(site)
  const state = (name: string) => stored[ids[name] as string]
  expect(Object.keys(stored)).toHaveLength(Object.keys(queries).length)
  expect(Object.fromEntries(Object.keys(queries).map((name) => [name, state(name)]))).toEqual({
    starting: 'starting',
    running: 'running',
    betweenSteps: 'running',
    inTool: 'running',
    canceling: 'canceling',
    awaitingToolResult: 'awaitingToolResult',
    awaitingDelegateResult: 'awaitingDelegateResult',
    backingOff: 'queued',
    queued: 'queued',
  })

  const after = await site.start()
  const again = after.client
  expect(await getRun(again, ids.awaitingToolResult as string)).toMatchObject({ state: 'awaitingToolResult' })
  await again.post(`/api/v1/agent-runs/${ids.awaitingToolResult}/continue`, { query: '"blue"' })
  await again.post(`/api/v1/agent-runs/${ids.awaitingDelegateResult}/delegate-results`, {
    toolCallId: 'call_q',
    result: 'done',
  })
  for (const [name, id] of Object.entries(ids)) {
    const end = name === 'canceling' ? 'canceled' : 'completed'
    await inState(again, id, 'completed', 'failed', 'canceled', 'expired')
    const { run } = await expectWhole(again, id)
    expect({ name, state: run.state, reason: run.stateReason }).toEqual({ name, state: end, reason: null })
    const { moves } = await expectWholeStream(again, id)
    expect(moves.at(-1)?.to).toBe(end)
    for (const [call, times] of Object.entries(await completedCalls(again, id))) {
      expect({ name, call, times }).toEqual({ name, call, times: 1 })
    }
    if (end === 'completed') {
      expect({ name, times: await timesTold(again, id, queries[name as keyof typeof queries]) }).toEqual({
        name,
        times: 1,
      })
    }
    // No step that a lost attempt began is still open.
    expect((await stepsOf(again, id)).filter(({ status }) => status === 'running' || status === 'waiting')).toEqual([])
  }
  expect(await completedCalls(again, ids.betweenSteps as string)).toEqual({ call_1: 1, call_2: 1 })
  expect(await completedCalls(again, ids.running as string)).toEqual({ call_1: 1, call_2: 1 })
  await after.end('SIGTERM')
})

test.concurrent('killed repeatedly with the embedded runner: every run ends once and is complete', async () => {
  const site = await siteOf({ TROUPE_RUNNER_SLOTS: '8' })
  const query = (index: number) =>
    `${add(index)}\n/sleep 60\n${add(index)}\n/sleep 60\n${add(index)}\n/sleep 60\n/say done`
  let server = await site.start()
  const ids: string[] = []
  const startSome = async (client: Client) => {
    for (let count = 0; count < 8; count += 1) {
      ids.push((await start(client, query(ids.length), { maxRetries: 10 })).id)
    }
  }
  for (let kills = 0; kills < 3; kills += 1) {
    await startSome(server.client)
    const { client } = server
    const first = ids.at(-8) as string
    await eventually('a run in the middle', async () => (await stepsOf(client, first)).length > 2 + kills)
    await server.end('SIGKILL')
    server = await site.start()
  }
  const { client } = server
  for (const [index, id] of ids.entries()) {
    await inState(client, id, 'completed', 'failed', 'canceled', 'expired')
    const { run, transitions } = await expectWhole(client, id)
    expect({ id, state: run.state, reason: run.stateReason }).toEqual({ id, state: 'completed', reason: null })
    expect(transitions.filter(({ to }) => to === 'completed')).toHaveLength(1)
    await expectWholeStream(client, id)
    expect(await completedCalls(client, id)).toEqual({ call_1: 1, call_2: 1, call_3: 1 })
    expect(await timesTold(client, id, query(index))).toBe(1)
  }
  await server.end('SIGTERM')
})

test.concurrent('killed while clients start runs, the server has every acknowledged run, and none twice', async () => {
  const site = await siteOf({ TROUPE_RUNNER: 'none' })
  const crashed = await site.start()
  const acknowledged = new Map<string, string>()
  const sent: string[] = []
  const post = (url: string, key: string) =>
    fetch(`${url}/api/v1/agent-runs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${site.key}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify({ agentId, query: `run ${key}` }),
    })
  const lane = async () => {
    for (;;) {
      const key = `key-${sent.length}`
      sent.push(key)
      try {
        const answer = await post(crashed.url, key)
        const { data } = (await answer.json()) as { data: { id: string } }
        if (answer.status === 200) acknowledged.set(key, data.id)
      } catch {
        return
      }
    }
  }
  const lanes = Promise.all(Array.from({ length: 24 }, lane))
  await eventually('a load', () => acknowledged.size > 300)
  await crashed.end('SIGKILL')
  await lanes

  const server = await site.start()
  const ids = new Map<string, string>()
  await Promise.all(
    sent.map(async (key) => {
      const answer = await post(server.url, key)
      const { data } = (await answer.json()) as { data: { id: string } }
      expect({ key, status: answer.status }).toEqual({ key, status: 200 })
      if (acknowledged.has(key)) expect(answer.headers.get('idempotency-replayed')).toBe('true')
      ids.set(key, data.id)
    }),
  )
  expect([...acknowledged].filter(([key, id]) => ids.get(key) !== id)).toEqual([])
  await server.end('SIGKILL')
  // One run for each key: acknowledged ones, stored but unacknowledged ones, and those of the second try.
  expect(Object.keys(storedStates(site)).sort()).toEqual([...ids.values()].sort())
})
