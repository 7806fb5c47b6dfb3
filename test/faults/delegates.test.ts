/** The server, or an external runner, is killed while a delegate works. Source: contract 5; design 3, rules 5 and 6. */
import { afterAll, expect, test } from 'bun:test'
import type { Client, Reply } from '../support/client.ts'
import { endAll, eventually, type RunningProcess, type Server, Site } from '../support/process.ts'
import { checkpointOf, expectWhole, expectWholeStream, inState, stepsOf } from '../support/run-records.ts'
import { placesAt } from '../support/world/places.ts'
import { data } from '../support/world/replies.ts'

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
  const places = await placesAt(client)
  const place = await places.place()
  const definition = await places.operations(place, 'shop', [operation('look', 'read'), operation('order', 'write')])
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const tools = ['look', 'order'].map((name) => ({ kind: 'operation', name, operation: `shop.${name}` }))
  const bindings = [{ bindingKey: 'shop', kind: 'connection', required: true }]
  const researcher = await places.agent(place, { tools: [...tools, ask], bindings }, ['shop.look', 'shop.order'])
  const { agentId } = researcher
  const lead = await places.agent(place, {
    delegates: [{ name: 'researcher', description: 'Finds out.', agentId }],
  })
  await places.connection(place, { kind: 'http', settings: { baseUrl: shopUrl }, agentId, bindingKey: 'shop' })
  await places.serve(place, [lead, researcher], [definition])
  return { agentId: lead.agentId, environmentId: place.environmentId }
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
      TROUPE_LEASE_TTL_MS: '1500',
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
    const { id } = await data(
      server.client.post('/api/v1/agent-runs', { agentId, environmentId, query, maxRetries: 10 }),
    )
    // In a model call of the delegate, after its first write; on a slow machine an attempt may have lost its lease
    // before.
    await eventually('the end of the first order', async () =>
      (await stepsOf(server.client, id)).some(({ name, status }) => name === 'order' && status !== 'running'),
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
