/** The servers of a store in PostgreSQL, and how they share its work. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { systemClock } from '../../src/platform/time/clock.ts'
import { Cluster, type ClusterServer, clusterIsPossible } from '../support/cluster/cluster.ts'
import { eventually } from '../support/process.ts'
import { agentId, getRun, inState, start, transitionsOf } from '../support/run-records.ts'
import { data } from '../support/world/replies.ts'
import { callOperation, operation, type Shop, serveShop, startShop } from '../support/world/shop.ts'

describe.skipIf(!clusterIsPossible())('servers of one store', () => {
  let cluster: Cluster
  let admin: SQL
  let shop: Shop
  let served: Awaited<ReturnType<typeof serveShop>>
  beforeAll(async () => {
    shop = startShop()
    cluster = await Cluster.start({
      TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
      TROUPE_ATTEMPT_BACKOFF_MS: '1',
      TROUPE_WORKER_LEASE_MS: '5000',
    })
    const handler = { type: 'worker', queue: 'billing' }
    const operations = [
      operation('send'),
      operation('put', { idempotent: true }),
      operation('charge', { handler }),
      operation('look', { handler, effect: 'read' }),
    ]
    served = await serveShop((cluster.servers[0] as ClusterServer).client, shop, operations)
    admin = new SQL({ url: `postgres://troupe@127.0.0.1:${cluster.postgres.port}/troupe`, max: 2 })
  })
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
    // slots move one by one after a server has joined
    await eventually('even shares', async () => {
      const all = await shares()
      const counts = all.map(([, count]) => count).toSorted((a, b) => a - b)
      return all.every(([owner]) => owner !== null) && counts.join() === '20,22,22'
    })
  })

  test.each([5_000, -5_000])('serve with one whose clock is %d ms off, and report it', async (offMs) => {
    const [first] = cluster.servers as [ClusterServer]
    const off = await cluster.joinWithClock({ now: () => Date.now() + offMs, after: systemClock.after })
    // measured with each heartbeat, including the delays of an overloaded machine
    const ready = await eventually('its skew', async () => {
      const { status, body } = await off.client.get('/readyz')
      return status === 200 && Math.abs(body.process.clockSkewMs - offMs) < 3_000 && body.process
    })
    expect(ready.clock).toBe('skewed')
    await eventually('one server whose clock is off', async () => {
      const { items } = (await first.client.get('/api/v1/processes')).body.data as { items: { clockSkewMs: number }[] }
      return items.filter(({ clockSkewMs }) => Math.abs(clockSkewMs) > 1_500).length === 1
    })

    // a write of one is read by the other
    const key = { name: `Off by ${offMs}`, operations: ['agent-runs:list'] }
    const { secret } = await data<{ secret: string }>(off.client.post('/api/v1/api-keys', key))
    expect((await first.client.get('/api/v1/agent-runs', { key: secret })).status).toBe(200)
    const clients = [first.client, off.client] as const
    const headers = { 'idempotency-key': `off-${offMs}` }
    const body = { agentId, query: '/call calculator {"expression": "6*7"}\n/say Done' }
    const same = await Promise.all(clients.map((client) => client.post('/api/v1/agent-runs', body, { headers })))
    expect(new Set(same.map((reply) => reply.body.data.id)).size).toBe(1)

    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, number) => start(clients[number % 2]!, '/sleep 500\n/say Done')),
    )
    for (const [number, { id }] of runs.entries()) {
      await inState(clients[(number + 1) % 2]!, id, 'completed')
      const moves = await transitionsOf(first.client, id)
      expect(moves.map(({ sequence }) => sequence)).toEqual(moves.map((_, place) => place + 1))
      expect(moves.filter(({ to }) => to === 'starting')).toHaveLength(1)
      const { body: proof } = await off.client.get(`/api/v1/actors/run/${id}/verify`)
      expect(proof.data).toMatchObject({ valid: true })
    }
    await off.stop()
  })

  const stateOfCalls = async (agentRunId: string) => {
    const answer = await cluster.client.get(`${served.path}/operation-invocations`, { query: { agentRunId } })
    return (answer.body.data.items as { state: string }[]).map(({ state }) => state)
  }

  test('leave the write in progress of another one alone, whoever joins; that of a killed one is unknown', async () => {
    shop.silent = true
    const [, , third] = cluster.servers as [ClusterServer, ClusterServer, ClusterServer]
    const writing = await callOperation(third.client, served, 'send')
    await eventually('a request', () => shop.asked.length === 1)
    // whichever server executes it: they started one after the other
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
  })

  test('declare one dead whose lock is free, and not one that is merely slow', async () => {
    const own = await admin.reserve()
    // as in `storage/postgres/locks.ts`
    const ofMember = 0x54_52_50_45 + 1
    await own.unsafe(`select pg_try_advisory_lock(${ofMember}, hashtext('slow'))`)
    for (const [id, holdsLock] of [
      ['slow', 1],
      ['ended', 1],
      ['older', 0],
    ])
      await own`insert into processes (id, version, public_url, started_at, beat_at, clock_at, serves, holds_lock)
        select ${id}, '1', public_url, 0, beat_at + 60000, clock_at, 0, ${holdsLock} from processes limit 1`
    const there = async () => {
      const rows = await own`select id from processes where id in ('slow', 'ended', 'older') order by id`
      return rows.map(({ id }: { id: string }) => id).join()
    }
    const silence = (id: string) =>
      own`update processes set beat_at = (extract(epoch from clock_timestamp()) * 1000)::bigint - 7000 where id = ${id}`
    // the slow one holds its lock, an older server has none
    for (const id of ['slow', 'ended', 'older']) await silence(id)
    const stillSilent = async () => {
      // no longer than that, however slow the machine is
      for (const id of ['slow', 'older']) await silence(id)
      return there()
    }
    await eventually('that one has ended', async () => (await stillSilent()) === 'older,slow')
    await own.unsafe(`select pg_advisory_unlock_all()`)
    await eventually('that the other one has ended', async () => (await stillSilent()) === 'older')
    await own`delete from processes where id = 'older'`
    own.release()
  })

  test('take over the slots of a killed one, and of one that ends at once', async () => {
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
  })

  describe('and workers', () => {
    interface Lease {
      invocationId: string
      token: string
      attempt: number
    }
    let here: ClusterServer
    let there: ClusterServer
    beforeAll(async () => {
      await cluster.join()
      ;[here, there] = cluster.servers as [ClusterServer, ClusterServer]
    })

    const invoked = ({ client }: ClusterServer, name: string) =>
      client
        .post(`${served.path}/agents/${served.agentId}/operations/shop.${name}/invoke`, { input: {} })
        .then(({ body }) => body.data as { id: string; state: string; output: unknown })
    const leased = async ({ client }: ClusterServer, workerId: string): Promise<Lease> => {
      const body = { queue: 'billing', workerId, slots: 1, waitSeconds: 25 }
      return (await client.post(`${served.path}/workers/leases`, body)).body.data.lease
    }
    const complete = ({ client }: ClusterServer, { invocationId, token }: Lease, output: unknown) =>
      client.post(`${served.path}/workers/invocations/${invocationId}/complete`, { token, output })
    const invocation = async (id: string) =>
      (await cluster.client.get(`${served.path}/operation-invocations/${id}`)).body.data

    // polling the store would take longer than the test allows
    test('have calls executed by workers that wait at another one, and answered at any', async () => {
      for (let call = 0; call < 20; call += 1) {
        const waiting = leased(there, 'w1')
        const called = invoked(here, 'charge')
        const lease = await waiting
        expect((await complete(call % 2 === 0 ? here : there, lease, call)).status).toBe(200)
        expect(await called).toMatchObject({ id: lease.invocationId, state: 'succeeded', output: call })
      }
    })

    test('give each call to one worker, whichever server it polls', async () => {
      const made: string[] = []
      const called: Promise<{ state: string }>[] = []
      for (let call = 0; call < 40; call += 1) called.push(invoked(call % 2 === 0 ? here : there, 'charge'))
      const work = async (server: ClusterServer, workerId: string) => {
        while (made.length < 40) {
          const body = { queue: 'billing', workerId, slots: 3, waitSeconds: 0 }
          const reply = await server.client.post(`${served.path}/workers/leases`, body)
          if (reply.status === 204) continue
          for (const lease of [reply.body.data.lease, ...reply.body.data.more] as Lease[]) {
            made.push(lease.invocationId)
            expect((await complete(server, lease, null)).status).toBe(200)
          }
        }
      }
      await Promise.all([work(here, 'w1'), work(here, 'w2'), work(there, 'w3'), work(there, 'w4')])
      expect((await Promise.all(called)).map(({ state }) => state)).toEqual(Array(40).fill('succeeded'))
      expect([made.length, new Set(made).size]).toEqual([40, 40])
    })

    test('give the call of a dead worker to one at another server, unless it must not be repeated', async () => {
      const calls = [invoked(here, 'look'), invoked(here, 'charge')]
      const dead = [await leased(here, 'dead'), await leased(here, 'dead')]
      const again = await leased(there, 'w1')
      expect(again.attempt).toBe(2)
      const lost = dead.find(({ invocationId }) => invocationId !== again.invocationId) as Lease
      const late = dead.find(({ invocationId }) => invocationId === again.invocationId) as Lease
      expect((await complete(here, late, 'late')).body.error.code).toBe('stale_lease')
      expect((await complete(there, again, 'good')).status).toBe(200)
      expect((await calls[0])?.output).toBe('good')
      expect(await calls[1]).toMatchObject({ id: lost.invocationId, state: 'unknown' })
    })

    test('accept the answer to a call whose server was killed', async () => {
      void invoked(there, 'charge').catch(() => {})
      const lease = await leased(here, 'w1')
      await there.kill()
      expect((await complete(here, lease, 'kept')).status).toBe(200)
      await eventually('its end', async () => (await invocation(lease.invocationId)).state === 'succeeded')
      expect((await invocation(lease.invocationId)).output).toBe('kept')
    })
  })
})
