/**
 * The server is killed: recorded usage and costs are unchanged afterwards, and budgets still hold. Source: contract 13,
 * "Budgets".
 */
import { afterAll, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { frames } from '../runs/providers/wire.ts'
import { endAll, eventually, Site, within } from '../support/process.ts'
import { expectWhole, getRun, inState, start, stepsOf } from '../support/run-records.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test('what was spent before a kill counts against the budget after it', async () => {
  const site = await Site.create({ TROUPE_ATTEMPT_BACKOFF_MS: '20' })
  sites.push(site)
  const prices = join(site.folder, 'prices.json')
  const entry = { provider: 'sandbox', model: '*', inputPerMillion: '0.3', outputPerMillion: '0.7', currency: 'EUR' }
  await writeFile(prices, JSON.stringify([{ ...entry, inputPerMillion: '-1' }]))
  const refused = site.spawn({ TROUPE_PRICES_FILE: prices })
  expect(await within(refused.exited, 'an end', refused.output)).toBe(1)
  expect(refused.output().trimEnd()).toMatch(
    /^TROUPE_PRICES_FILE: [^\n]*entry 1 \("sandbox \*"\): \/inputPerMillion [^\n]+$/,
  )

  await writeFile(prices, JSON.stringify([entry]))
  let server = await site.start({ TROUPE_PRICES_FILE: prices })
  const query = '/call calculator {"expression":"1+1"}\n/sleep 600000\n/call clock {}\n/say never'
  const { id } = await start(server.client, query, { maxRetries: 10, limits: { maxTokens: 1_000_000 } })
  const ended = async () =>
    (await stepsOf(server.client, id)).filter(({ kind, status }) => kind === 'model' && status === 'completed')
  await eventually('the end of the first model step', async () => (await ended()).length === 1)
  const before = await getRun(server.client, id)
  expect(before.cost.currency).toBe('EUR')
  expect(before.usedTokens).toBeGreaterThan(0)
  await server.end('SIGKILL')

  // with other prices: the cost of ended steps does not change
  await writeFile(prices, JSON.stringify([{ ...entry, inputPerMillion: '50' }]))
  server = await site.start({ TROUPE_PRICES_FILE: prices })
  expect(await getRun(server.client, id)).toMatchObject({ cost: before.cost, usedTokens: before.usedTokens })
  expect((await ended()).map(({ cost }) => cost)).toEqual([before.cost])
  await eventually('another attempt', async () => (await getRun(server.client, id)).attempt === 2)
  await server.client.post(`/api/v1/agent-runs/${id}/cancel`)
  const after = await inState(server.client, id, 'canceled')
  expect(Number(after.cost.amount)).toBeGreaterThanOrEqual(Number(before.cost.amount))
  expect(after.usedTokens).toBeGreaterThanOrEqual(before.usedTokens)
  await expectWhole(server.client, id)
  expect(await server.end('SIGTERM')).toBe(0)
})

/** The model calls, by their number of tool results, that the vendor answers by killing the server. */
const deaths: Record<number, 'within the answer' | 'behind the answer'> = {
  1: 'within the answer',
  2: 'behind the answer',
}

test("a kill around a model's answer loses nothing that was stored, and counts nothing twice", async () => {
  const left = new Map(Object.entries(deaths))
  let asked = 0
  let kill = (): void => {}
  const vendor = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { messages } = (await request.json()) as { messages: { role: string }[] }
      const results = messages.filter(({ role }) => role === 'tool').length
      const death = left.get(String(results))
      left.delete(String(results))
      asked += 1
      const call = { id: `call_${results}`, name: 'calculator', input: ['{"expression":"1+1"}'] }
      const usage = { input: 10, output: 1 }
      const all = frames.openaiChat(
        results < 3 ? { calls: [call], finish: 'calls', usage } : { text: ['Done.'], finish: 'stop', usage },
      )
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          const sent = death === 'within the answer' ? all.slice(0, -2) : all
          for (const frame of sent) controller.enqueue(new TextEncoder().encode(frame))
          if (death === 'within the answer') await Bun.sleep(5)
          else controller.close()
          if (death) setTimeout(kill, 0)
        },
      })
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const site = await Site.create({
    TROUPE_ATTEMPT_BACKOFF_MS: '20',
    TROUPE_PLATFORM_PROVIDER: 'openai',
    TROUPE_PLATFORM_MODEL: 'plain',
    TROUPE_PLATFORM_API_KEY: 'key-of-the-platform',
    TROUPE_OPENAI_BASE_URL: `http://127.0.0.1:${vendor.port}/v1`,
  })
  sites.push(site)
  const prices = join(site.folder, 'prices.json')
  const entry = { provider: 'openai', model: '*', inputPerMillion: '1', outputPerMillion: '10', currency: 'USD' }
  await writeFile(prices, JSON.stringify([entry]))
  const open = async () => {
    const server = await site.start({ TROUPE_PRICES_FILE: prices })
    kill = () => void server.end('SIGKILL')
    return server
  }
  let server = await open()
  // four calls are within the budget; one that was counted twice would end the run
  const { id } = await start(server.client, 'Calculate.', { maxRetries: 10, limits: { maxTokens: 40 } })
  for (const _ of Object.keys(deaths)) {
    await server.exited
    server = await open()
  }
  const run = await inState(server.client, id, 'completed')
  const cost = { amount: '0.00008', currency: 'USD' }
  expect(run).toMatchObject({ usedTokens: 44, cost })
  const ended = (await stepsOf(server.client, id)).filter(
    ({ kind, tokenUsage }) => kind === 'model' && tokenUsage.totalTokens > 0,
  )
  expect(ended.map((step) => [step.status, step.tokenUsage.totalTokens])).toEqual(Array(4).fill(['completed', 11]))
  expect(asked).toBeGreaterThan(4)
  const organization = (await server.client.get('/api/v1/organizations')).body.data.items[0].id
  const usage = (await server.client.get(`/api/v1/organizations/${organization}/billing/usage`)).body.data
  expect(usage).toMatchObject({ tokens: { input: 40, output: 4 }, cost })
  const statistics = (await server.client.get('/api/v1/agent-runs/statistics')).body.data
  expect(statistics).toMatchObject({ modelSteps: 4 + failedSteps(await stepsOf(server.client, id)), cost })
  await expectWhole(server.client, id)
  expect(await server.end('SIGTERM')).toBe(0)
  await vendor.stop(true)
})

/** Model steps whose answer was lost with the server. */
const failedSteps = (steps: { kind: string; status: string }[]) =>
  steps.filter(({ kind, status }) => kind === 'model' && status === 'failed').length
