/** The server is killed while messages wait for their turns: each gets exactly one, in order. Source: contract 12. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../support/process.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

const conversations = 6
const messages = 8

test('killed repeatedly while messages wait: none is lost, none has two turns', async () => {
  const site = await Site.create({
    TROUPE_RUNNER: 'embedded',
    TROUPE_ATTEMPT_BACKOFF_MS: '1',
  })
  sites.push(site)
  let server = await site.start()
  const accepted = Array.from({ length: conversations }, () => [] as string[])
  const send = async (at: number, number: number) => {
    const query = `/say ${at}.${number}`
    const body = { agentId: 'agt_system_assistant', threadKey: `thread-${at}`, query, ifBusy: 'enqueue' }
    const { status } = await server.client.post('/api/v1/agent-runs', body)
    expect(status).toBe(200)
    accepted[at]?.push(query)
  }
  for (let number = 0; number < messages; number += 1) {
    await Promise.all(Array.from({ length: conversations }, (_, at) => send(at, number)))
    if (number % 3 !== 2) continue
    await server.end('SIGKILL')
    server = await site.start()
  }
  const database = new Database(site.storePath, { readonly: true })
  const turns = (at: number) =>
    database
      .query<{ body: string }, [string]>(
        'select body from run_inputs join runs on runs.id = run_id where thread_key = ? order by chain',
      )
      .all(`thread-${at}`)
      .map(({ body }) => (JSON.parse(body) as { query: string }).query)
  const left = () =>
    database
      .query<{ count: number }, []>(
        "select (select count(*) from queued_inputs) + (select count(*) from runs where state <> 'completed') as count",
      )
      .get()?.count
  await eventually('all turns', () => left() === 0)
  for (const [at, queries] of accepted.entries()) expect(turns(at)).toEqual(queries)
  expect(database.query('select * from runs').all()).toHaveLength(conversations)
  database.close()
  await server.end('SIGTERM')
})
