/** The server is killed while runs wait for the workflows that they have called. Source: contract 14, "Workflows"; design 3. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../../support/process.ts'
import { placesAt } from '../../support/world/places.ts'
import { data, type Loose } from '../../support/world/replies.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const runsCount = 20

test('killed repeatedly: each call has exactly one workflow run, and its output is the result', async () => {
  const site = await Site.create({
    TROUPE_RUNNER: 'embedded',
    TROUPE_RATE_LIMIT_PER_MINUTE: '0',
    TROUPE_ATTEMPT_BACKOFF_MS: '10',
  })
  sites.push(site)
  let server = await site.start()
  const { client } = server
  const places = await placesAt(client)
  const place = await places.place()
  const agent = await places.agent(place, { tools: [{ kind: 'workflow', name: 'rest', workflow: 'rest' }] })
  const workflow = await places.define(place, 'rest', 'workflow', {
    params: { type: 'object', properties: { n: { type: 'integer' } } },
    steps: [
      { id: 'rest', sleep: 400 },
      { id: 'more', sleep: 400, after: ['rest'] },
    ],
    output: { n: '{{params.n}}' },
  })
  await places.serve(place, [agent], [workflow])
  const { agentId } = agent
  const { environmentId } = place
  const ids: string[] = []
  for (let n = 0; n < runsCount; n += 1) {
    const run = {
      agentId,
      environmentId,
      query: `/call rest {"n": ${n}}
/say done`,
    }
    ids.push((await data(client.post('/api/v1/agent-runs', run))).id)
  }

  const database = new Database(site.storePath)
  database.run('pragma busy_timeout = 5000')
  const count = (sql: string) => Object.values(database.query<Record<string, number>, []>(sql).get() ?? {})[0] as number
  const ended = () => count(`select count(*) from runs where state in ('completed', 'failed', 'canceled', 'expired')`)
  await eventually('the first calls', () => count('select count(*) from workflow_runs') > 2)
  await server.end('SIGKILL')
  for (let round = 1; round <= 3 && ended() < runsCount; round += 1) {
    const before = ended()
    const running = site.spawn()
    await eventually(
      'some progress',
      () => ended() > before || count('select count(*) from workflow_runs') === runsCount,
    )
    await running.end('SIGKILL')
  }
  server = await site.start()
  await eventually('all runs', () => ended() === runsCount)
  expect(count(`select count(*) from runs where state = 'completed'`)).toBe(runsCount)
  expect(count('select count(*) from workflow_runs')).toBe(runsCount)
  expect(count('select count(distinct agent_run_id) from workflow_runs')).toBe(runsCount)
  expect(count(`select count(*) from workflow_runs where state <> 'completed'`)).toBe(0)
  database.close()
  for (const [n, id] of ids.entries()) {
    const { body } = await server.client.get(`/api/v1/agent-runs/${id}/steps`, { query: { limit: 100, depth: 5 } })
    const flat = (items: Loose[]): Loose[] => items.flatMap((step) => [step, ...flat(step.childAgentSteps)])
    const results = flat(body.data.items).filter(({ kind, status }) => kind === 'tool' && status === 'completed')
    expect(results.map(({ output }) => output)).toEqual([{ n }])
  }
  expect(server.output()).not.toContain('"level":"error"')
  expect(await server.end('SIGTERM')).toBe(0)
})
