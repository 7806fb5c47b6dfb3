/**
 * A random workload over three servers while each of them, Redis and PostgreSQL fail, with its checker. Without
 * `TROUPE_TEST_LONG` each fault is short; the seed is printed on a failure, and taken from `TROUPE_TEST_SEED`.
 * `TROUPE_TEST_FAULTS` restricts the faults by name.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { type Shop, serving, startShop } from '../support/cluster/shop.ts'
import { Workload } from '../support/cluster/workload.ts'
import { eventually } from '../support/process.ts'

const isLong = process.env.TROUPE_TEST_LONG === '1'
/** Only the faults whose names match. */
const only = new RegExp(process.env.TROUPE_TEST_FAULTS ?? '')
const seed = Number(process.env.TROUPE_TEST_SEED ?? Math.floor(Math.random() * 1e9))
const second = 1_000

describe.skipIf(!clusterIsPossible())(`the workload of seed ${seed}`, () => {
  let cluster: Cluster
  let shop: Shop

  let folder: string

  beforeAll(async () => {
    shop = startShop()
    folder = await mkdtemp(join(tmpdir(), 'troupe-workload-'))
    // each run in progress reserves minutes, and after a fault there are hundreds
    const plans = join(folder, 'plans.json')
    const price = { amount: 0, currency: 'usd', interval: 'month' }
    await writeFile(plans, JSON.stringify([{ planKey: 'free', name: 'Free', price, minuteBudget: null, features: [] }]))
    cluster = await Cluster.start({
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      TROUPE_LEASE_TTL_MS: isLong ? '30000' : '4000',
      TROUPE_ATTEMPT_BACKOFF_MS: '10',
      TROUPE_PLANS_FILE: plans,
    })
  })
  afterAll(async () => {
    await cluster?.stop()
    shop.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const oldest = () => cluster.servers[0] as ClusterServer
  const ready = async () => {
    let last: { ok: boolean; said: unknown }[] = []
    const look = async ({ url }: ClusterServer) => {
      const answer = await fetch(`${url}/readyz`).catch((error: Error) => Response.json(error.message, { status: 500 }))
      return { ok: answer.ok, said: await answer.json() }
    }
    await eventually('servers that are ready', async () => {
      last = await Promise.all(cluster.servers.map(look))
      // each poll queries the store and Redis
      if (!last.every(({ ok }) => ok)) await Bun.sleep(500)
      return last.every(({ ok }) => ok)
    }).catch((error: Error) => {
      const logs = cluster.servers.map(({ output }) => output().slice(-3_000)).join('\n\n')
      throw new Error(`${error.message} ${JSON.stringify(last)} ${logs}`)
    })
  }

  /** Each fault leaves the cluster as it was. */
  const faults: [name: string, work: () => Promise<unknown>][] = [
    [
      'a server is killed',
      async () => {
        await oldest().kill()
        await cluster.join()
      },
    ],
    [
      'a server is stopped and continued',
      async () => {
        const server = oldest()
        server.pause()
        cluster.proxy.servers.splice(cluster.proxy.servers.indexOf(server.url), 1)
        await Bun.sleep(isLong ? 60 * second : 6 * second)
        server.resume()
        cluster.proxy.servers.push(server.url)
      },
    ],
    [
      'Redis is cut off from a server',
      async () => {
        const { redis } = oldest()
        redis.cut()
        await Bun.sleep(isLong ? 20 * second : 3 * second)
        redis.mend()
      },
    ],
    ['Redis is flushed', () => cluster.flushRedis()],
    [
      'Redis is restarted',
      async () => {
        await cluster.redis.kill()
        await Bun.sleep(isLong ? 20 * second : second)
        await cluster.redis.restart()
      },
    ],
    [
      'PostgreSQL is stopped at once, and started again',
      async () => {
        await cluster.postgres.stopImmediately()
        await Bun.sleep(isLong ? 10 * second : second)
        await cluster.postgres.startAgain()
      },
    ],
    [
      'PostgreSQL hangs',
      async () => {
        cluster.postgres.pause()
        await Bun.sleep(isLong ? 20 * second : 2 * second)
        cluster.postgres.resume()
      },
    ],
    [
      'answers of PostgreSQL to a server are lost',
      async () => {
        const { postgres } = oldest()
        for (let round = 1; round <= 5; round += 1) {
          postgres.silence()
          await Bun.sleep(100)
          postgres.cut()
          postgres.mend()
          await Bun.sleep(300)
        }
      },
    ],
    [
      'a server joins, and leaves',
      async () => {
        const fourth = await cluster.join()
        await Bun.sleep(isLong ? 20 * second : 2 * second)
        expect(await fourth.end('SIGTERM')).toBe(0)
      },
    ],
  ]

  test('stores everything that it acknowledged, whatever fails', async () => {
    const served = await serving(cluster.client, shop)
    const workload = new Workload(cluster, shop, served, seed)
    workload.begin()
    await Bun.sleep(second)
    for (const [name, work] of faults.filter(([name]) => only.test(name))) {
      const startedAt = performance.now()
      await work()
      await ready()
      await Bun.sleep(second)
      const again = [...workload.repeated].map(([why, count]) => `${count} × ${why}`).join(', ')
      workload.repeated.clear()
      console.log(`${name}: ${workload.begun.size} runs, ${Math.round(performance.now() - startedAt)} ms; ${again}`)
    }
    await workload.end()
    if (only.source === '(?:)') expect(workload.begun.size).toBeGreaterThan(50)
    await workload.check()
  })
})
