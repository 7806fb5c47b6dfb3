/** What can happen to servers of one store. Each fault ends with everything running again. */
import type { Member, Members } from './members.ts'

interface Context {
  members: Members
  /** A server. */
  member: Member
  random: () => number
}

export type Fault = (context: Context) => Promise<unknown>

const second = 1_000
const between = (random: () => number, from: number, to: number) => from + random() * (to - from)
const signal = ({ server }: Member, name: NodeJS.Signals) => process.kill(server.pid, name)

/** Longer than the leases of the servers, or not. */
const freeze: Fault = async ({ member, random }) => {
  signal(member, 'SIGSTOP')
  await Bun.sleep(between(random, second, 20 * second))
  signal(member, 'SIGCONT')
}

/** Which of its relays, in which way, for how long. */
const relay =
  (which: 'postgres' | 'redis', way: 'cut' | 'silence', longest: number): Fault =>
  async ({ member, random }) => {
    member[which][way]()
    await Bun.sleep(between(random, 50, longest))
    // connections whose bytes were kept for long are better not continued in half of the cases
    if (way === 'silence' && random() < 0.5) member[which].cut()
    member[which].mend()
  }

/** Two of them may happen at once, to different servers. */
export const faultsOfServers: Record<string, Fault> = {
  'kill -9 of a server': ({ members, member }) => members.restart(member),
  'SIGTERM of a server': ({ members, member }) => members.restart(member, 'SIGTERM'),
  'a server frozen': freeze,
  'a server cut off from PostgreSQL': relay('postgres', 'cut', 10 * second),
  'no answer of PostgreSQL to a server': relay('postgres', 'silence', 15 * second),
  // each time some commits are made whose answers are lost
  'answers of PostgreSQL to a server lost': async ({ member: { postgres }, random }) => {
    for (let round = 0; round < 8; round += 1) {
      postgres.silence()
      await Bun.sleep(between(random, 20, 300))
      postgres.cut()
      postgres.mend()
      await Bun.sleep(between(random, 100, 800))
    }
  },
  'a server cut off from Redis': relay('redis', 'cut', 10 * second),
  'no answer of Redis to a server': relay('redis', 'silence', 15 * second),
  'a server with a wrong clock': async ({ members, member, random }) => {
    member.clockAheadMs = Math.round(between(random, -8 * second, 8 * second))
    await members.restart(member)
    await Bun.sleep(between(random, second, 8 * second))
    member.clockAheadMs = 0
    await members.restart(member)
  },
}

export const faultsOfAll: Record<string, Fault> = {
  'sessions of PostgreSQL ended': ({ members }) => members.endSessions(),
  'fast restart of PostgreSQL': async ({ members: { engines }, random }) => {
    await engines.postgres.stopFast()
    await Bun.sleep(between(random, 0, 3 * second))
    await engines.postgres.startAgain()
  },
  'immediate restart of PostgreSQL': async ({ members: { engines }, random }) => {
    await engines.postgres.stopImmediately()
    await Bun.sleep(between(random, 0, 3 * second))
    await engines.postgres.startAgain()
  },
  'PostgreSQL frozen': async ({ members: { engines }, random }) => {
    engines.postgres.pause()
    await Bun.sleep(between(random, second, 15 * second))
    engines.postgres.resume()
  },
  'restart of Redis': async ({ members: { engines }, random }) => {
    await engines.redis.kill()
    await Bun.sleep(between(random, 0, 5 * second))
    await engines.redis.restart()
  },
  'FLUSHALL of Redis': ({ members }) => members.flushRedis(),
}
