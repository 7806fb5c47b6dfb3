/** Faults of two servers that share a store while each assumes to be alone: a test for each. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { deployed, type Shop, serving, startShop } from '../support/cluster/shop.ts'
import { eventually } from '../support/process.ts'
import { getRun, inState, start } from '../support/run-records.ts'
import { data } from '../support/world/replies.ts'

const systemAgent = '/api/v1/system-agents/agt_system_assistant'
const runs = '/api/v1/agent-runs'

describe.skipIf(!clusterIsPossible())('two servers', () => {
  let cluster: Cluster
  let shop: Shop
  let a: ClusterServer
  let b: ClusterServer

  beforeAll(async () => {
    shop = startShop()
    cluster = await Cluster.start({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' }, 2)
    ;[a, b] = cluster.servers as [ClusterServer, ClusterServer]
  })
  afterAll(async () => {
    await cluster?.stop()
    shop.stop()
  })

  test('know each other, and every slot has one owner', async () => {
    const processes = await eventually('two servers that share the slots', async () => {
      const { items } = (await a.client.get('/api/v1/processes')).body.data as { items: { slots: number[] }[] }
      return items.length === 2 && items.every(({ slots }) => slots.length === 32) && items
    })
    const slots = processes.flatMap((each) => each.slots).sort((one, other) => one - other)
    expect(slots).toEqual(Array.from({ length: 64 }, (_, slot) => slot))
    const ready = (await b.client.get('/readyz')).body
    expect(ready).toMatchObject({ status: 'ready', process: { clock: 'ok' } })
    expect(ready.process.slots).toHaveLength(32)
  })

  test('let a write in progress continue when another server starts', async () => {
    const { path, agentId, environmentId } = await serving(cluster.client, shop)
    const gate = Promise.withResolvers<void>()
    shop.gate = gate.promise
    const query = '/call send {"about": "once"}\n/say Sent'
    const { id } = await data(a.client.post(runs, { agentId, environmentId, query }))
    await eventually('a call of the shop', () => shop.queries.get('once') === 1)
    const c = await cluster.join()
    await eventually(
      'a server that has slots',
      async () => (await c.client.get('/readyz')).body.process.slots.length > 0,
    )
    const invocations = async () =>
      (await c.client.get(`${path}/operation-invocations`, { query: { agentRunId: id } })).body.data.items
    expect((await invocations()).map(({ state }: { state: string }) => state)).toEqual(['running'])
    gate.resolve()
    shop.gate = undefined
    await inState(c.client, id, 'completed')
    expect((await invocations()).map(({ state }: { state: string }) => state)).toEqual(['succeeded'])
    expect(shop.queries.get('once')).toBe(1)
    expect(await c.end('SIGTERM')).toBe(0)
  })

  test('both serve a Deployment at once that one of them activates', async () => {
    const { path, agentId, environmentId, deploymentId } = await deployed(a.client, shop)
    const begin = (server: ClusterServer) => server.client.post(runs, { agentId, environmentId, query: '/say Hi' })
    for (const server of [a, b]) expect((await begin(server)).body.error.code).toBe('no_active_deployment')
    await data(a.client.post(`${path}/activations`, { deploymentId, expectedGeneration: 0 }))
    expect((await begin(b)).status).toBe(200)
    await data(a.client.patch(path.split('/environments')[0]!, { status: 'paused' }))
    expect((await begin(b)).body.error.code).toBe('project_paused')
  })

  test('both refuse a System Agent that one of them disables', async () => {
    const begin = () => b.client.post(runs, { agentId: 'agt_system_assistant', query: '/say Hi' })
    expect((await begin()).status).toBe(200)
    await data(a.client.patch(systemAgent, { enabled: false }))
    await eventually('a refusal', async () => (await begin()).status === 404)
    await data(a.client.patch(systemAgent, { enabled: true }))
    // a refusal queries the store first
    expect((await begin()).status).toBe(200)
  })

  test('both refuse a key that one of them revokes, from the next request on', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const { id, secret } = await data<{ id: string; secret: string }>(
        a.client.post('/api/v1/api-keys', { name: `Key ${round}`, operations: ['agent-runs:list'] }),
      )
      const asked = () => b.client.get(runs, { key: secret })
      expect((await asked()).status).toBe(200)
      await data(a.client.post(`/api/v1/api-keys/${id}/revoke`))
      expect((await asked()).status).toBe(401)
    }
  })

  test('start one run for an Idempotency-Key, at any server', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const headers = { 'idempotency-key': `key-${round}` }
      const body = { agentId: 'agt_system_assistant', query: '/say Hi' }
      const replies = await Promise.all([a, b, a, b].map(({ client }) => client.post(runs, body, { headers })))
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(replies.map((reply) => reply.body.data.id)).size).toBe(1)
    }
  })

  test('continue a run once for an Idempotency-Key, at any server', async () => {
    const body = { agentId: 'agt_system_assistant', query: '/say Hi' }
    const { id } = (await a.client.post(runs, body)).body.data
    for (let round = 1; round <= 3; round += 1) {
      await inState(b.client, id, 'completed')
      const headers = { 'idempotency-key': `continue-${round}` }
      const replies = await Promise.all(
        [a, b, a, b].map(({ client }) => client.post(`${runs}/${id}/continue`, { query: '/say More' }, { headers })),
      )
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    }
    await inState(b.client, id, 'completed')
  })

  test('run one turn of a conversation at a time, at any server', async () => {
    const body = { agentId: 'agt_system_assistant', threadKey: 'talk', query: '/say Hi' }
    const replies = await Promise.all([a, b, a, b].map(({ client }) => client.post(runs, body)))
    const begun = replies.filter(({ status }) => status === 200)
    expect(begun.length).toBeGreaterThan(0)
    expect(new Set(begun.map((reply) => reply.body.data.id)).size).toBe(1)
  })

  test('cancel a call over MCP by one request to the other server, before the call, while Redis is away or during the call', async () => {
    const say = (server: ClusterServer, body: object) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${cluster.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-session-id': 'session-of-the-test',
          'mcp-protocol-version': '2025-06-18',
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      })
    const params = { name: 'agt_system_assistant', arguments: { query: '/sleep 60000' } }
    const call = (id: number) => say(a, { id, method: 'tools/call', params })
    const cancel = async (requestId: number) => {
      await (await say(b, { method: 'notifications/cancelled', params: { requestId } })).text()
    }
    const canceled = async (answer: Response) => {
      expect(await answer.text()).toContain('canceled')
      await inState(b.client, answer.headers.get('x-troupe-run') as string, 'canceled')
    }

    const meanwhile = await call(1)
    await cancel(1)
    await canceled(meanwhile)

    await cancel(2)
    await canceled(await call(2))

    const unheard = await call(3)
    b.redis.cut()
    await cancel(3)
    b.redis.mend()
    await canceled(unheard)
  })

  test('give a webhook five deliveries at once, and each event once', async () => {
    const { path, agentId, environmentId } = await serving(cluster.client, shop)
    const seen: string[] = []
    let [now, most] = [0, 0]
    const receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        now += 1
        most = Math.max(most, now)
        seen.push(request.headers.get('webhook-id') ?? '')
        await Bun.sleep(50)
        now -= 1
        return new Response()
      },
    })
    await data(
      cluster.client.post(`${path}/webhooks`, {
        endpointUrl: `http://127.0.0.1:${receiver.port}`,
        eventTypes: ['run.completed'],
      }),
    )
    const made = await Promise.all(
      Array.from({ length: 30 }, () => data(cluster.client.post(runs, { agentId, environmentId, query: '/say Hi' }))),
    )
    for (const { id } of made) await inState(cluster.client, id, 'completed')
    await eventually('all deliveries', () => new Set(seen).size >= made.length)
    expect(seen).toHaveLength(made.length)
    expect(most).toBeLessThanOrEqual(5)
    void receiver.stop(true)
  })

  test('are replaced one after the other without an error for clients', async () => {
    const { client } = cluster
    const begun: string[] = []
    let going = true
    const work = async () => {
      while (going) {
        const { status, body } = await client.post(runs, {
          agentId: 'agt_system_assistant',
          query: '/sleep 300\n/say Hi',
        })
        expect({ status, body }).toMatchObject({ status: 200 })
        begun.push(body.data.id)
        expect((await client.get(`${runs}/${body.data.id}`)).status).toBe(200)
      }
    }
    const workers = [work(), work(), work()]
    const long = await start(client, '/sleep 3000\n/call calculator {"expression": "6*7"}\n/say Long')
    for (const old of [...cluster.servers]) {
      await cluster.join()
      expect(await old.end('SIGTERM')).toBe(0)
    }
    going = false
    await Promise.all(workers)
    ;[a, b] = cluster.servers as [ClusterServer, ClusterServer]
    expect(begun.length).toBeGreaterThan(20)
    for (const id of [long.id, ...begun]) {
      const run = await inState(client, id, 'completed', 'failed')
      expect(run).toMatchObject({ id, state: 'completed' })
    }
  })

  test('take over the runs of a killed one', async () => {
    const c = await cluster.join()
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, index) => start(c.client, `/sleep 2000\n/say ${index}`)),
    )
    await eventually('an attempt', async () => (await getRun(a.client, begun[0]!.id)).state === 'running')
    await c.kill()
    for (const { id } of begun)
      expect((await inState(cluster.client, id, 'completed', 'failed')).state).toBe('completed')
  })
})
