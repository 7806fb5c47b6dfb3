/**
 * Serializes work on a resource: a caller waits for all earlier ones, and for other servers
 * that share the leases. Source: contract 4, "Rotations of one Integration run one after another".
 */
import { serviceUnavailable } from '../../platform/http/answers/errors.ts'
import { type Lease, type Leases, LeasesUnavailable } from '../../platform/leases/leases.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { pause } from '../../platform/time/pause.ts'

/** So many wait in a process; each of them may take as long as a provider does. */
const waitingMax = 20
/** Longer than the timeout of a provider. A longer turn is superseded, which its commit detects. */
const leaseMs = 30_000
/** Time in which another server's whole queue can have its turns. */
const patienceMs = 240_000
/** The wait before checking again whether another server is done. */
const lookMs = 100

export interface TurnsParts {
  leases: Pick<Leases, 'acquire' | 'release'>
  clock: Clock
}

export class Turns {
  readonly #last = new Map<string, { turn: Promise<unknown>; waiting: number }>()
  readonly #holder = crypto.randomUUID()

  constructor(private readonly parts: TurnsParts) {}

  /** The result of the work, once it has had its turn. Throws 503 when too many wait already, and what the work throws. */
  take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key)
    if (before && before.waiting >= waitingMax) throw tooMany()
    const leased = () => this.#leased(key, work)
    const turn = before ? before.turn.then(leased, leased) : leased()
    const mine = { turn, waiting: (before?.waiting ?? -1) + 1 }
    this.#last.set(key, mine)
    const done = () => {
      const last = this.#last.get(key)
      if (last === mine) this.#last.delete(key)
      else if (last) last.waiting -= 1
    }
    turn.then(done, done)
    return turn
  }

  async #leased<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const lease = await this.#lease(`turn:${key}`)
    try {
      return await work()
    } finally {
      // one that is not heard of lapses
      if (lease) await this.parts.leases.release(lease.key, lease.token).catch(ignoreAbsence)
    }
  }

  /** Null while the lease service is unavailable: this process continues with its own order. */
  async #lease(key: string): Promise<Lease | null> {
    const { leases, clock } = this.parts
    const until = clock.now() + patienceMs
    try {
      for (;;) {
        const lease = await leases.acquire(key, this.#holder, leaseMs)
        if (lease) return lease
        if (clock.now() >= until) throw tooMany()
        await pause(clock, lookMs)
      }
    } catch (error) {
      ignoreAbsence(error)
      return null
    }
  }
}

function ignoreAbsence(error: unknown): void {
  if (!(error instanceof LeasesUnavailable)) throw error
}

const tooMany = () =>
  serviceUnavailable('Too many rotations of this integration wait already. Try again when they are done.')
