/**
 * Servers that share a store: one PostgreSQL and one Redis, started like in the tests, but with commits that are synced
 * to the disk.
 */
import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../src/tenancy/api-keys/secret.ts'
import { type PostgresServer, startPostgres } from '../test/support/postgres.ts'
import { type RedisServer, startRedis } from '../test/support/redis.ts'
import { keysOfOthers, owner } from './organizations.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from './server.ts'

/** On the disk. PostgreSQL does not run as root, and another user may not have access to the folder of the checkout. */
const parentOfData = () => (process.getuid?.() === 0 ? mkdtempSync(join('/var/tmp', 'troupe-bench-')) : freshFolder())

export interface Engines {
  postgres: PostgresServer
  redis: RedisServer
  stop(): Promise<void>
}

export async function startEngines(): Promise<Engines> {
  const parent = parentOfData()
  chmodSync(parent, 0o755)
  const redis = await startRedis()
  const postgres = await startPostgres({
    parent,
    settings: { fsync: 'on', shared_buffers: '256MB', autovacuum: 'on', max_connections: '300' },
  })
  return {
    postgres,
    redis,
    async stop() {
      await Promise.all([postgres.remove(), redis.stop()])
      removeFolder(parent)
    },
  }
}

/** One or more servers of a store, with the same organizations. */
export interface Servers {
  servers: Server[]
  /** A key of each organization. */
  keys: string[]
  stop(): Promise<void>
}

const masterKeys = `bench:${Buffer.alloc(32, 7).toString('base64')}`

/** Starts the servers, one after the other, on a new database; without engines one server on SQLite. */
export async function startServers(
  engines: Engines | undefined,
  { count = 1, organizations, settings }: { count?: number; organizations: number; settings?: Record<string, string> },
): Promise<Servers> {
  const folder = freshFolder()
  const key = newSecret()
  const shared = engines && {
    TROUPE_STORE: await engines.postgres.create(`bench_${crypto.randomUUID().slice(0, 8)}`),
    REDIS_URL: engines.redis.url,
    // one for all; nothing uses it
    TROUPE_PUBLIC_URL: 'http://127.0.0.1:3000',
    TROUPE_MASTER_KEYS: masterKeys,
  }
  const servers: Server[] = []
  for (let number = 0; number < count; number += 1)
    servers.push(await startTroupe({ folder, key, settings: { ...owner.settings, ...shared, ...settings } }))
  const keys = await keysOfOthers(servers[0] as Server, organizations)
  return {
    servers,
    keys,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
      removeFolder(folder)
    },
  }
}
