/**
 * In-memory state of attempts in progress, a cache only. A missing session, after a restart of the server under an
 * external runner, is restored from the store.
 */

import type { WatchedTime } from '../../../machines/run.ts'
import type { AgentStepRow } from '../../../storage/tables.ts'
import type { AttemptClaims } from '../../platform/http/guard/caller.ts'
import type { CheckpointTrail } from '../records/checkpoints.ts'
import { type CallAnswer, type Signal, StaleAttempt } from '../runner/protocol/protocol.ts'
import type { AgentsOfAttempt } from './leasing/agents-of-attempt.ts'

/** A model call through the gateway. */
export interface GatewayCall {
  agentStepId: number
  /** Aborts the vendor's call unless it has ended. Resolves once its usage is recorded. */
  stop(why: 'cancel' | 'drain' | 'stale'): Promise<void>
}

export interface AttemptSession {
  claims: AttemptClaims
  attempt: number
  /** The chain of the attempt. */
  chain: number
  /** Whether checkpoints may precede the input, of chain 1 (`Assignment.callsFirst`). */
  callsFirst: boolean
  /** Whether the run has a budget, which decides whether a model step may begin. */
  hasBudget: boolean
  /** The run's own agent: a key of `agents`. */
  agentId: string
  /** All agents of the attempt. */
  agents: AgentsOfAttempt
  rootStepId: number | null
  openSteps: Map<number, AgentStepRow>
  /** Operation calls in progress, by call. */
  operationCalls: Map<string, Promise<CallAnswer>>
  /** Model calls through the gateway so far, and the one in progress. */
  modelCalls: number
  modelCall: GatewayCall | undefined
  /** The last progress and the last heartbeat; epoch milliseconds. */
  progressAt: number
  beatAt: number
  /** The last progress stored for other servers; omitted: none of the progress seen only here. */
  notedAt?: number
  /** How long it was seen holding its machine, and until when. */
  heldMs: number
  seenAt: number
  /** Loading in progress for this attempt; later reports wait for it. */
  preparing: Promise<unknown> | undefined
  /** The checkpoint that the next one builds on; null: none; undefined: not loaded yet. */
  lastCheckpoint: CheckpointTrail | null | undefined
  /** Whether its last checkpoint is of kind `suspended`; undefined: not loaded yet. */
  suspended: boolean | undefined
  onSignal: ((signal: Signal) => void) | undefined
}

/** Loading in progress of changes by reports to other servers. */
interface Refreshing {
  done: Promise<AttemptSession>
  /** The one after it, for callers who came too late to rely on it: it may have read the store before. */
  next: Promise<AttemptSession> | undefined
}

/** A clock change never shortens the time, and extends it by one gap at most. */
const heldUntil = ({ heldMs, seenAt }: AttemptSession, now: number, gapMaxMs: number): number =>
  heldMs + Math.min(Math.max(0, now - seenAt), gapMaxMs)

export class AttemptSessions {
  readonly #byAttempt = new Map<string, AttemptSession>()
  /** By run, the latest last: an attempt that does not begin leaves the one before it. */
  readonly #byRun = new Map<string, AttemptSession[]>()
  readonly #restoring = new Map<string, Promise<AttemptSession>>()

  /** Reports in progress at this server. */
  readonly #reporting = new WeakMap<AttemptSession, Set<Promise<unknown>>>()
  readonly #refreshing = new WeakMap<AttemptSession, Refreshing>()

  /**
   * `restore` loads the session of a current attempt from the store, or throws `StaleAttempt`. `refresh` loads changes
   * by reports to other servers; omitted: there are no other servers.
   */
  constructor(
    private readonly restore: (claims: AttemptClaims) => Promise<AttemptSession>,
    private readonly refresh?: (session: AttemptSession) => Promise<void>,
  ) {}

  begin(session: AttemptSession) {
    this.#byAttempt.set(session.claims.attemptId, session)
    const { agentRunId } = session.claims
    this.#byRun.set(agentRunId, [...(this.#byRun.get(agentRunId) ?? []), session])
  }

  end(attemptId: string) {
    const session = this.#byAttempt.get(attemptId)
    if (!session) return
    void session.modelCall?.stop('stale')
    this.#byAttempt.delete(attemptId)
    const { agentRunId } = session.claims
    const others = this.#byRun.get(agentRunId)?.filter((each) => each !== session) ?? []
    if (others.length > 0) this.#byRun.set(agentRunId, others)
    else this.#byRun.delete(agentRunId)
  }

  /**
   * `knows`: whether the session has what the caller needs, which may be stored by another server while reports are in
   * progress here; if not, it is returned once they are answered.
   */
  find(
    claims: AttemptClaims,
    knows: (session: AttemptSession) => boolean = () => true,
  ): AttemptSession | Promise<AttemptSession> {
    const found = this.#find(claims)
    return found instanceof Promise ? found.then((session) => this.#known(session, knows)) : this.#known(found, knows)
  }

  #known(session: AttemptSession, knows: (session: AttemptSession) => boolean) {
    return this.#isNewer(session) && !knows(session) ? this.#settled(session) : session
  }

  #find(claims: AttemptClaims): AttemptSession | Promise<AttemptSession> {
    const session = this.#byAttempt.get(claims.attemptId)
    if (session) {
      if (session.claims.fencingToken !== claims.fencingToken) throw new StaleAttempt()
      return this.#fresh(session)
    }
    const others = this.#restoring.get(claims.attemptId)
    // it may have read the store before a report to another server that this caller has seen answered
    if (others) return others.then((restored) => this.#fresh(restored))
    const restoring = this.restore(claims)
      .then((restored) => {
        this.begin(restored)
        return restored
      })
      .finally(() => this.#restoring.delete(claims.attemptId))
    this.#restoring.set(claims.attemptId, restoring)
    return restoring
  }

  /** The session with all that is stored once the reports in progress here are answered. */
  async #settled(session: AttemptSession): Promise<AttemptSession> {
    await Promise.allSettled(this.#reporting.get(session) ?? [])
    return this.#fresh(session)
  }

  /** Runs `work` as a report of the attempt; meanwhile the session is newer than the store. */
  during<Result>(session: AttemptSession, work: () => Promise<Result>): Promise<Result> {
    if (!this.refresh) return work()
    const reports = this.#reporting.get(session) ?? new Set()
    this.#reporting.set(session, reports)
    const report = work().finally(() => reports.delete(report))
    reports.add(report)
    return report
  }

  /** Whether reports are in progress here, so that the session is not read from the store. */
  #isNewer(session: AttemptSession): boolean {
    return (this.#reporting.get(session)?.size ?? 0) > 0
  }

  #fresh(session: AttemptSession): AttemptSession | Promise<AttemptSession> {
    // the embedded runner reports only to its own process
    const isOwn = session.claims.runner?.tokenId === null
    if (!this.refresh || isOwn || this.#isNewer(session)) return session
    const refreshing = this.#refreshing.get(session)
    if (!refreshing) return this.#read(session, this.refresh)
    refreshing.next ??= refreshing.done.then(
      () => this.#fresh(session),
      () => this.#fresh(session),
    )
    return refreshing.next
  }

  #read(session: AttemptSession, refresh: (session: AttemptSession) => Promise<void>): Promise<AttemptSession> {
    const done = refresh(session)
      .then(() => session)
      .finally(() => this.#refreshing.delete(session))
    this.#refreshing.set(session, { done, next: undefined })
    return done
  }

  /** Whether this process has the session of the attempt. */
  has(attemptId: string): boolean {
    return this.#byAttempt.has(attemptId)
  }

  /** Records a heartbeat. */
  beat({ attemptId }: AttemptClaims, at: number, gapMaxMs: number) {
    const session = this.#byAttempt.get(attemptId)
    if (!session) return
    session.beatAt = at
    session.heldMs = heldUntil(session, at, gapMaxMs)
    session.seenAt = at
  }

  /** Whether this process has got a heartbeat of the attempt since then; epoch milliseconds. */
  beatSince(attemptId: string, at: number): boolean {
    return (this.#byAttempt.get(attemptId)?.beatAt ?? Number.NEGATIVE_INFINITY) >= at
  }

  /** How long the run's attempt has held its machine; gaps between heartbeats count at most `gapMaxMs`. */
  watched(runId: string, now: number, gapMaxMs: number): WatchedTime | undefined {
    const session = this.#byRun.get(runId)?.at(-1)
    return session && { fencingToken: session.claims.fencingToken, heldMs: heldUntil(session, now, gapMaxMs) }
  }

  listen(attemptId: string, listener: (signal: Signal) => void) {
    const session = this.#byAttempt.get(attemptId)
    if (session) session.onSignal = listener
  }

  /** Sends a signal to the runner of this run's attempt. */
  signal(runId: string, signal: Signal) {
    const session = this.#byRun.get(runId)?.at(-1)
    session?.onSignal?.(signal)
    if (signal !== 'continue') void session?.modelCall?.stop(signal)
  }

  signalAll(signal: Signal) {
    for (const { onSignal, modelCall } of this.#byAttempt.values()) {
      onSignal?.(signal)
      if (signal !== 'continue') void modelCall?.stop(signal)
    }
  }

  /** Restarts the progress clocks after a time in which progress could not be observed. `at`: epoch milliseconds. */
  takeUp(at: number) {
    for (const session of this.#byAttempt.values()) session.progressAt = at
  }

  /**
   * Attempts with a model call here, whose progress other servers cannot see and that was last stored before the given
   * time.
   */
  unnoted(before: number): AttemptSession[] {
    return [...this.#byAttempt.values()].filter(
      ({ modelCall, progressAt, notedAt = 0 }) => modelCall !== undefined && progressAt > notedAt && notedAt < before,
    )
  }

  /** Attempts with heartbeats but without step activity since then. */
  stalled(since: number): AttemptSession[] {
    return [...this.#byAttempt.values()].filter(({ progressAt, beatAt }) => progressAt < since && beatAt > progressAt)
  }

  /**
   * Removes sessions of attempts that ended without a final report: all except those listed and those active since.
   * Applies only to runs for which `isListed` holds, whose attempts are all listed.
   */
  forgetAllBut(attemptIds: ReadonlySet<string>, since: number, isListed: (runId: string) => boolean) {
    for (const [attemptId, { progressAt, claims }] of this.#byAttempt) {
      if (!attemptIds.has(attemptId) && progressAt < since && isListed(claims.agentRunId)) this.end(attemptId)
    }
  }

  /** All sessions of this process. */
  all(): Iterable<AttemptSession> {
    return this.#byAttempt.values()
  }

  get size() {
    return this.#byAttempt.size
  }
}
