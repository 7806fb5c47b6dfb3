/** The server is killed in the middle of bulk actions, on each engine. Source: contract 14, "Bulk". */
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, type Server, Site } from '../support/process.ts'
import { newMigratedDatabase } from '../support/stores/engine.ts'

const after: (() => Promise<unknown>)[] = []
afterAll(async () => {
  await endAll()
  for (const each of after) await each()
})

const count = 60
const runs = '/api/v1/agent-runs'
const path = '/api/v1/bulk-actions'

async function placeOn(engine: string): Promise<Site> {
  if (engine === 'sqlite') return Site.create({ TROUPE_RUNNER: 'none' })
  const database = await newMigratedDatabase()
  after.push(() => database.remove())
  const master = `test:${Buffer.alloc(32, 7).toString('base64')}`
  return Site.withoutStore({ TROUPE_RUNNER: 'none', TROUPE_STORE: database.address, TROUPE_MASTER_KEYS: master })
}

test.each(['sqlite', 'postgres'])(
  'killed in the middle, on %s: it resumes, and acts on no run twice',
  async (engine) => {
    const site = await placeOn(engine)
    after.unshift(() => site.remove())
    let server: Server = await site.start()
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        server.client.post(runs, { agentId: 'agt_system_assistant', query: `/say ${index}` }),
      ),
    )
    const read = async (id: string) => (await server.client.get(`${path}/${id}`)).body.data
    /** Acts on all runs, and kills the server as soon as some are done. */
    const actOnAll = async (body: object) => {
      const { status, body: answer } = await server.client.post(path, body)
      expect([status, answer.data?.matched]).toEqual([202, count])
      const { id } = answer.data
      await eventually('some that are done', async () => (await read(id)).done > 0)
      await server.end('SIGKILL')
      server = await site.start()
      await eventually('its end', async () => (await read(id)).state !== 'running')
      return read(id)
    }
    const whole = { state: 'completed', done: count, failed: 0, failures: [], error: null }

    const canceled = await server.client.post(path, { action: 'cancel', filter: { states: ['queued'] } })
    await eventually('all of them canceled', async () => (await read(canceled.body.data.id)).done === count)
    // continuing a queued run again would be a conflict
    const continued = await actOnAll({ action: 'continue', filter: { states: ['canceled'] }, query: 'Go on' })
    expect(continued).toMatchObject(whole)
    const forked = await actOnAll({ action: 'fork', filter: {} })
    expect(forked).toMatchObject(whole)

    const turns = new Map<number, number>()
    const sources: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await server.client.get(`${runs}?limit=100${cursor && `&cursor=${cursor}`}`)
      for (const { turn, forkedFrom } of body.agentRuns) {
        if (forkedFrom) sources.push(forkedFrom.agentRunId)
        else turns.set(turn, (turns.get(turn) ?? 0) + 1)
      }
      if (!body.pagination.hasMore) break
      cursor = body.pagination.nextCursor
    }
    expect([...turns]).toEqual([[2, count]])
    expect([sources.length, new Set(sources).size]).toEqual([count, count])
    const verified = await server.client.get(`/api/v1/actors/bulk-action/${forked.id}/verify`)
    expect(verified.body.data).toMatchObject({ valid: true, storedState: 'completed' })
    expect(await server.end('SIGTERM')).toBe(0)
  },
)
