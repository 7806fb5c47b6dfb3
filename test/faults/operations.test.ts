/**
 * The server is killed while operations are approved and executed. Source: contract 5, "not repeated"; contract 6;
 * design 3.
 */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { endAll, eventually, type Server, Site } from '../support/process.ts'
import { data } from '../support/world/replies.ts'
import { callOperation, operation, type Shop, serveShop, startShop } from '../support/world/shop.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  shop?.stop()
  for (const site of sites) await site.remove()
})

const operations = [
  operation('ask', { approval: 'always' }),
  operation('send'),
  operation('put', { idempotent: true }),
  operation('sendApproved', { approval: 'always' }),
  operation('putApproved', { approval: 'always', idempotent: true }),
  operation('get', { idempotent: true }),
  operation('halfway', { idempotent: true }),
  operation('hand', { handler: { type: 'agent', agent: 'clerk', query: '/call get {}\n/say Handed' } }),
]

/** A server whose Agent has these operations. */
async function serving(shop: Shop) {
  const site = await Site.create({
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_ATTEMPT_BACKOFF_MS: '1',
  })
  sites.push(site)
  const server = await site.start()
  return { site, server, ...(await serveShop(server.client, shop, operations)) }
}

const inState = (client: Client, id: string, ...states: string[]) =>
  eventually(`${id} ${states}`, async () => {
    const { data: run } = (await client.get(`/api/v1/agent-runs/${id}`)).body
    return states.includes(run.state) && (run as { state: string })
  })
const callsOf = async (client: Client, id: string) => {
  const { items } = (await client.get(`/api/v1/agent-runs/${id}/steps`, { query: { limit: 100, order: 'desc' } })).body
    .data
  const tools = (items as { kind: string; status: string; error: { code: string; message: string } | null }[]).filter(
    ({ kind }) => kind === 'tool',
  )
  return tools
}
const invocationOf = async (client: Client, path: string, agentRunId: string) =>
  (await client.get(`${path}/operation-invocations`, { query: { agentRunId } })).body.data.items as {
    id: string
    state: string
    approvalId: string
  }[]
const approve = (client: Client, path: string, approvalId: string) =>
  client.post(`${path}/operation-approvals/${approvalId}/approve`)

let shop: Shop
let served: Awaited<ReturnType<typeof serving>>
let server: Server
beforeAll(async () => {
  shop = startShop()
  served = await serving(shop)
  server = served.server
})

/**
 * Kills the server, and starts another one on its store; `half` are runs whose cancellation was the last thing it
 * wrote.
 */
async function kill(...half: string[]): Promise<Client> {
  await server.end('SIGKILL')
  const database = new Database(served.site.storePath)
  for (const id of half) database.run("update runs set state = 'canceling' where id = ?", [id])
  database.close()
  server = await served.site.start()
  return server.client
}
/** A run that waits for its approval. */
async function waiting(tool: string) {
  const { client } = server
  const id = await callOperation(client, served, tool)
  await inState(client, id, 'awaitingToolResult')
  const [invocation] = await invocationOf(client, served.path, id)
  return { id, approvalId: invocation!.approvalId }
}
/** A run that waits for the run that its call started. */
async function handing() {
  const { client } = server
  const id = await callOperation(client, served, 'hand')
  await inState(client, id, 'awaitingToolResult')
  const [invocation] = await invocationOf(client, served.path, id)
  return { id, child: invocation!.id.replace('opi_', 'run_') }
}
const askedFor = (path: string) => shop.asked.filter((asked) => asked.path === path)

test('killed during all kinds of calls: nothing is lost, only repeatable calls are repeated, and unknown outcomes are unknown', async () => {
  const { path } = served
  const pending = await waiting('ask')
  const [send, put] = [await waiting('sendApproved'), await waiting('putApproved')]
  shop.silent = true
  for (const { approvalId } of [send, put]) expect((await approve(server.client, path, approvalId)).status).toBe(200)
  const [direct, again] = [
    await callOperation(server.client, served, 'send'),
    await callOperation(server.client, served, 'put'),
  ]
  const [handed, canceled] = [await handing(), await handing()]
  const half = await callOperation(server.client, served, 'halfway')
  await eventually('seven requests', () => shop.asked.length === 7)
  await data(server.client.post(`/api/v1/agent-runs/${canceled.id}/cancel`))
  shop.silent = false
  const client = await kill(half)

  expect((await approve(client, path, pending.approvalId)).status).toBe(200)
  const runs = [pending.id, send.id, put.id, direct, again, handed.id, handed.child]
  await Promise.all(runs.map((id) => inState(client, id, 'completed')))
  await inState(client, canceled.child, 'canceled')
  await inState(client, half, 'canceled')
  expect(await invocationOf(client, path, half)).toMatchObject([{ state: 'failed', error: { code: 'call_canceled' } }])
  expect(askedFor('/halfway')).toHaveLength(1)
  const states = async (id: string) => (await invocationOf(client, path, id)).map(({ state }) => state)
  expect(await Promise.all([pending.id, send.id, put.id, direct, again].map(states))).toEqual([
    ['succeeded'],
    ['unknown'],
    ['succeeded'],
    ['unknown'],
    ['succeeded'],
  ])
  const counts = ['ask', 'sendApproved', 'putApproved', 'send', 'put'].map((name) => askedFor(`/${name}`).length)
  expect(counts).toEqual([1, 1, 2, 1, 2])
  expect(await states(handed.id)).toEqual(['succeeded'])
  expect((await callsOf(client, handed.id))[0]).toMatchObject({ status: 'completed', output: 'Handed' })
  // twice for the run that continues, once for the canceled one
  expect(askedFor('/get')).toHaveLength(3)
  expect(new Set(askedFor('/get').map(({ key }) => key)).size).toBe(2)
  const { agentRuns } = (
    await client.get('/api/v1/agent-runs', { query: { agentId: served.agentId, environmentId: served.environmentId } })
  ).body as { agentRuns: { createdBy: { type: string } }[] }
  expect(agentRuns.filter(({ createdBy }) => createdBy.type === 'system')).toHaveLength(2)
  for (const name of ['putApproved', 'put']) {
    expect(new Set(askedFor(`/${name}`).map(({ key }) => key)).size).toBe(1)
  }
  for (const id of [send.id, direct]) {
    const errors = (await callsOf(client, id)).map(({ error }) => error)
    expect(errors).toContainEqual({ code: 'tool_error', message: expect.stringMatching(/^Outcome unknown/) })
  }
})

test('killed right after the answer to an approved write: the run continues, and the write was made once', async () => {
  const { id, approvalId } = await waiting('sendApproved')
  const before = askedFor('/sendApproved').length
  const answered = new Promise<void>((resolve) => {
    shop.onAnswered = resolve
  })
  const approving = approve(server.client, served.path, approvalId).catch(() => undefined)
  await answered
  const client = await kill()
  await approving
  await inState(client, id, 'completed')
  const [invocation] = await invocationOf(client, served.path, id)
  expect(['succeeded', 'unknown']).toContain(invocation!.state)
  expect(askedFor('/sendApproved')).toHaveLength(before + 1)
})

test('a graceful stop waits for a write, and leaves no unknown outcome', async () => {
  const { id, approvalId } = await waiting('sendApproved')
  expect((await approve(server.client, served.path, approvalId)).status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
  server = await served.site.start()
  await inState(server.client, id, 'completed')
  expect(await invocationOf(server.client, served.path, id)).toMatchObject([{ state: 'succeeded' }])
})

test('an operation is called only after everything before it is stored', async () => {
  shop.silent = true
  const asked = shop.asked.length
  const id = await callOperation(server.client, served, 'send')
  await eventually('a call', async () => shop.asked.length > asked)
  await server.end('SIGKILL')
  const database = new Database(served.site.storePath)
  const run = database.query<{ state: string }, [string]>('select state from runs where id = ?').get(id)
  const steps = database.query<{ kind: string; status: string }, [string]>(
    'select kind, status from agent_steps where run_id = ? order by agent_step_id',
  )
  const stored = { run, steps: steps.all(id) }
  database.close()
  shop.silent = false
  server = await served.site.start()
  expect(stored).toEqual({
    run: { state: 'running' },
    steps: [
      { kind: 'agent', status: 'running' },
      { kind: 'model', status: 'completed' },
      { kind: 'tool', status: 'running' },
    ],
  })
  await inState(server.client, id, 'completed', 'failed')
})
