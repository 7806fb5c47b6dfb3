/** The server is killed: what runs have used and cost is there as it was, and their budgets hold. Source: contract 13, "Budgets". */
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { endAll, eventually, Site, within } from '../support/process.ts'
import { expectWhole, getRun, inState, start, stepsOf } from '../support/run-records.ts'

setDefaultTimeout(180_000)

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test('what was spent before a kill is spent after it, and counts against the budget', async () => {
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

  // with other prices: what has ended costs what it did
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
