/**
 * Servers that must not join the others are refused with one line, and the services that they depend on may fail and
 * recover.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import type { Reply } from '../support/client.ts'
import { Cluster, type ClusterServer, clusterIsPossible, masterKeys } from '../support/cluster/cluster.ts'
import { openRelay, type Relay } from '../support/cluster/relay.ts'
import { eventually } from '../support/process.ts'
import { agentId, getRun, inState, start } from '../support/run-records.ts'
import { startRedis } from '../support/services/redis.ts'
import { type SmallDisk, smallDisk } from '../support/stores/small-disk.ts'

/** Replaces these bytes everywhere by others of the same length. */
function replacing(...pairs: [from: Buffer, to: Buffer][]) {
  return (bytes: Uint8Array) => {
    const changed = Buffer.from(bytes)
    for (const [from, to] of pairs)
      for (let at = changed.indexOf(from); at >= 0; at = changed.indexOf(from, at + 1)) to.copy(changed, at)
    return changed
  }
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

/** A copy of the store, whose tables are on the full disk; the log of PostgreSQL is not. */
async function onSmallDisk(admin: SQL, { folder }: SmallDisk) {
  const place = join(folder, 'tables')
  await mkdir(place)
  Bun.spawnSync(['chown', 'postgres', folder, place])
  await admin.unsafe(`create tablespace small location '${place}'`)
  await admin.unsafe('create database troupe_small template troupe tablespace small')
}

const disk = await smallDisk(64)

const expectAway = ({ status, body, headers }: Reply) => {
  expect({ status, code: body?.error?.code }).toEqual({ status: 503, code: 'store_unavailable' })
  expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
}

describe.skipIf(!clusterIsPossible())('beside a running server', () => {
  let cluster: Cluster
  let server: ClusterServer
  let admin: SQL
  const relays: Relay[] = []
  beforeAll(async () => {
    cluster = await Cluster.start({}, 0)
    admin = new SQL({ url: cluster.storeAddress.replace(/troupe$/, 'postgres'), max: 1 })
    if (disk) await onSmallDisk(admin, disk)
    server = await cluster.join()
  })
  afterAll(async () => {
    await admin?.close()
    for (const relay of relays) relay.stop()
    await cluster?.stop()
    await disk?.remove()
  })

  const through = (port: number, ...pairs: [Buffer, Buffer][]) => {
    const relay = openRelay(port, replacing(...pairs))
    relays.push(relay)
    return relay.port
  }
  const sql = async (text: string) => {
    const own = new SQL({ url: cluster.storeAddress, max: 1 })
    await own.unsafe(text).finally(() => own.close())
  }

  test.concurrent('one with other master keys is refused', async () => {
    const other = Buffer.alloc(32, 8).toString('base64')
    expect(await cluster.refused({ TROUPE_MASTER_KEYS: `test:${other}` })).toBe(
      'TROUPE_MASTER_KEYS: the key test is not the one that the secrets of this store are encrypted with.',
    )
    expect(await cluster.refused({ TROUPE_MASTER_KEYS: `other:${other}` })).toBe(
      'TROUPE_MASTER_KEYS: has no key test, which the secrets of this store are encrypted with.',
    )
  })

  test.concurrent('one that would encrypt with a key which the others lack is refused, and changes nothing', async () => {
    const added = `added:${Buffer.alloc(32, 9).toString('base64')}`
    expect(await cluster.refused({ TROUPE_MASTER_KEYS: `${added},${masterKeys}` })).toBe(
      'TROUPE_MASTER_KEYS: another server of this store does not have the key added, and could not read what this one ' +
        'encrypts. Add it after the old key on every server first, and then put it first.',
    )
    // after the old one it is welcome, and the others need not have it
    const joined = await cluster.join({ TROUPE_MASTER_KEYS: `${masterKeys},${added}` })
    expect(await joined.end('SIGTERM')).toBe(0)
    const without = await cluster.join()
    expect(await without.end('SIGTERM')).toBe(0)
  })

  test.concurrent('one with another Redis is refused, and so is one whose Redis is unavailable', async () => {
    const redis = await startRedis()
    const message = /^REDIS_URL: no other server of this store is heard over this Redis/
    expect(await cluster.refused({ REDIS_URL: redis.url })).toMatch(message)
    await redis.kill()
    expect(await cluster.refused({ REDIS_URL: redis.url })).toMatch(message)
    await redis.stop()
  })

  test.concurrent('one without a public URL, or with another one, is refused', async () => {
    expect(await cluster.refused({ TROUPE_PUBLIC_URL: '' })).toBe(
      'TROUPE_PUBLIC_URL: is required if several servers share a store.',
    )
    expect(await cluster.refused({ TROUPE_PUBLIC_URL: 'https://other.example' })).toStartWith(
      `TROUPE_PUBLIC_URL: must be ${cluster.proxy.url},`,
    )
  })

  test.concurrent('one whose Redis is too old is refused', async () => {
    const redis = new RedisClient(cluster.redis.url)
    const [, version = ''] = /redis_version:(\S+)/.exec(await redis.send('INFO', ['server'])) ?? []
    redis.close()
    const old = `5.${version.slice(2)}`
    const port = through(cluster.redis.port, [
      Buffer.from(`redis_version:${version}`),
      Buffer.from(`redis_version:${old}`),
    ])
    expect(await cluster.refused({ REDIS_URL: `redis://127.0.0.1:${port}` })).toBe(
      `REDIS_URL: Redis ${old} is too old; version 6.2 or later is needed.`,
    )
  })

  test.concurrent('one whose PostgreSQL is too old is refused', async () => {
    const [{ version }] = (await admin`select current_setting('server_version_num') as version`) as [
      { version: string },
    ]
    const port = through(
      cluster.postgres.port,
      [Buffer.from(version), Buffer.from('130018')],
      [int32(Number(version)), int32(130_018)],
    )
    expect(await cluster.refused({ TROUPE_STORE: `postgres://troupe@127.0.0.1:${port}/troupe` })).toBe(
      `The store postgres://127.0.0.1:${port}/troupe is PostgreSQL 13; version 14 or later is required.`,
    )
  })

  test.concurrent('one with a wrong password is refused, without the password', async () => {
    await admin.unsafe("create role guarded login superuser password 'correct-horse'")
    const [{ hba_file: file }] = (await admin`show hba_file`) as [{ hba_file: string }]
    await writeFile(file, `host all guarded 127.0.0.1/32 scram-sha-256\n${await readFile(file, 'utf8')}`)
    await admin`select pg_reload_conf()`
    const address = (password: string) => `postgres://guarded:${password}@127.0.0.1:${cluster.postgres.port}/troupe`
    await eventually('a database that asks for the password', async () => {
      const asked = new SQL({ url: address('wrong'), max: 1 })
      const refused = await asked`select 1`.then(
        () => false,
        () => true,
      )
      await asked.close()
      return refused
    })
    const line = await cluster.refused({ TROUPE_STORE: address('battery-staple') })
    expect(line).toMatch(
      /^The store postgres:\/\/127\.0\.0\.1:\d+\/troupe cannot be opened: password authentication failed/,
    )
    expect(line).not.toContain('battery-staple')
    const joined = await cluster.join({ TROUPE_STORE: address('correct-horse') })
    expect(await joined.end('SIGTERM')).toBe(0)
  })

  test('one whose Redis evicts keys logs a warning, and serves', async () => {
    const redis = new RedisClient(cluster.redis.url)
    await redis.send('CONFIG', ['SET', 'maxmemory-policy', 'allkeys-lru'])
    const joined = await cluster.join()
    expect(joined.output()).toMatch(/maxmemory-policy is allkeys-lru, not noeviction/)
    const { id } = await start(joined.client, '/say Hi')
    await inState(server.client, id, 'completed')
    await redis.send('CONFIG', ['SET', 'maxmemory-policy', 'noeviction'])
    redis.close()
    expect(await joined.end('SIGTERM')).toBe(0)
  })

  test('one of an earlier version than the last migration is refused, and the running one continues', async () => {
    await sql(
      "insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2099-01-01T00:00:00.000Z')",
    )
    expect(await cluster.refused()).toMatch(/newer than this program.*9999-from-the-future/)
    const { id } = await start(server.client, '/say Hi')
    await inState(server.client, id, 'completed')
    await sql("delete from kysely_migration where name = '9999-from-the-future'")
  })

  test('an unavailable database is answered by 503, and everything continues when it is back', async () => {
    const { id } = await start(server.client, '/sleep 1000\n/say Done')
    await inState(server.client, id, 'running')
    await admin.unsafe('alter database troupe allow_connections false')
    await eventually('a database that nobody uses', async () => {
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'troupe'`
      return admin.unsafe('alter database troupe rename to gone').then(
        () => true,
        () => false,
      )
    })
    expectAway(await server.client.get(`/api/v1/agent-runs/${id}`))
    expectAway(await server.client.post('/api/v1/agent-runs', { agentId, query: '/say Hi' }))
    // an answer is valid for a second
    await eventually('a server that says so', async () => {
      const { status, body } = await server.client.get('/readyz')
      return status === 503 && body.checks.store === 'failing'
    })
    await admin.unsafe('alter database gone rename to troupe')
    // not admitted yet
    expectAway(await server.client.get(`/api/v1/agent-runs/${id}`))
    await admin.unsafe('alter database troupe allow_connections true')
    await eventually('a server that is ready', async () => (await server.client.get('/readyz')).status === 200)
    await inState(server.client, id, 'completed')
    await inState(server.client, (await start(server.client, '/say After')).id, 'completed')
  })
  test.skipIf(!disk)(
    'on a full disk starts are answered by 503, acknowledged runs are kept, and free space is the only remedy needed',
    async () => {
      const small = await cluster.site.start({
        REDIS_URL: cluster.redis.url,
        TROUPE_STORE: `${cluster.storeAddress}_small`,
        TROUPE_RUNNER: 'none',
      })
      const { client } = small
      const acknowledged: string[] = []
      for (let count = 0; count < 5; count += 1) acknowledged.push((await start(client, `/say ${count}`)).id)
      disk?.fill()
      const query = () => Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64')
      const refused = await eventually('a refusal', async () => {
        const reply = await client.post('/api/v1/agent-runs', { agentId, query: query() })
        if (reply.status === 200) acknowledged.push(reply.body.data.id)
        return reply.status !== 200 && reply
      })
      expectAway(refused)
      for (const id of acknowledged) expect(await getRun(client, id)).toMatchObject({ id, state: 'queued' })
      await disk?.clear()
      await eventually('a server that is ready', async () => (await client.get('/readyz')).status === 200)
      acknowledged.push((await start(client, '/say there is room')).id)
      expect((await client.get('/api/v1/agent-runs', { query: { limit: 100 } })).body.agentRuns).toHaveLength(
        acknowledged.length,
      )
      expect(await small.end('SIGTERM')).toBe(0)
    },
  )
})
