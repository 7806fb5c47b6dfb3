/** The server, or an external runner, is killed while a delegate works. Source: contract 5; design 3, rules 5 and 6. */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Client, Reply } from '../support/client.ts'
import { endAll, eventually, type RunningProcess, type Server, Site } from '../support/process.ts'
import { checkpointOf, expectWhole, expectWholeStream, inState, stepsOf } from '../support/run-records.ts'

setDefaultTimeout(180_000)

const cleanUps: (() => unknown)[] = []
afterAll(async () => {
  await endAll()
  for (const cleanUp of cleanUps) await cleanUp()
})

/** A shop that records its requests, and holds the first requests for these paths until it is released. */
function openShop(...keepsWaiting: string[]) {
  const asked: string[] = []
  const waiting: PromiseWithResolvers<void>[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const isFirst = !asked.includes(pathname)
      asked.push(pathname)
      if (isFirst && keepsWaiting.includes(pathname)) {
        const released = Promise.withResolvers<void>()
        waiting.push(released)
        await released.promise
      }
      return Response.json({ answers: pathname })
    },
  })
  cleanUps.push(() => server.stop(true))
  return {
    asked,
    url: `http://127.0.0.1:${server.port}`,
    release() {
      for (const { resolve } of waiting.splice(0)) resolve()
    },
  }
}

async function made(reply: Promise<Reply>): Promise<Reply['body']> {
  const { status, body } = await reply
  expect({ status: status < 300, error: body?.error }).toEqual({ status: true, error: undefined })
  return body.data
}

const operation = (name: string, effect: 'read' | 'write') => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  effect,
  idempotent: effect === 'read',
  approval: 'never',
  handler: { type: 'http', connection: 'shop', method: 'POST', path: `/${name}/{{input.n}}` },
})

/** Deploys a lead that delegates to a researcher, which reads from and writes to the shop and may ask a question. */
async function deploy(client: Client, shopUrl: string): Promise<{ agentId: string; environmentId: string }> {
  const { id: projectId } = await made(client.post('/api/v1/projects', { slug: 'research', name: 'Research' }))
  const project = `/api/v1/projects/${projectId}`
  const [environment] = (await made(client.get(`${project}/environments`))).items
  const path = `${project}/environments/${environment.id}`
  await made(client.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' }))
  const definition = await made(client.post(`${project}/definitions`, { name: 'shop', kind: 'operations' }))
  const source = { operations: [operation('look', 'read'), operation('order', 'write')] }
  const revised = await made(client.post(`${project}/definitions/${definition.id}/revisions`, { source }))
  const agent = async (slug: string, content: object, grantedOperations: string[] = []) => {
    const { id: agentId } = await made(client.post(`${project}/agents`, { slug, name: slug }))
    const revision = { content: { instructions: 'Help.', ...content }, grantedOperations }
    const { id } = await made(client.post(`${project}/agents/${agentId}/revisions`, revision))
    return { agentId, agentRevisionId: id }
  }
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const tools = ['look', 'order'].map((name) => ({ kind: 'operation', name, operation: `shop.${name}` }))
  const bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
  const researcher = await agent('researcher', { tools: [...tools, ask], bindings }, ['shop.look', 'shop.order'])
  const delegate = { name: 'researcher', description: 'Finds out.', agentId: researcher.agentId }
  const lead = await agent('lead', { delegates: [delegate] })
  const connection = { name: 'Shop', kind: 'http', settings: { baseUrl: shopUrl } }
  await made(client.post(`${path}/connections`, { ...connection, agentId: researcher.agentId, bindingKey: 'shop' }))
  const release = await made(
    client.post(`${project}/releases`, {
      agents: [lead, researcher],
      definitions: [{ definitionId: definition.id, definitionRevisionId: revised.id }],
    }),
  )
  const expectedHeadRevisionId = (await made(client.get(path))).configurationHead.revisionId
  const configuration = await made(client.post(`${path}/configuration-revisions`, { expectedHeadRevisionId }))
  const pins = { releaseId: release.id, configurationRevisionId: configuration.id }
  const { id: deploymentId } = await made(client.post(`${path}/deployments`, pins))
  await eventually('the Deployment', async () => {
    const { state, stateReason } = await made(client.get(`${path}/deployments/${deploymentId}`))
    expect(stateReason).toBeNull()
    return state === 'ready'
  })
  await made(client.post(`${path}/activations`, { deploymentId, expectedGeneration: 0 }))
  return { agentId: lead.agentId, environmentId: environment.id }
}

const query = `/call researcher ${JSON.stringify({
  query: [
    '/call order {"n": 1}',
    '/sleep 700',
    '/call look {"n": 2}',
    '/call order {"n": 3}',
    '/call ask {"q": "Go on?"}',
    '/say Found',
  ].join('\n'),
})}\n/say Done`

test.each([
  { who: 'the server', elsewhere: false },
  { who: 'a runner elsewhere', elsewhere: true },
])(
  '$who is killed four times while a delegate works: the run continues, and no write is made twice',
  async ({ elsewhere }) => {
    const shop = openShop('/look/2', '/order/3')
    const site = await Site.create({
      TROUPE_LEASE_TTL_MS: '600',
      TROUPE_ATTEMPT_BACKOFF_MS: '20',
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      ...(elsewhere ? { TROUPE_RUNNER: 'none' } : {}),
    })
    cleanUps.push(() => site.remove())
    let server: Server = await site.start()
    let runner: RunningProcess | undefined = elsewhere ? site.startRunner(server.url) : undefined
    const kill = async () => {
      await (runner ?? server).end('SIGKILL')
      shop.release()
      if (runner) runner = site.startRunner(server.url)
      else server = await site.start()
    }
    const isAsked = (path: string, times: number) =>
      eventually(`${times} times ${path}`, async () => shop.asked.filter((one) => one === path).length === times)

    const { agentId, environmentId } = await deploy(server.client, shop.url)
    const { id } = await made(
      server.client.post('/api/v1/agent-runs', { agentId, environmentId, query, maxRetries: 10 }),
    )
    // In a model call of the delegate, after its first write.
    await eventually('the first order', async () =>
      (await stepsOf(server.client, id)).some(({ name, status }) => name === 'order' && status === 'completed'),
    )
    await kill()
    // In a call that only reads.
    await isAsked('/look/2', 1)
    await kill()
    // In a call that writes.
    await isAsked('/look/2', elsewhere ? 1 : 2)
    await isAsked('/order/3', 1)
    await kill()
    // While it waits for the answer to a question of the delegate.
    await inState(server.client, id, 'awaitingToolResult')
    const { runtimeCheckpoint } = await checkpointOf(server.client, id)
    const messages = runtimeCheckpoint.delegates.call_1.messages
      .filter(({ role }: Reply['body']) => role === 'tool')
      .map(({ content: [{ output }] }: Reply['body']) => output.value)
    // A surviving server knows the outcome of a call, whoever requested it.
    const third = elsewhere ? { answers: '/order/3' } : expect.stringMatching(/^Outcome unknown/)
    expect(messages).toEqual([{ answers: '/order/1' }, { answers: '/look/2' }, third])
    await kill()
    expect((await server.client.post(`/api/v1/agent-runs/${id}/continue`, { query: 'yes' })).status).toBe(200)
    await inState(server.client, id, 'completed')

    const looks = elsewhere ? ['/look/2'] : ['/look/2', '/look/2']
    expect(shop.asked).toEqual(['/order/1', ...looks, '/order/3'])
    const steps = await stepsOf(server.client, id)
    expect(steps.findLast(({ kind }) => kind === 'delegate')).toMatchObject({ status: 'completed', output: 'Found' })
    expect(steps.findLast(({ parentAgentStepId }) => parentAgentStepId === null).output).toBe('Done')
    await expectWhole(server.client, id)
    await expectWholeStream(server.client, id)
  },
)
