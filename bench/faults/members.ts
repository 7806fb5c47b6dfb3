/** Several servers of one store, each with relays of its own to PostgreSQL and Redis, that can be killed and frozen. */
import { join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import { openRelay, type Relay } from '../../test/support/cluster/relay.ts'
import { type Engines, newDatabaseName, settingsOfShared, startEngines } from '../cluster.ts'
import { until } from '../load.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'

const patienceMs = 300_000

export interface Member {
  name: string
  server: Server
  postgres: Relay
  redis: Relay
  /** How far its clock is ahead, in milliseconds. */
  clockAheadMs: number
}

interface Logged {
  type?: string
  code?: string
}

export class Members {
  readonly all: Member[] = []
  /** What the servers have logged, each line with the server's name. */
  readonly log: string[] = []
  readonly #folder = freshFolder()
  #key: string | undefined

  private constructor(
    readonly engines: Engines,
    private readonly database: string,
    private readonly settings: Record<string, string>,
  ) {}

  static async start(count: number, settings: Record<string, string>): Promise<Members> {
    const engines = await startEngines()
    const database = newDatabaseName()
    const shared = await settingsOfShared(engines, database)
    const members = new Members(engines, database, { ...shared, ...settings })
    for (let number = 0; number < count; number += 1) {
      const member = {
        name: 'abcdefgh'[number] as string,
        postgres: openRelay(engines.postgres.port),
        redis: openRelay(Number(new URL(engines.redis.url).port)),
        clockAheadMs: 0,
      }
      members.all.push({ ...member, server: await members.#startServer(member) })
    }
    return members
  }

  async #startServer({ name, postgres, redis, clockAheadMs }: Omit<Member, 'server'>): Promise<Server> {
    const server = await startTroupe({
      folder: this.#folder,
      ...(this.#key && { key: this.#key }),
      settings: {
        ...this.settings,
        TROUPE_STORE: `postgres://troupe@127.0.0.1:${postgres.port}/${this.database}`,
        REDIS_URL: `redis://127.0.0.1:${redis.port}`,
        BENCH_CLOCK_AHEAD_MS: `${clockAheadMs}`,
      },
      onLine: (line) => void this.log.push(`${name} ${line}`),
      preload: clockAheadMs === 0 ? [] : [join('faults', 'shifted-clock.ts')],
    })
    this.#key = server.key
    return server
  }

  /** Ends the server's process, and starts another one. */
  async restart(member: Member, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL') {
    await member.server.stop(signal)
    let server: Server | undefined
    // a start fails while PostgreSQL or Redis are away for longer than it waits for them
    while (!server) server = await this.#startServer(member).catch(() => undefined)
    member.server = server
  }

  /** Logged errors that say anything but that the store or the leases were away. */
  unexpectedErrors(): string[] {
    const isUnexpected = (line: string) => {
      const { type, code } = (JSON.parse(line.slice(line.indexOf('{'))) as { err?: Logged }).err ?? {}
      return !(/^(StoreUnavailable|LeasesUnavailable|OutcomeUnknown)$/.test(type ?? '') || code === 'store_unavailable')
    }
    return this.log.filter((line) => line.includes('"level":"error"') && isUnexpected(line))
  }

  /** Ends all sessions of the servers. */
  async endSessions() {
    const admin = new SQL({ url: `postgres://troupe@127.0.0.1:${this.engines.postgres.port}/postgres`, max: 1 })
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${this.database}`
    await admin.close()
  }

  async flushRedis() {
    const redis = new RedisClient(this.engines.redis.url)
    await redis.send('FLUSHALL', [])
    redis.close()
  }

  /** Waits until all servers say that they are ready. */
  untilReady = () =>
    until(
      'the readiness of all servers',
      patienceMs,
      async () => {
        const ready = await Promise.all(
          this.all.map(({ server: { port } }) =>
            fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(20_000) }).then(
              ({ ok }) => ok,
              () => false,
            ),
          ),
        )
        return ready.every(Boolean)
      },
      250,
    )

  async stop() {
    await Promise.all(this.all.map(({ server }) => server.stop()))
    for (const { postgres, redis } of this.all) {
      postgres.stop()
      redis.stop()
    }
    await this.engines.stop()
    removeFolder(this.#folder)
  }
}
