/**
 * Finds lost attempts: those whose lease expired, and those with heartbeats but without progress. Source: contract 5,
 * "beats without step activity".
 */
import type { HeldLease } from '../../../../machines/run.ts'
import { findProgress, listAttempted, noteProgress } from '../../../../storage/runs/run-queue.ts'
import { slotOf } from '../../../../storage/slots.ts'
import type { Store } from '../../../../storage/store.ts'
import { ApiError } from '../../../platform/http/answers/errors.ts'
import type { Leases } from '../../../platform/leases/leases.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { fewAtOnce } from '../../../platform/time/few-at-once.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { slotsOf, type WorkShare } from '../../../runtime/work-share.ts'
import { runAddress } from '../../record.ts'
import { lastActivityOf } from '../last-activity.ts'
import type { AttemptSessions } from '../sessions.ts'

const pageSize = 500
const stallMs = 300_000
/** The interval at which the progress of a model call is stored for other servers. */
const noteMs = 60_000

interface ReaperParts {
  store: Store
  actors: Actors
  leases: Leases
  clock: Clock
  sessions: AttemptSessions
  leaseTtlMs: number
  /** Whether the lease of this machine belongs to a process that has died, and can no longer be renewed. */
  isGone(machine: string): boolean
  /** The servers of the store. */
  members: WorkShare
  onLoss(): void
  onError(error: unknown, what: string): void
}

export class Reaper {
  #timer: { cancel(): void } | undefined
  #unsubscribe = () => {}
  #stopped = false
  /** The time of the last sweep; undefined before the first. */
  #lookedAt: number | undefined
  /** When attempts got their leases back because nobody could renew them; epoch milliseconds. */
  readonly #takenUp = new Map<string, number>()

  constructor(private readonly parts: ReaperParts) {}

  /**
   * Restores the leases of a previous process, sweeps once, then three times per lease duration. Must be called before
   * any lease is granted: a slot must not be leased twice.
   */
  async start() {
    await this.#takeUpLeases().catch((error) => this.parts.onError(error, 'the leases of an earlier process'))
    await this.sweep().catch(this.#failed)
    this.#later()
    // attempts of a server that has died continue at once
    this.#unsubscribe = this.parts.members.onChange(() => {
      this.#sweepLeases(this.parts.members.slots).catch(this.#failed)
    })
  }

  stop() {
    this.#stopped = true
    this.#unsubscribe()
    this.#timer?.cancel()
  }

  async sweep() {
    const { sessions, clock, leaseTtlMs } = this.parts
    const startedAt = clock.now()
    const sinceMs = startedAt - (this.#lookedAt ?? startedAt)
    this.#lookedAt = startedAt
    // after a pause of this process or a clock change, silence proves nothing: every attempt gets one lease duration
    if (sinceMs > (2 * leaseTtlMs) / 3 || sinceMs < 0) {
      await this.#takeUpLeases()
      sessions.takeUp(startedAt)
    }
    // those of the query: a slot that this server gets meanwhile has attempts that are not listed
    const { slots } = this.parts.members
    const alive = await this.#sweepLeases(slots)
    sessions.forgetAllBut(alive, startedAt - leaseTtlMs, (runId) => slots.includes(slotOf(runId)))
    await this.#noteProgress(startedAt)
    for (const session of sessions.stalled(startedAt - stallMs)) {
      const { claims } = session
      // a runner may report to another server, or wait there for a model call
      if (this.parts.members.living.size > 1) session.progressAt = await this.#storedProgress(claims.agentRunId)
      if (session.progressAt > startedAt - stallMs) continue
      await this.#lose(claims.agentRunId, claims, 'The runner sends heartbeats but reports no progress.')
    }
  }

  /** A runner may send its heartbeats to another server than the one that calls the model for it. */
  async #noteProgress(now: number) {
    const { store, sessions, members } = this.parts
    if (members.living.size === 1) return
    for (const session of sessions.unnoted(now - noteMs)) {
      const { claims, progressAt } = session
      await store.commit([noteProgress(store, { id: claims.agentRunId, at: progressAt })], null)
      session.notedAt = progressAt
    }
  }

  async #storedProgress(runId: string): Promise<number> {
    const { store } = this.parts
    const [activityAt, noted] = await Promise.all([
      lastActivityOf(store, runId),
      store.first(findProgress(store, { id: runId })),
    ])
    return Math.max(activityAt, noted?.progress_at ?? 0)
  }

  /** A sweep that the stop interrupts finds the leases closed. */
  readonly #failed = (error: unknown) => {
    if (!this.#stopped) this.parts.onError(error, 'the reaper')
  }

  #later() {
    if (this.#stopped) return
    this.#timer = this.parts.clock.after(this.parts.leaseTtlMs / 3, () => {
      this.sweep()
        .catch(this.#failed)
        .finally(() => this.#later())
    })
  }

  /**
   * After a restart of Redis leases may be missing, and after a pause of this process expired, while their runners
   * continue: they get their slots back for one lease duration, in which they can renew.
   */
  async #takeUpLeases() {
    const { leases, clock, isGone, leaseTtlMs } = this.parts
    for await (const { attempts, held } of this.#attempted(this.parts.members.slots)) {
      const forgotten = attempts.filter(({ lease }) => !held.has(lease.machine) && !isGone(lease.machine))
      for (const { lease } of forgotten) {
        await leases.renew(lease.machine, lease.attemptId, lease.fencingToken, leaseTtlMs)
        this.#takenUp.set(lease.attemptId, clock.now())
      }
    }
  }

  /** Ends attempts with lost leases. Returns the ids of the others. */
  async #sweepLeases(slots: readonly number[]): Promise<Set<string>> {
    const { isGone } = this.parts
    const alive = new Set<string>()
    const ended = new Set(this.#takenUp.keys())
    for await (const { attempts, held } of this.#attempted(slots)) {
      const lost = attempts.filter(
        ({ lease }) => isGone(lease.machine) || held.get(lease.machine)?.token !== lease.fencingToken,
      )
      for (const { lease } of attempts) {
        alive.add(lease.attemptId)
        ended.delete(lease.attemptId)
      }
      for (const { lease } of lost) alive.delete(lease.attemptId)
      const message = 'The lease of the machine was lost.'
      await fewAtOnce(lost, ({ id, lease }) => this.#lose(id, lease, message, this.#isOwnLoss(lease)))
    }
    for (const attemptId of ended) this.#takenUp.delete(attemptId)
    return alive
  }

  /**
   * Whether the server lost the attempt, which does not count as a failure of the run: it ended with the server's
   * previous process, or its runner has sent no heartbeat since the server could receive none.
   */
  #isOwnLoss({ machine, attemptId }: HeldLease): boolean {
    const takenUpAt = this.#takenUp.get(attemptId)
    return (
      this.parts.isGone(machine) || (takenUpAt !== undefined && !this.parts.sessions.beatSince(attemptId, takenUpAt))
    )
  }

  /** All attempts in these slots that should hold a machine, with the held leases, page by page. */
  async *#attempted(slots: readonly number[]) {
    const { store, leases, members } = this.parts
    for (let after = ''; ; ) {
      const runs = await store.all(listAttempted(store, { after, slots: slotsOf({ slots }), limit: pageSize }))
      // after the read, so that a server that has just joined does not count as dead
      if (runs.length > 0) await members.look()
      const attempts = runs.flatMap(({ id, context }) => {
        const lease = this.#leaseOf(id, context)
        return lease ? [{ id, lease }] : []
      })
      yield { attempts, held: await leases.read(attempts.map(({ lease }) => lease.machine)) }
      const last = runs.at(-1)
      if (!last || runs.length < pageSize) return
      after = last.id
    }
  }

  #leaseOf(runId: string, context: string): HeldLease | null {
    try {
      const { lease } = JSON.parse(context) as { lease: HeldLease | null }
      return typeof lease?.machine === 'string' && lease.machine !== '' ? lease : null
    } catch (error) {
      // A damaged run must not stop the sweep.
      this.parts.onError(error, `the snapshot of ${runId}`)
      return null
    }
  }

  async #lose(
    runId: string,
    { attemptId, fencingToken }: Pick<HeldLease, 'attemptId' | 'fencingToken'>,
    message: string,
    drained = false,
  ) {
    const { sessions, store } = this.parts
    try {
      const heldUntil = sessions.has(attemptId) ? undefined : await lastActivityOf(store, runId)
      await this.parts.actors.send(runAddress(runId), {
        type: 'attemptLost',
        fencingToken,
        cause: { code: 'lease_lost', message },
        drained,
        ...(heldUntil === undefined ? {} : { heldUntil }),
      })
      sessions.end(attemptId)
      this.parts.onLoss()
    } catch (error) {
      // The run has ended, was deleted or cannot be read; the sweep continues.
      if (error instanceof ApiError && (error.code === 'invalid_transition' || error.code === 'not_found')) return
      this.parts.onError(error, `the lost attempt of ${runId}`)
    }
  }
}
