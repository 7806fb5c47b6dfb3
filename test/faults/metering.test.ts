/**
 * The server is killed while attempts hold machines: their time is counted once, and ends with their last sign of life.
 * Source: design 3, rule 5; contract 8, "Minutes".
 */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import type { Client, Reply } from '../support/client.ts'
import { endAll, Site } from '../support/process.ts'
import { expectWhole, framesOf, inState, start } from '../support/run-records.ts'
import { lease } from '../support/simulated-runner.ts'

const sites: Site[] = []
const siteOf = async (environment: Record<string, string>) => {
  const site = await Site.create(environment)
  sites.push(site)
  return site
}
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const counted = (site: Site) => {
  const database = new Database(site.storePath, { readonly: true })
  const rows = database
    .query<{ used: number; reserved: number; started: number; completed: number }, []>(
      `select sum(used_ms) as used, sum(reserved_ms) as reserved, sum(runs_started) as started,
        sum(runs_completed) as completed from usage_counters`,
    )
    .get()
  database.close()
  return rows
}

/** How long each attempt of an ended run held its machine, according to its journal and its stream. */
async function heldBy(client: Client, id: string): Promise<number[]> {
  const { transitions } = await expectWhole(client, id)
  const frames = await framesOf(client, id)
  const at = ({ at }: Reply['body']) => Date.parse(at)
  const held: number[] = []
  let since = 0
  for (const move of transitions) {
    if (move.event === 'leased') since = at(move)
    else if (['starting', 'running', 'canceling'].includes(move.from) && !['running', 'canceling'].includes(move.to)) {
      const signs = frames.map(({ data }) => at(data)).filter((time) => time < at(move))
      held.push((move.event === 'attemptLost' ? Math.max(...signs) : at(move)) - since)
    }
  }
  return held
}
const sum = (times: number[]) => times.reduce((all, time) => all + time, 0)

test.concurrent('killed repeatedly, with its embedded runner: every attempt counts once, and no reservation is left', async () => {
  const site = await siteOf({ TROUPE_ATTEMPT_BACKOFF_MS: '20' })
  let server = await site.start()
  const query = '/call calculator {"expression":"1+1"}\n/sleep 600000\n/say never'
  const more = { maxRetries: 10 }
  const ids = (await Promise.all([1, 2, 3].map(() => start(server.client, query, more)))).map(({ id }) => id as string)
  for (let kills = 0; kills < 2; kills += 1) {
    for (const id of ids) await inState(server.client, id, 'running')
    await server.end('SIGKILL')
    server = await site.start()
  }
  const held: number[] = []
  for (const id of ids) {
    await inState(server.client, id, 'running')
    await server.client.post(`/api/v1/agent-runs/${id}/cancel`)
    await inState(server.client, id, 'canceled')
    held.push(...(await heldBy(server.client, id)))
  }
  expect(held).toHaveLength(9)
  expect(counted(site)).toEqual({ used: sum(held), reserved: 0, started: 3, completed: 0 })
  const { body } = await server.client.get('/api/v1/agent-runs/statistics')
  expect(body.data).toMatchObject({ totals: { canceled: 3, failed: 0 }, workTime: { count: 3 } })
})

test.concurrent('the downtime of a server does not count for an attempt whose runner died with it', async () => {
  const site = await siteOf({ TROUPE_RUNNER: 'none', TROUPE_LEASE_TTL_MS: '30000' })
  const before = await site.start()
  const { id } = await start(before.client, 'Hello', { maxRetries: 0 })
  const attempt = await lease(before.client, site.runnerToken)
  await attempt.boot()
  await attempt.begin({ kind: 'model', name: 'sandbox' })
  await before.end('SIGKILL')
  expect(counted(site)).toEqual({ used: 0, reserved: 60_000, started: 1, completed: 0 })

  const { client } = await site.start({ TROUPE_LEASE_TTL_MS: '300' })
  await inState(client, id, 'queued')
  await client.post(`/api/v1/agent-runs/${id}/cancel`)
  const held = await heldBy(client, id)
  expect(held).toHaveLength(1)
  expect(counted(site)).toEqual({ used: sum(held), reserved: 0, started: 1, completed: 0 })
})
