/** Three servers with one PostgreSQL and one Redis: a reader at one sees everything of a run at another. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EventReader } from '../runs/stream/event-stream.ts'
import type { Client } from '../support/client.ts'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { inState, start } from '../support/run-records.ts'

const streamOf = async (client: Client, id: string, query = {}) => {
  const answer = await client.raw('GET', `/api/v1/agent-runs/${id}/stream`, undefined, { query })
  expect(answer.status).toBe(200)
  return new EventReader(answer)
}

/** No number is missing; a merged delta has the last of the numbers that it covers. */
function expectWhole(events: { id: number; event: string }[], after: number) {
  let before = after
  for (const { id, event } of events) {
    if (event === 'run.snapshot') continue
    if (event === 'step.delta') expect(id).toBeGreaterThan(before)
    else expect({ event, id }).toEqual({ event, id: before + 1 })
    before = id
  }
  expect(events.at(-1)?.event).toBe('end')
}

describe.skipIf(!clusterIsPossible())('streams over several servers', () => {
  let cluster: Cluster
  let a: ClusterServer
  let b: ClusterServer

  beforeAll(async () => {
    cluster = await Cluster.start({}, 2)
    ;[a, b] = cluster.servers as [ClusterServer, ClusterServer]
  })
  afterAll(() => cluster.stop())

  test('a live stream at another server skips no frame', async () => {
    const runs = await Promise.all(
      Array.from({ length: 20 }, (_, index) => start(a.client, `/sleep ${2_000 + 10 * index}\n/tokens 300`)),
    )
    const readers = await Promise.all(runs.map(({ id }) => streamOf(b.client, id)))
    const all = await Promise.all(readers.map((reader) => reader.all()))
    for (const events of all) {
      expect(events[0]?.event).toBe('run.snapshot')
      expect(events.filter(({ event }) => event === 'run.snapshot')).toHaveLength(1)
      expectWhole(events.slice(1), events[0]?.id as number)
    }
    const stored = await Promise.all(runs.map(async ({ id }) => (await streamOf(a.client, id, { after: 0 })).all()))
    for (const [index, events] of stored.entries()) {
      expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1))
      // the events of another server are those in the store
      const received = all[index]!.slice(1)
      expect(received.map(({ id, data }) => ({ id, data }))).toEqual(
        events.filter(({ id }) => id > (all[index]![0]?.id as number)).map(({ id, data }) => ({ id, data })),
      )
    }
  })

  test('a cancel at another server reaches the runner at once', async () => {
    const { id } = await start(a.client, '/sleep 60000')
    await inState(b.client, id, 'running')
    const reader = await streamOf(b.client, id)
    expect((await b.client.post(`/api/v1/agent-runs/${id}/cancel`)).status).toBe(200)
    const events = await reader.all()
    expect(events.at(-1)?.data.data).toMatchObject({ state: 'canceled' })
    expectWhole(events.slice(1), events[0]?.id as number)
  })

  test('a stream begins with what another server has made of a run that this one still has in memory', async () => {
    const { id } = await start(a.client, '/say One')
    await inState(a.client, id, 'completed')
    expect((await b.client.post(`/api/v1/agent-runs/${id}/continue`, { query: '/sleep 3000\n/say Two' })).status).toBe(
      200,
    )
    await inState(b.client, id, 'running')
    const events = await (await streamOf(a.client, id)).all()
    expect(events[0]).toMatchObject({ event: 'run.snapshot', data: { data: { run: { state: 'running' } } } })
    expectWhole(events.slice(1), events[0]?.id as number)
    const again = await (await streamOf(b.client, id)).all()
    expect(again[0]).toMatchObject({ id: events.at(-1)?.id, data: { data: { run: { state: 'completed' } } } })
  })

  test("while Redis is unavailable at the reader's server, its streams read the store", async () => {
    const { id } = await start(a.client, '/sleep 3000\n/tokens 50')
    const reader = await streamOf(b.client, id)
    b.redis.cut()
    const events = await reader.all()
    b.redis.mend()
    expectWhole(events.slice(1), events[0]?.id as number)
  })

  test('a request that waits for a run at another server gets its end', async () => {
    const { id } = await start(a.client, '/sleep 500\n/say done')
    const waited = await b.client.get(`/api/v1/agent-runs/${id}`, { query: { waitSeconds: 30 } })
    expect(waited.body.data).toMatchObject({ id, state: 'completed' })
  })

  test('changes of runs at one server are reported at the other', async () => {
    const reader = new EventReader(await b.client.raw('GET', '/api/v1/agent-runs/changes'))
    // the list must be readable from the beginning, and once the other server's messages arrive
    await reader.take(2)
    const { id } = await start(a.client, '/say Hi')
    await reader.until(({ data }) => data.agentRunIds?.includes(id))
    await reader.cancel()
  })

  test('a chart at another server is live', async () => {
    const { id } = await start(a.client, '/sleep 500\n/say done')
    const reader = new EventReader(await b.client.raw('GET', `/api/v1/actors/run/${id}/stream`))
    const last = await reader.until(({ event, data }) => event === 'actor.transition' && data.to === 'completed')
    const moves = reader.events.filter(({ event }) => event === 'actor.transition').map((each) => each.id)
    expect(moves).toEqual(moves.map((_, index) => (moves[0] as number) + index))
    expect(last.id).toBe(moves.at(-1) as number)
    await reader.cancel()
  })
})
