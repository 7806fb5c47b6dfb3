/**
 * What the server remembers of attempts that are under way: nothing that counts, only what saves look-ups. A session that
 * is not there, because the server was restarted under an external runner, is made again from the store.
 */

import type { WatchedTime } from '../../../machines/run.ts'
import type { AgentStepRow } from '../../../storage/tables.ts'
import type { AttemptClaims } from '../../platform/http/guard/caller.ts'
import type { CheckpointTrail } from '../records/checkpoints.ts'
import { type CallAnswer, type Signal, StaleAttempt } from '../runner/protocol/protocol.ts'
import type { AgentsOfAttempt } from './leasing/agents-of-attempt.ts'

/** A call of a model by the gateway. */
export interface GatewayCall {
  agentStepId: number
  /** Aborts the vendor's call, unless it has ended. Resolves once what it has used is recorded. */
  stop(why: 'cancel' | 'drain' | 'stale'): Promise<void>
}

export interface AttemptSession {
  claims: AttemptClaims
  attempt: number
  /** The chain of attempts that it belongs to. */
  chain: number
  /** The run's own agent: a key of `agents`. */
  agentId: string
  /** Every agent that is at work in the attempt. */
  agents: AgentsOfAttempt
  rootStepId: number | null
  openSteps: Map<number, AgentStepRow>
  /** Operations that are being called; by call. */
  operationCalls: Map<string, Promise<CallAnswer>>
  /** Calls of models that the gateway was asked for so far, and the one that is under way. */
  modelCalls: number
  modelCall: GatewayCall | undefined
  /** The last sign of work, and of life; epoch milliseconds. */
  progressAt: number
  beatAt: number
  /** For how long it was seen to hold its machine, and up to when. */
  heldMs: number
  seenAt: number
  /** While something of this attempt is being fetched; later reports wait. */
  preparing: Promise<unknown> | undefined
  /** What the next checkpoint goes on from; null: nothing, undefined: not looked up yet. */
  lastCheckpoint: CheckpointTrail | null | undefined
  /** Whether its last checkpoint is of a run that waits; undefined: not looked up yet. */
  suspended: boolean | undefined
  onSignal: ((signal: Signal) => void) | undefined
}

/** A clock that is put back or forward makes the time no shorter, and longer by one gap at most. */
const heldUntil = ({ heldMs, seenAt }: AttemptSession, now: number, gapMaxMs: number): number =>
  heldMs + Math.min(Math.max(0, now - seenAt), gapMaxMs)

export class AttemptSessions {
  readonly #byAttempt = new Map<string, AttemptSession>()
  readonly #byRun = new Map<string, AttemptSession>()
  readonly #restoring = new Map<string, Promise<AttemptSession>>()

  /** `restore` makes the session of an attempt that the store still knows, or throws `StaleAttempt`. */
  constructor(private readonly restore: (claims: AttemptClaims) => Promise<AttemptSession>) {}

  begin(session: AttemptSession) {
    this.#byAttempt.set(session.claims.attemptId, session)
    this.#byRun.set(session.claims.agentRunId, session)
  }

  end(attemptId: string) {
    const session = this.#byAttempt.get(attemptId)
    if (!session) return
    void session.modelCall?.stop('stale')
    this.#byAttempt.delete(attemptId)
    if (this.#byRun.get(session.claims.agentRunId) === session) this.#byRun.delete(session.claims.agentRunId)
  }

  find(claims: AttemptClaims): AttemptSession | Promise<AttemptSession> {
    const session = this.#byAttempt.get(claims.attemptId)
    if (session) {
      if (session.claims.fencingToken !== claims.fencingToken) throw new StaleAttempt()
      return session
    }
    let restoring = this.#restoring.get(claims.attemptId)
    if (!restoring) {
      restoring = this.restore(claims)
        .then((restored) => {
          this.begin(restored)
          return restored
        })
        .finally(() => this.#restoring.delete(claims.attemptId))
      this.#restoring.set(claims.attemptId, restoring)
    }
    return restoring
  }

  /** Whether this process has given out the attempt or has heard of it. */
  has(attemptId: string): boolean {
    return this.#byAttempt.has(attemptId)
  }

  /** A sign of life. */
  beat({ attemptId }: AttemptClaims, at: number, gapMaxMs: number) {
    const session = this.#byAttempt.get(attemptId)
    if (!session) return
    session.beatAt = at
    session.heldMs = heldUntil(session, at, gapMaxMs)
    session.seenAt = at
  }

  /** For how long the run's attempt has held its machine until now: between two signs of life no more than `gapMaxMs`. */
  watched(runId: string, now: number, gapMaxMs: number): WatchedTime | undefined {
    const session = this.#byRun.get(runId)
    return session && { fencingToken: session.claims.fencingToken, heldMs: heldUntil(session, now, gapMaxMs) }
  }

  listen(attemptId: string, listener: (signal: Signal) => void) {
    const session = this.#byAttempt.get(attemptId)
    if (session) session.onSignal = listener
  }

  /** The runner of this run's attempt should look up. */
  signal(runId: string, signal: Signal) {
    const session = this.#byRun.get(runId)
    session?.onSignal?.(signal)
    if (signal !== 'continue') void session?.modelCall?.stop(signal)
  }

  signalAll(signal: Signal) {
    for (const { onSignal, modelCall } of this.#byAttempt.values()) {
      onSignal?.(signal)
      if (signal !== 'continue') void modelCall?.stop(signal)
    }
  }

  /** Nobody could tell how they got on until then. `at`: epoch milliseconds. */
  takeUp(at: number) {
    for (const session of this.#byAttempt.values()) session.progressAt = at
  }

  /** Attempts that live but do not get on: beats without any step activity since then. */
  stalled(since: number): AttemptSession[] {
    return [...this.#byAttempt.values()].filter(({ progressAt, beatAt }) => progressAt < since && beatAt > progressAt)
  }

  /** Forgets attempts that are over without a last word of their runner: all but those, and those that got on since. */
  forgetAllBut(attemptIds: ReadonlySet<string>, since: number) {
    for (const [attemptId, { progressAt }] of this.#byAttempt) {
      if (!attemptIds.has(attemptId) && progressAt < since) this.end(attemptId)
    }
  }

  /** Those that this process knows of. */
  all(): Iterable<AttemptSession> {
    return this.#byAttempt.values()
  }

  get size() {
    return this.#byAttempt.size
  }
}
