/**
 * Finds attempts that are gone: their lease has lapsed, or they live without getting on. Liveness and progress are two
 * clocks. Source: contract 5, "a lease that is not renewed … and beats without step activity for 300 s count as lost".
 */
import type { RunContext } from '../../../machines/run.ts'
import { listAttempted } from '../../../storage/runs.ts'
import type { Store } from '../../../storage/store.ts'
import type { Leases } from '../../leases/leases.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Clock } from '../../runtime/clock.ts'
import { runAddress } from '../actor.ts'
import type { AttemptSessions } from './sessions.ts'

const pageSize = 500
const stallMs = 300_000

export interface ReaperParts {
  store: Store
  actors: Actors
  leases: Leases
  clock: Clock
  sessions: AttemptSessions
  leaseTtlMs: number
  /** Whether the lease of this machine died with an earlier process, so that nobody can renew it any more. */
  isGone(machine: string): boolean
  onLoss(): void
  onError(error: unknown, what: string): void
}

export class Reaper {
  #timer: { cancel(): void } | undefined
  #stopped = false
  readonly #startedAt: number

  constructor(private readonly parts: ReaperParts) {
    this.#startedAt = parts.clock.now()
  }

  /** Looks once, then three times in a lease's life. */
  async start() {
    await this.sweep().catch((error) => this.parts.onError(error, 'the reaper'))
    this.#later()
  }

  stop() {
    this.#stopped = true
    this.#timer?.cancel()
  }

  async sweep() {
    await this.#sweepLeases()
    const since = this.parts.clock.now() - stallMs
    for (const { claims } of this.parts.sessions.stalled(since)) {
      await this.#lose(claims.agentRunId, claims.fencingToken, 'The runner gives signs of life but does not get on.')
    }
  }

  #later() {
    if (this.#stopped) return
    this.#timer = this.parts.clock.after(this.parts.leaseTtlMs / 3, () => {
      this.sweep()
        .catch((error) => this.parts.onError(error, 'the reaper'))
        .finally(() => this.#later())
    })
  }

  async #sweepLeases() {
    const { store, leases } = this.parts
    let after = ''
    for (;;) {
      const runs = await store.all(listAttempted(store, { after, limit: pageSize }))
      const attempts = runs.flatMap(({ id, context }) => {
        const { lease } = JSON.parse(context) as RunContext
        return lease ? [{ id, lease }] : []
      })
      const held = await leases.read(attempts.map(({ lease }) => lease.machine))
      await Promise.all(
        attempts
          .filter(({ lease }) => held.get(lease.machine)?.token !== lease.fencingToken)
          .filter(({ lease }) => this.#hasHadItsChance(lease.machine))
          .map(({ id, lease }) => this.#lose(id, lease.fencingToken, 'The lease of the machine was lost.')),
      )
      const last = runs.at(-1)
      if (!last || runs.length < pageSize) return
      after = last.id
    }
  }

  /** After a restart the leases may be forgotten while their runners live on; they have one lease's life to renew. */
  #hasHadItsChance(machine: string) {
    return this.parts.isGone(machine) || this.parts.clock.now() - this.#startedAt >= this.parts.leaseTtlMs
  }

  async #lose(runId: string, fencingToken: number, message: string) {
    try {
      await this.parts.actors.send(runAddress(runId), {
        type: 'attemptLost',
        fencingToken,
        cause: { code: 'lease_lost', message },
      })
      this.parts.onLoss()
    } catch (error) {
      // It has ended in the meantime, or its record cannot be read; either way the others go on.
      this.parts.onError(error, `the lost attempt of ${runId}`)
    }
  }
}
