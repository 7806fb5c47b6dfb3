/**
 * Several servers as processes on one PostgreSQL and one Redis, behind a proxy:
 *
 *     const cluster = await Cluster.start()
 *     const [a, b] = cluster.servers
 *     await start(a.client, '/sleep 1000')       // at this server
 *     await cluster.client.get('/api/v1/…')      // at the next one in turn
 */
import { expect } from 'bun:test'
import { RedisClient } from 'bun'
import { readConfig } from '../../../src/config.ts'
import { createLogger } from '../../../src/platform/operating/logger.ts'
import { type Clock, systemClock } from '../../../src/platform/time/clock.ts'
import { startServer } from '../../../src/server/server.ts'
import { firstStart } from '../../../src/tenancy/setup/first-start.ts'
import { api, type Client } from '../client.ts'
import { type Server, Site, within } from '../process.ts'
import { type PostgresServer, postgresIsInstalled, startPostgres } from '../services/postgres.ts'
import { type RedisServer, redisIsInstalled, startRedis } from '../services/redis.ts'
import { openMigrated } from '../stores/migrated-store.ts'
import { bootstrapKey, ownerEmail, ownerPassword } from '../stores/used-store.ts'
import { type FrontProxy, openProxy } from './proxy.ts'
import { openRelay, type Relay } from './relay.ts'

export const clusterIsPossible = () => postgresIsInstalled() && redisIsInstalled()

export interface ClusterServer extends Server {
  /** Kills the process, like a crash. */
  kill(): Promise<void>
  pause(): void
  resume(): void
  /** Its connection to Redis. */
  redis: Relay
  /** Its connection to PostgreSQL. */
  postgres: Relay
}

/** Of every server, unless a test gives others. */
export const masterKeys = `test:${Buffer.alloc(32, 7).toString('base64')}`

export class Cluster {
  readonly key = bootstrapKey
  readonly servers: ClusterServer[] = []

  private constructor(
    readonly site: Site,
    readonly proxy: FrontProxy,
    readonly redis: RedisServer,
    readonly postgres: PostgresServer,
    private readonly environment: Record<string, string>,
  ) {}

  /** Starts that many servers, one after the other, on a store that has completed its first start. */
  static async start(environment: Record<string, string> = {}, servers = 3): Promise<Cluster> {
    const [redis, postgres] = await Promise.all([startRedis(), startPostgres()])
    const address = await postgres.create('troupe')
    const store = await openMigrated(address)
    await firstStart(store, systemClock, { ownerEmail, ownerPassword, bootstrapApiKey: bootstrapKey })
    await store.close()
    const proxy = openProxy()
    const site = await Site.withoutStore({
      TROUPE_MASTER_KEYS: masterKeys,
      TROUPE_PUBLIC_URL: proxy.url,
      TROUPE_TRUSTED_PROXIES: '1',
      ...environment,
    })
    const cluster = new Cluster(site, proxy, redis, postgres, environment)
    for (let count = 0; count < servers; count += 1) await cluster.join()
    return cluster
  }

  /** A client whose requests go to the servers in turn. */
  get client(): Client {
    return api(this.proxy.url, this.key)
  }

  /** The same client with another credential. */
  as(key: string | null): Client {
    return api(this.proxy.url, key)
  }

  /** The settings of one more server, with its own relays to Redis and PostgreSQL. */
  #waysOf() {
    const redis = openRelay(this.redis.port)
    const postgres = openRelay(this.postgres.port)
    const settings = {
      REDIS_URL: `redis://127.0.0.1:${redis.port}`,
      TROUPE_STORE: `postgres://troupe@127.0.0.1:${postgres.port}/troupe`,
    }
    return { redis, postgres, settings }
  }

  /** Starts one more server. */
  async join(environment: Record<string, string> = {}): Promise<ClusterServer> {
    const { redis, postgres, settings } = this.#waysOf()
    const server = await this.site.start({ ...settings, ...this.environment, ...environment })
    this.proxy.servers.push(server.url)
    const forget = () => {
      const place = this.proxy.servers.indexOf(server.url)
      if (place >= 0) this.proxy.servers.splice(place, 1)
      redis.stop()
      postgres.stop()
    }
    void server.exited.then(forget)
    const joined: ClusterServer = {
      ...server,
      redis,
      postgres,
      kill: async () => void (await server.end('SIGKILL')),
      pause: () => process.kill(server.pid, 'SIGSTOP'),
      resume: () => process.kill(server.pid, 'SIGCONT'),
    }
    this.servers.push(joined)
    void server.exited.then(() => this.servers.splice(this.servers.indexOf(joined), 1))
    return joined
  }

  /** Starts one more server in this process with another clock; the proxy does not know it. */
  async joinWithClock(clock: Clock): Promise<{ client: Client; stop(): Promise<void> }> {
    const { config } = readConfig({
      PORT: '0',
      REDIS_URL: this.redis.url,
      TROUPE_STORE: this.storeAddress,
      TROUPE_MASTER_KEYS: masterKeys,
      TROUPE_PUBLIC_URL: this.proxy.url,
      TROUPE_BOOTSTRAP_API_KEY: bootstrapKey,
      TROUPE_OWNER_PASSWORD: ownerPassword,
      ...this.environment,
    })
    const { url, stop } = await startServer(config, createLogger('silent'), { clock, leavingMs: 0 })
    return { client: api(url, this.key), stop }
  }

  /**
   * The one line that a server logs when it is expected not to start; with these settings it would join the cluster.
   */
  async refused(environment: Record<string, string> = {}): Promise<string> {
    const { redis, postgres, settings } = this.#waysOf()
    const process_ = this.site.spawn({ ...settings, ...this.environment, ...environment })
    const code = await within(process_.exited, 'an end', process_.output)
    redis.stop()
    postgres.stop()
    const lines = process_.stderr().trimEnd().split('\n')
    expect({ code, lines }).toEqual({ code: 1, lines: [expect.any(String)] })
    return lines[0] as string
  }

  /** The address of the database that bypasses all faults. */
  get storeAddress(): string {
    return `postgres://troupe@127.0.0.1:${this.postgres.port}/troupe`
  }

  /** Flushes Redis. */
  async flushRedis() {
    const redis = new RedisClient(this.redis.url)
    await redis.send('FLUSHALL', [])
    redis.close()
  }

  async stop() {
    const servers = [...this.servers]
    for (const server of servers) server.resume()
    await Promise.all(servers.map((server) => server.kill()))
    this.proxy.stop()
    await Promise.all([this.redis.stop(), this.postgres.remove(), this.site.remove()])
  }
}
