/**
 * The server ends while calls that must not be repeated are admitted, but not sent: their connection to the other
 * system is not open yet. The next one sends them, once. Source: contract 5, "not repeated"; contract 6.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { certificateFor } from '../platform/outbound/certificates.ts'
import type { Client } from '../support/client.ts'
import { endAll, eventually, type Server, Site } from '../support/process.ts'
import { placesAt } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'
import { callOperation, operation } from '../support/world/shop.ts'

/** A shop with TLS behind a gate: while it is closed, connections are accepted, and get no answer. */
async function openGatedShop() {
  const identity = certificateFor(['127.0.0.1'])
  const keys: (string | null)[] = []
  const shop = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    tls: identity,
    fetch(request) {
      keys.push(request.headers.get('idempotency-key'))
      return Response.json({ count: keys.length })
    },
  })
  const waiting = new Set<Socket>()
  const gated = { certificate: identity.cert, keys, waiting, isOpen: false, url: '', stop: () => {} }
  const gate = createServer((socket) => {
    socket.on('error', () => {})
    if (!gated.isOpen) {
      waiting.add(socket)
      socket.on('close', () => waiting.delete(socket)).resume()
      return
    }
    const through = dial(Number(shop.port), '127.0.0.1')
    through.on('error', () => socket.destroy())
    socket.on('close', () => through.destroy())
    socket.pipe(through).pipe(socket)
  })
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve))
  gated.url = `https://127.0.0.1:${(gate.address() as { port: number }).port}`
  gated.stop = () => {
    for (const socket of waiting) socket.destroy()
    gate.close()
    void shop.stop(true)
  }
  return gated
}

let site: Site
let shop: Awaited<ReturnType<typeof openGatedShop>>
let server: Server
let served: { path: string; agentId: string; environmentId: string }
beforeAll(async () => {
  shop = await openGatedShop()
  site = await Site.create({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_ATTEMPT_BACKOFF_MS: '1' })
  await Bun.write(join(site.folder, 'ca.pem'), shop.certificate)
  server = await start()
  const places = await placesAt(server.client)
  const place = await places.place()
  const tools = [{ kind: 'operation', name: 'send', operation: 'shop.send' }]
  const agent = await places.agent(place, { tools }, ['shop.send'], 'clerk')
  const definitions = [
    await places.operations(place, 'shop', [operation('send')]),
    await places.define(place, 'ship', 'workflow', { params: {}, steps: [{ id: 'one', operation: 'shop.send' }] }),
  ]
  const { agentId } = agent
  await places.connection(place, { kind: 'http', settings: { baseUrl: shop.url }, agentId, bindingKey: 'shop' })
  await places.serve(place, [agent], definitions)
  served = { path: place.path, agentId, environmentId: place.environmentId }
})
afterAll(async () => {
  await endAll()
  shop?.stop()
  await site?.remove()
})

const start = () => site.start({ NODE_EXTRA_CA_CERTS: join(site.folder, 'ca.pem') })

/** A step of a workflow run, the call of a run, and the call of a request: all of them admitted, none sent. */
async function admitted(client: Client) {
  const { path, agentId } = served
  shop.isOpen = false
  shop.keys.length = 0
  const { workflowRunId } = await data<{ workflowRunId: string }>(
    client.post(`${path}/workflows`, { agentId, definitionIdOrName: 'ship', params: {} }),
  )
  const runId = await callOperation(client, served, 'send')
  const asked = client
    .post(`${path}/agents/${agentId}/operations/shop.send/invoke`, { input: {} })
    .catch(() => undefined)
  await eventually('three connections', () => shop.waiting.size === 3)
  return { workflowRunId, runId, asked }
}

/** Every call has been sent once, and its outcome is known. */
async function expectSent(client: Client, { workflowRunId, runId }: { workflowRunId: string; runId: string }) {
  const { path } = served
  const ended = async (at: string) => {
    const { body } = await client.get(at)
    return ['completed', 'failed', 'unknown'].includes(body.data.state) && body.data
  }
  const workflow = await eventually('the end of the workflow', () => ended(`${path}/workflows/${workflowRunId}`))
  expect(workflow).toMatchObject({ state: 'completed', steps: [{ state: 'succeeded', attempts: 1 }] })
  const run = await eventually('the end of the run', () => ended(`/api/v1/agent-runs/${runId}`))
  expect(run.state).toBe('completed')
  const { items } = (await client.get(`/api/v1/agent-runs/${runId}/steps`, { query: { limit: 100 } })).body.data
  expect(JSON.stringify(items)).not.toContain('Outcome unknown')
  const invocations = await eventually('the end of all calls', async () => {
    const { items } = (await client.get(`${path}/operation-invocations`, { query: { limit: 3 } })).body.data
    return (items as { id: string; state: string }[]).every(({ state }) => state !== 'running') && items
  })
  expect((invocations as { state: string }[]).map(({ state }) => state)).toEqual(Array(3).fill('succeeded'))
  expect([...shop.keys].sort()).toEqual((invocations as { id: string }[]).map(({ id }) => id).sort())
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s before calls are sent: the next start sends each once',
  async (signal) => {
    const calls = await admitted(server.client)
    expect(shop.keys).toEqual([])
    const code = await server.end(signal)
    if (signal === 'SIGTERM') expect(code).toBe(0)
    await calls.asked
    await eventually('no connection', () => shop.waiting.size === 0)
    shop.isOpen = true
    server = await start()
    await expectSent(server.client, calls)
  },
)

test('killed twice before calls are sent: they are sent once', async () => {
  const calls = await admitted(server.client)
  await server.end('SIGKILL')
  await eventually('no connection', () => shop.waiting.size === 0)
  server = await start()
  await eventually('three connections of the next one', () => shop.waiting.size === 3)
  await server.end('SIGKILL')
  shop.isOpen = true
  server = await start()
  await expectSent(server.client, calls)
})
