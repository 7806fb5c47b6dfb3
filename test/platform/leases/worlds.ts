/** The stores of leases, with what tests do to them: let time pass, lose all memory. */
import { Redis } from 'ioredis'
import type { Leases } from '../../../src/platform/leases/leases.ts'
import { openLeases } from '../../../src/platform/leases/open-leases.ts'
import { redisIsInstalled, startRedis } from '../../support/services/redis.ts'

export interface World {
  leases: Leases
  /** Another client of the same leases, if there can be one. */
  other: Leases
  /** Epoch milliseconds on the clock of the leases. */
  now(): Promise<number>
  /** Lets the lease of this key expire, which was just granted or renewed for `ttlMs`. */
  lapse(key: string, ttlMs: number): Promise<void>
  /** Loses all held and remembered leases. `leases` may be another object afterwards. */
  lose(): Promise<void>
  /** A separate client, for the caller to close. */
  open(): Promise<Leases>
  reset(): Promise<void>
  stop(): Promise<void>
}

async function embeddedWorld(): Promise<World> {
  let clock = Date.now()
  const now = () => clock
  const open = () => openLeases({ now })
  const leases = await open()
  const restart = async () => {
    await world.leases.close()
    world.leases = world.other = await open()
  }
  const world: World = {
    leases,
    other: leases,
    now: async () => clock,
    async lapse(_key, ttlMs) {
      clock += ttlMs
    },
    async lose() {
      clock += 1 // a restart takes longer
      await restart()
    },
    open,
    reset: restart,
    stop: () => world.leases.close(),
  }
  return world
}

async function redisWorld(): Promise<World> {
  const server = await startRedis()
  const admin = new Redis(server.url)
  const open = () => openLeases({ redisUrl: server.url })
  const leases = await open()
  const other = await open()
  return {
    leases,
    other,
    async now() {
      const [seconds, micros] = await admin.time()
      return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    },
    async lapse(key) {
      while ((await leases.read([key])).size > 0) await Bun.sleep(2)
    },
    async lose() {
      await admin.flushall()
    },
    open,
    async reset() {
      await admin.flushall()
    },
    async stop() {
      await leases.close()
      await other.close()
      admin.disconnect()
      await server.stop()
    },
  }
}

export const keepers: [name: string, build: () => Promise<World>][] = [['embedded', embeddedWorld]]
if (redisIsInstalled()) keepers.push(['Redis', redisWorld])
