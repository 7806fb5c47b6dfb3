/** What survives a restart: histories, cursors and pending broadcasts. Source: contract 7; design 3. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../../support/process.ts'
import { newPlace, planting } from './feed-world.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test('killed while it sends a broadcast to 3,000 Environments: after the next start each has received it once', async () => {
  const site = await Site.create({ TROUPE_RUNNER: 'none' })
  sites.push(site)
  const first = await site.start()
  const database = new Database(site.storePath, { readwrite: true, strict: true })
  database.run('pragma busy_timeout = 5000')
  const places = Array.from({ length: 3_000 }, newPlace)
  database.transaction(() => {
    for (const place of places) {
      // later than the events of the first start
      for (const { sql, parameters } of planting(place, { createdAt: Date.now() }))
        database.prepare(sql).run(...(parameters as string[]))
    }
  })()
  const count = (what: string) => database.query<{ n: number }, []>(`select count(*) as n from ${what}`).get()?.n ?? 0

  const path = '/api/v1/system-agents/agt_system_summarizer'
  expect((await first.client.patch(path, { enabled: false })).body.data.enabled).toBe(false)
  await eventually('some that were told', () => count('environment_events') > 0)
  await first.end('SIGKILL')
  const stored = count('environment_events')

  const second = await site.start()
  await eventually('everybody told', () => count('announcements') === 0)
  expect(stored).toBeLessThanOrEqual(places.length)
  expect(count('environment_events')).toBe(places.length)
  expect(count('(select distinct environment_id from environment_events)')).toBe(places.length)
  expect((await second.client.get(path)).body.data.enabled).toBe(false)
  const started = await second.client.post('/api/v1/agent-runs', { agentId: 'agt_system_summarizer', query: 'Hello' })
  expect(started.status).toBe(404)
  expect(second.output()).not.toContain('"level":"error"')
  database.close()
})

test('a cursor is valid after a restart', async () => {
  const site = await Site.create({ TROUPE_RUNNER: 'none' })
  sites.push(site)
  const before = await site.start()
  const { body } = await before.client.post('/api/v1/projects', { slug: 'project', name: 'Project' })
  const project = `/api/v1/projects/${body.data.id}/environments`
  const [{ id }] = (await before.client.get(project)).body.data.items
  const path = `${project}/${id}`
  await before.client.patch(path, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
  const change = (server: typeof before, enabled: boolean) =>
    server.client.patch('/api/v1/system-agents/agt_system_assistant', { enabled })
  const seen = (server: typeof before, cursor?: string) =>
    server.client.get(`${path}/events`, { query: { cursor } }).then(({ body: page }) => page)
  await change(before, false)
  const page = await eventually('an event', async () => {
    const found = await seen(before)
    return found.events.length === 1 && found
  })
  await before.end('SIGTERM')

  const after = await site.start()
  await change(after, true)
  const next = await eventually('another event', async () => {
    const found = await seen(after, page.pagination.resumeCursor)
    return found.events.length > 0 && found
  })
  expect(next.events).toHaveLength(1)
  expect(next.events[0]).toMatchObject({ sequence: 2, data: { from: 'disabled', to: 'enabled' } })
})
