/** Who serves a store in PostgreSQL, and which of its work is whose. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { eventually } from '../support/process.ts'
import { getRun, inState, start } from '../support/run-records.ts'
import { callOperation, operation, type Shop, serveShop, startShop } from '../support/world/shop.ts'

describe.skipIf(!clusterIsPossible())('servers of one store', () => {
  let cluster: Cluster
  let admin: SQL
  let shop: Shop
  let served: Awaited<ReturnType<typeof serveShop>>
  beforeAll(async () => {
    shop = startShop()
    cluster = await Cluster.start({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true', TROUPE_ATTEMPT_BACKOFF_MS: '1' })
    const operations = [operation('send'), operation('put', { idempotent: true })]
    served = await serveShop((cluster.servers[0] as ClusterServer).client, shop, operations)
    admin = new SQL({ url: `postgres://troupe@127.0.0.1:${cluster.postgres.port}/troupe`, max: 1 })
  }, 120_000)
  afterAll(async () => {
    await admin?.close()
    await cluster?.stop()
    shop?.stop()
  })

  const shares = async () => {
    const rows = await admin`select owner, count(*) as count from slots group by owner order by owner`
    return [...rows].map(({ owner, count }) => [owner, Number(count)] as const)
  }

  test('share the slots evenly', async () => {
    const counts = await eventually('three shares', async () => {
      const all = await shares()
      return all.length === 3 && all.every(([owner]) => owner !== null) && all.map(([, count]) => count)
    })
    expect(counts.toSorted()).toEqual([20, 22, 22])
  }, 60_000)

  const stateOfCalls = async (agentRunId: string) => {
    const answer = await cluster.client.get(`${served.path}/operation-invocations`, { query: { agentRunId } })
    return (answer.body.data.items as { state: string }[]).map(({ state }) => state)
  }

  test('leave a write alone that another one is in the middle of, whoever joins; that of a killed one is unknown', async () => {
    shop.silent = true
    const [, , third] = cluster.servers as [ClusterServer, ClusterServer, ClusterServer]
    const writing = await callOperation(third.client, served, 'send')
    await eventually('a request', () => shop.asked.length === 1)
    // whichever server performs it: they came one after the other
    const [{ performer }] = (await admin`select performer from operation_invocations`) as [{ performer: string }]
    const all = [...(await admin`select id from processes order by started_at`)]
    const performing = cluster.servers[all.findIndex(({ id }) => id === performer)] as ClusterServer
    const fourth = await cluster.join()
    expect(await stateOfCalls(writing)).toEqual(['running'])
    await fourth.end('SIGTERM')
    expect(await stateOfCalls(writing)).toEqual(['running'])

    const sleeping = await Promise.all(
      Array.from({ length: 12 }, () => start(performing.client, '/sleep 3000\n/say Done')),
    )
    await performing.kill()
    shop.silent = false
    for (const { id } of sleeping) await inState(cluster.client, id, 'completed')
    await inState(cluster.client, writing, 'completed')
    expect(await stateOfCalls(writing)).toEqual(['unknown'])
    expect(shop.asked).toHaveLength(1)
    const run = await getRun(cluster.client, writing)
    expect(run.state).toBe('completed')
  }, 120_000)

  test('take over the slots of a killed one, and those of one that ends at once', async () => {
    await eventually('two shares', async () => {
      const all = await shares()
      return all.length === 2 && all.every(([owner, count]) => owner !== null && count === 32)
    })
    await cluster.servers[0]?.end('SIGTERM')
    expect(Number([...(await admin`select count(*) as count from processes`)][0]?.count)).toBe(1)
    await eventually('one share', async () => {
      const all = await shares()
      return all.length === 1 && all[0]?.[0] !== null
    })
  }, 60_000)
})
