/**
 * Servers that share a store: one PostgreSQL and one Redis, started like in the tests, but with commits that are synced
 * to the disk.
 */
import { chmodSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { newSecret } from '../src/tenancy/api-keys/secret.ts'
import { type PostgresServer, startPostgres } from '../test/support/services/postgres.ts'
import { type RedisServer, startRedis } from '../test/support/services/redis.ts'
import { keysOfOthers, owner } from './organizations.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from './server.ts'

/** On the disk. PostgreSQL does not run as root, and another user may not have access to the folder of the checkout. */
const parentOfData = () => (process.getuid?.() === 0 ? mkdtempSync(join('/var/tmp', 'troupe-bench-')) : freshFolder())

export interface Engines {
  postgres: PostgresServer
  redis: RedisServer
  /** What servers have sent so far: statements to this database, and commands to Redis. */
  sent(database: string): Promise<Sent>
  stop(): Promise<void>
}

export interface Sent {
  statements: number
  commands: number
}

/** Commands of servers to Redis, without their checks that it is there, and without those that a script calls. */
const commandsOfServers = ['eval', 'evalsha', 'publish', 'subscribe', 'unsubscribe']
const statementsOf = `select cast(coalesce(sum(calls), 0) as float8) as calls from pg_stat_statements
  join pg_database on pg_database.oid = dbid where datname = $1`

const countsStatements = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.max': '10000' }

export async function startEngines(): Promise<Engines> {
  const parent = parentOfData()
  chmodSync(parent, 0o755)
  const redis = await startRedis()
  const postgres = await startPostgres({
    parent,
    settings: { fsync: 'on', shared_buffers: '256MB', autovacuum: 'on', max_connections: '300', ...countsStatements },
  })
  const admin = new SQL({ url: `postgres://troupe@127.0.0.1:${postgres.port}/postgres`, max: 1 })
  await admin.unsafe('create extension pg_stat_statements')
  const client = new Bun.RedisClient(redis.url)
  return {
    postgres,
    redis,
    async sent(database) {
      const [rows, text] = await Promise.all([
        admin.unsafe(statementsOf, [database]),
        client.send('INFO', ['commandstats']) as Promise<string>,
      ])
      const calls = (command: string) => Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(text)?.[1] ?? 0)
      const commands = commandsOfServers.reduce((sum, command) => sum + calls(command), 0)
      return { statements: rows[0].calls, commands }
    },
    async stop() {
      client.close()
      await admin.close()
      await Promise.all([postgres.remove(), redis.stop()])
      removeFolder(parent)
    },
  }
}

/** One or more servers of a store, with the same organizations. */
interface Servers {
  servers: Server[]
  /** The name of their database; undefined: SQLite. */
  database: string | undefined
  /** A key of each organization. */
  keys: string[]
  stop(): Promise<void>
}

export const newDatabaseName = () => `bench_${crypto.randomUUID().slice(0, 8)}`

const masterKeys = `bench:${Buffer.alloc(32, 7).toString('base64')}`

/** Creates the database; returns the settings that its servers have in common. */
export async function settingsOfShared(engines: Engines, database: string): Promise<Record<string, string>> {
  return {
    TROUPE_STORE: await engines.postgres.create(database),
    REDIS_URL: engines.redis.url,
    // one for all; nothing uses it
    TROUPE_PUBLIC_URL: 'http://127.0.0.1:3000',
    TROUPE_MASTER_KEYS: masterKeys,
  }
}

/** Starts the servers, one after the other, on a new database; without engines one server on SQLite. */
export async function startServers(
  engines: Engines | undefined,
  { count = 1, organizations, settings }: { count?: number; organizations: number; settings?: Record<string, string> },
): Promise<Servers> {
  const folder = freshFolder()
  const key = newSecret()
  const database = engines && newDatabaseName()
  const shared = engines && (await settingsOfShared(engines, database as string))
  const servers: Server[] = []
  for (let number = 0; number < count; number += 1)
    servers.push(await startTroupe({ folder, key, settings: { ...owner.settings, ...shared, ...settings } }))
  const keys = await keysOfOthers(servers[0] as Server, organizations)
  return {
    servers,
    database,
    keys,
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
      removeFolder(folder)
    },
  }
}
