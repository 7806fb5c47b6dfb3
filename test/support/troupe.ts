/**
 * The whole server in this process, as `program.ts` starts it: real HTTP on a free port, a real SQLite file, and a clock
 * that a test may move. A new store has completed its first start. For what has to survive a crash, see `process.ts`.
 * With `TROUPE_TEST_SERVERS=3` three servers share one database and one Redis, and each request goes to the next one.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { createLogger } from '../../src/platform/operating/logger.ts'
import { type Clock, systemClock } from '../../src/platform/time/clock.ts'
import { traceFields } from '../../src/platform/tracing/request-spans.ts'
import { tracesAreOn } from '../../src/platform/tracing/settings.ts'
import { type RunningServer, startServer } from '../../src/server/server.ts'
import { api, type Client, registerServer, unregisterServer } from './client.ts'
import { openProxy } from './cluster/proxy.ts'
import { type RedisServer, startRedis } from './services/redis.ts'
import { placeStore, serverCount } from './stores/engine.ts'
import { bootstrapKey, ownerEmail, ownerPassword } from './stores/used-store.ts'

export { ownerEmail, ownerPassword }

export interface Troupe {
  url: string
  /** The owner's key of the first organization, with all operations. */
  key: string
  owner: Client
  /** Any other credential; null sends none. */
  as(key: string | null): Client
  /** The path of the store's file. */
  file: string
  /** Lines of the log, as objects. */
  lines: Record<string, unknown>[]
  stop(): Promise<void>
}

export interface TroupeOptions {
  environment?: Record<string, string>
  clock?: Clock
  /** An existing folder to use; it is not removed. */
  folder?: string
  /** The level of the lines that are kept; default `warn`. */
  logLevel?: 'warn' | 'debug'
}

/** The same instants, for servers that poll the store for the work of others: their waits also end in real time. */
const passing = (clock: Clock): Clock => ({
  now: () => clock.now(),
  after(delayMs, callback) {
    const once = () => {
      both.cancel()
      callback()
    }
    const waits = [clock.after(delayMs, once), systemClock.after(delayMs, once)]
    const both = {
      cancel() {
        for (const wait of waits) wait.cancel()
      },
    }
    return both
  },
})

let redis: Promise<RedisServer> | undefined

/** The proxy in front of several servers, and their relay of messages. */
async function openFront() {
  redis ??= startRedis()
  const { url: redisUrl } = await redis
  const { url, servers, stop } = openProxy({ probes: false })
  return { url, servers, stop, environment: { REDIS_URL: redisUrl, TROUPE_PUBLIC_URL: url } }
}

export async function openTroupe({
  environment = {},
  clock = systemClock,
  folder,
  logLevel = 'warn',
}: TroupeOptions = {}): Promise<Troupe> {
  // while a file is loading, the folder of the tests may not exist yet
  await mkdir(tmpdir(), { recursive: true, mode: 0o711 })
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'troupe-')))
  const file = join(home, 'troupe.db')
  const place = await placeStore(home, clock, clock === systemClock ? 0 : clock.now())
  const lines: Record<string, unknown>[] = []
  const front = serverCount > 1 ? await openFront() : undefined
  const { config } = readConfig({
    PORT: '0',
    TROUPE_OWNER_PASSWORD: ownerPassword,
    TROUPE_BOOTSTRAP_API_KEY: bootstrapKey,
    ...place.environment,
    ...front?.environment,
    ...environment,
  })
  const fieldsOf = tracesAreOn(config) ? traceFields : undefined
  const logger = createLogger(logLevel, { write: (line) => void lines.push(JSON.parse(line)) }, fieldsOf)
  const before = new Set(process.listeners('beforeExit'))
  const servers: RunningServer[] = []
  for (let count = 0; count < serverCount; count += 1)
    servers.push(await startServer(config, logger, { clock: front ? passing(clock) : clock, leavingMs: 0 }))
  const added = process.listeners('beforeExit').filter((listener) => !before.has(listener))
  front?.servers.push(...servers.map((each) => each.url))
  const { url } = front ?? (servers[0] as RunningServer)
  registerServer(url)
  return {
    url,
    key: bootstrapKey,
    owner: api(url, bootstrapKey),
    as: (credential) => api(url, credential),
    file,
    lines,
    async stop() {
      await Promise.all(servers.splice(0).map((each) => each.stop()))
      front?.stop()
      unregisterServer(url)
      // Elysia's listeners, and the variables of tests, live until the process ends; the server's memory need not
      for (const listener of added.splice(0)) process.off('beforeExit', listener)
      if (folder) return
      await rm(home, { recursive: true, force: true })
      await place.remove()
    },
  }
}
