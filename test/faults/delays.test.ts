/** The server is killed while a run waits for its start, on each engine. Source: contract 14, "Delay". */
import { afterAll, expect, test } from 'bun:test'
import { endAll, Site } from '../support/process.ts'
import { expectWhole, expectWholeStream, getRun, inState, start } from '../support/run-records.ts'
import { newMigratedDatabase } from '../support/stores/engine.ts'

const after: (() => Promise<unknown>)[] = []
afterAll(async () => {
  await endAll()
  for (const each of after) await each()
})

async function placeOn(engine: string): Promise<Site> {
  if (engine === 'sqlite') return Site.create()
  const database = await newMigratedDatabase()
  after.push(() => database.remove())
  const master = `test:${Buffer.alloc(32, 7).toString('base64')}`
  return Site.withoutStore({ TROUPE_STORE: database.address, TROUPE_MASTER_KEYS: master })
}

test.each(['sqlite', 'postgres'])(
  'killed right after the answer, on %s: the run starts at its time, not before',
  async (engine) => {
    const site = await placeOn(engine)
    after.unshift(() => site.remove())
    let server = await site.start()
    const startAt = new Date(Date.now() + 4_000).toISOString()
    const later = await start(server.client, '/say later', { startAt })
    const canceled = await start(server.client, '/say never', { startAt })
    expect((await server.client.post(`/api/v1/agent-runs/${canceled.id}/cancel`)).status).toBe(200)
    await server.end('SIGKILL')

    server = await site.start()
    const found = await getRun(server.client, later.id)
    expect(found.availableAt ?? startAt).toBe(startAt)
    const ended = await inState(server.client, later.id, 'completed')
    expect(Date.parse(ended.startedAt)).toBeGreaterThanOrEqual(Date.parse(startAt))
    expect(ended.attempt).toBe(1)
    await expectWhole(server.client, later.id)
    await expectWholeStream(server.client, later.id)
    expect(await getRun(server.client, canceled.id)).toMatchObject({ state: 'canceled', attempt: 0 })
    expect(await server.end('SIGTERM')).toBe(0)
  },
)
