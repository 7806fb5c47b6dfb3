/**
 * The server is killed while operations are approved and carried out. Source: contract 5, "not repeated"; contract 6; design 3.
 */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { endAll, eventually, type Server, Site } from '../support/process.ts'
import { data } from '../support/world/replies.ts'

setDefaultTimeout(180_000)
const sites: Site[] = []
const shops: { stop(): void }[] = []
afterAll(async () => {
  await endAll()
  for (const shop of shops) shop.stop()
  for (const site of sites) await site.remove()
})

/** Counts who asks; says nothing as long as it is silent. */
function startShop() {
  const shop = {
    asked: [] as { path: string; key: string | null }[],
    silent: false,
    url: '',
    stop: () => void server.stop(true),
    onAnswered: () => {},
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch(request) {
      shop.asked.push({ path: new URL(request.url).pathname, key: request.headers.get('idempotency-key') })
      if (shop.silent) return new Promise<Response>(() => {})
      setImmediate(() => shop.onAnswered())
      return Response.json({ count: shop.asked.length })
    },
  })
  shop.url = `http://127.0.0.1:${server.port}`
  shops.push(shop)
  return shop
}

const operation = (name: string, changes: object = {}) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  effect: 'write',
  idempotent: false,
  approval: 'never',
  timeoutMs: 60_000,
  handler: { type: 'http', connection: 'shop', method: 'POST', path: `/${name}` },
  ...changes,
})
const operations = [
  operation('ask', { approval: 'always' }),
  operation('send'),
  operation('put', { idempotent: true }),
  operation('sendApproved', { approval: 'always' }),
  operation('putApproved', { approval: 'always', idempotent: true }),
  operation('get', { idempotent: true }),
  operation('halfway', { idempotent: true }),
  operation('hand', { handler: { type: 'agent', agent: 'a', query: '/call get {}\n/say Handed' } }),
]

/** A server whose Agent has these operations. */
async function serving(shop: { url: string }) {
  const site = await Site.create({
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_LEASE_TTL_MS: '1000',
    TROUPE_ATTEMPT_BACKOFF_MS: '1',
  })
  sites.push(site)
  const server = await site.start()
  const { client } = server
  const { id: projectId } = await data(client.post('/api/v1/projects', { slug: 'p', name: 'P' }))
  const project = `/api/v1/projects/${projectId}`
  const environments = await data<{ items: { id: string }[] }>(client.get(`${project}/environments`))
  const environmentId = environments.items[0]!.id
  const path = `${project}/environments/${environmentId}`
  await data(client.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const { id: definitionId } = await data(client.post(`${project}/definitions`, { name: 'shop', kind: 'operations' }))
  const { id: definitionRevisionId } = await data(
    client.post(`${project}/definitions/${definitionId}/revisions`, { source: { operations } }),
  )
  const { id: agentId } = await data(client.post(`${project}/agents`, { slug: 'a', name: 'A' }))
  const { id: agentRevisionId } = await data(
    client.post(`${project}/agents/${agentId}/revisions`, {
      content: {
        instructions: 'Help.',
        tools: operations.map(({ name }) => ({ kind: 'operation', name, operation: `shop.${name}` })),
      },
      grantedOperations: operations.map(({ name }) => `shop.${name}`),
    }),
  )
  const settings = { baseUrl: shop.url }
  await data(client.post(`${path}/connections`, { name: 'Shop', kind: 'http', settings, agentId, bindingKey: 'shop' }))
  const { id: releaseId } = await data(
    client.post(`${project}/releases`, {
      agents: [{ agentId, agentRevisionId }],
      definitions: [{ definitionId, definitionRevisionId }],
    }),
  )
  const head = await data<{ configurationHead: { revisionId: string } }>(client.get(path))
  const { id: configurationRevisionId } = await data(
    client.post(`${path}/configuration-revisions`, { expectedHeadRevisionId: head.configurationHead.revisionId }),
  )
  const { id: deploymentId } = await data(client.post(`${path}/deployments`, { releaseId, configurationRevisionId }))
  await eventually('a Deployment that is ready', async () => {
    return (await client.get(`${path}/deployments/${deploymentId}`)).body.data.state === 'ready'
  })
  await data(client.post(`${path}/activations`, { deploymentId, expectedGeneration: 0 }))
  return { site, server, path, agentId, environmentId }
}

const startRun = async (
  client: Client,
  { agentId, environmentId }: { agentId: string; environmentId: string },
  tool: string,
) =>
  (await data(client.post('/api/v1/agent-runs', { agentId, environmentId, query: `/call ${tool} {}\n/say Done` }))).id
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

let shop: ReturnType<typeof startShop>
let served: Awaited<ReturnType<typeof serving>>
let server: Server
beforeAll(async () => {
  shop = startShop()
  served = await serving(shop)
  server = served.server
})

/** Kills the server, and starts another one on its store; `half` are runs whose cancel was the last thing that it wrote. */
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
  const id = await startRun(client, served, tool)
  await inState(client, id, 'awaitingToolResult')
  const [invocation] = await invocationOf(client, served.path, id)
  return { id, approvalId: invocation!.approvalId }
}
/** A run that waits for the run that its call has started. */
async function handing() {
  const { client } = server
  const id = await startRun(client, served, 'hand')
  await inState(client, id, 'awaitingToolResult')
  const [invocation] = await invocationOf(client, served.path, id)
  return { id, child: invocation!.id.replace('opi_', 'run_') }
}
const askedFor = (path: string) => shop.asked.filter((asked) => asked.path === path)

test('killed with all of it under way: nothing is lost, only what may be is made twice, and nobody pretends to know', async () => {
  const { path } = served
  const pending = await waiting('ask')
  const [send, put] = [await waiting('sendApproved'), await waiting('putApproved')]
  shop.silent = true
  for (const { approvalId } of [send, put]) expect((await approve(server.client, path, approvalId)).status).toBe(200)
  const [direct, again] = [await startRun(server.client, served, 'send'), await startRun(server.client, served, 'put')]
  const [handed, canceled] = [await handing(), await handing()]
  const half = await startRun(server.client, served, 'halfway')
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
  // twice for the run that goes on, once for the one that was canceled
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

test('killed right behind the answer to an approved write: the run goes on, and the write was made once', async () => {
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

test('a planned stop waits for a write, and leaves nothing unknown', async () => {
  const { id, approvalId } = await waiting('sendApproved')
  expect((await approve(server.client, served.path, approvalId)).status).toBe(200)
  expect(await server.end('SIGTERM')).toBe(0)
  server = await served.site.start()
  await inState(server.client, id, 'completed')
  expect(await invocationOf(server.client, served.path, id)).toMatchObject([{ state: 'succeeded' }])
})

test('an operation is called once all that comes before it is stored', async () => {
  shop.silent = true
  const asked = shop.asked.length
  const id = await startRun(server.client, served, 'send')
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
