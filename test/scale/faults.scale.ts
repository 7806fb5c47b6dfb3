/** Servers that share a store while its database stops, hangs and recovers, and while they are frozen themselves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Client, Reply } from '../support/client.ts'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { eventually } from '../support/process.ts'
import { agentId, inState, start, stepsOf, transitionsOf } from '../support/run-records.ts'

describe.skipIf(!clusterIsPossible())('servers of one store', () => {
  let cluster: Cluster
  beforeAll(async () => {
    cluster = await Cluster.start({ TROUPE_ATTEMPT_BACKOFF_MS: '1' }, 2)
  })
  afterAll(() => cluster?.stop())

  /** Repeats the request with the same key until it gets an answer. */
  async function startSurely(client: Client, key: string): Promise<{ id: string; refused: Reply[] }> {
    const refused: Reply[] = []
    for (;;) {
      const call = { headers: { 'idempotency-key': key }, unchecked: true }
      const reply = await client
        .post('/api/v1/agent-runs', { agentId, query: `/say ${key}` }, call)
        .catch(() => undefined)
      if (reply?.status === 200) return { id: reply.body.data.id, refused }
      if (reply) refused.push(reply)
      await Bun.sleep(50)
    }
  }

  test('survive a database that stops immediately and restarts: acknowledged writes exist, each request once', async () => {
    const starting = Array.from({ length: 60 }, async (_, number) => {
      await Bun.sleep(number * 25)
      return startSurely((cluster.servers[number % 2] as ClusterServer).client, `stopped-${number}`)
    })
    await Bun.sleep(500)
    await cluster.postgres.stopImmediately()
    await Bun.sleep(300)
    await cluster.postgres.startAgain()
    const started = await Promise.all(starting)
    for (const { status, headers } of started.flatMap(({ refused }) => refused)) {
      expect({ status, retryAfter: headers.has('retry-after') }).toEqual({ status: 503, retryAfter: true })
    }
    const ids = started.map(({ id }) => id)
    expect(new Set(ids).size).toBe(60)
    for (const id of ids) await inState(cluster.client, id, 'completed')
    // a repeated request returns the same run
    for (const [number, id] of ids.entries())
      expect((await startSurely(cluster.client, `stopped-${number}`)).id).toBe(id)
    const { body } = await cluster.client.get('/api/v1/agent-runs', { query: { limit: 100 } })
    expect(body.agentRuns.map((run: { id: string }) => run.id).toSorted()).toEqual(ids.toSorted())
    for (const id of ids) {
      const moves = await transitionsOf(cluster.client, id)
      expect(moves.map(({ sequence }) => sequence)).toEqual(moves.map((_, place) => place + 1))
    }
  })

  test('survive a database that hangs: every request is answered, and afterwards everything continues', async () => {
    const { id } = await start(cluster.client, '/sleep 2000\n/say Done')
    cluster.postgres.pause()
    const answers = await Promise.all(
      cluster.servers.flatMap(({ client }) => [
        client.get(`/api/v1/agent-runs/${id}`, { unchecked: true }),
        client.post('/api/v1/agent-runs', { agentId, query: '/say Hello' }, { unchecked: true }),
      ]),
    )
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
    cluster.postgres.resume()
    await inState(cluster.client, id, 'completed')
  })

  test('that freeze and resume change nothing that continued without them', async () => {
    const [a, b] = cluster.servers as [ClusterServer, ClusterServer]
    const runs = await Promise.all(Array.from({ length: 8 }, () => start(a.client, '/sleep 4000\n/say Done')))
    await Promise.all(runs.map(({ id }) => inState(b.client, id, 'running')))
    a.pause()
    for (const { id } of runs) await inState(b.client, id, 'completed')
    const before = await Promise.all(runs.map(({ id }) => transitionsOf(b.client, id)))
    expect(before.flat().some(({ event }) => event === 'attemptLost')).toBe(true)
    a.resume()
    // it learns that it was declared dead, and serves again
    await eventually('that it serves', async () => (await a.client.get('/readyz', { unchecked: true })).status === 200)
    await Bun.sleep(6_000)
    expect(await Promise.all(runs.map(({ id }) => transitionsOf(b.client, id)))).toEqual(before)
    // the other server may have taken some from the beginning
    for (const [at, { id }] of runs.entries()) {
      const lost = before[at]?.filter(({ event }) => event === 'attemptLost').length ?? 0
      expect((await stepsOf(a.client, id)).filter(({ kind }) => kind === 'agent')).toHaveLength(1 + lost)
    }
    const { id } = await start(a.client, '/say After')
    await inState(a.client, id, 'completed')
  })
})
