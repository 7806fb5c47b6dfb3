/** Leases attempts: reserves a machine slot and moves the run through `acquiring` to `starting`. */
import type { RunContext } from '../../../../machines/run.ts'
import { StoreUnavailable } from '../../../../storage/errors.ts'
import { newId } from '../../../../storage/ids.ts'
import { ApiError, invalidAttemptToken } from '../../../platform/http/answers/errors.ts'
import type { AttemptClaims, RunnerRegistration } from '../../../platform/http/guard/caller.ts'
import type { Lease, Leases } from '../../../platform/leases/leases.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { type RunActor, type RunRecord, runAddress } from '../../record.ts'
import { type Assignment, type LeaseRequest, StaleAttempt } from '../../runner/protocol/protocol.ts'
import type { AttemptSessions } from '../sessions.ts'
import { agentsOf } from './agents-of-attempt.ts'
import { type Assigned, type AssignmentParts, assign, BindingUnavailable } from './assignment.ts'
import { machineOf, ownRunner, slotKeysOf, type WaitingClaims } from './claims.ts'
import type { RunQueue } from './queue.ts'
import type { TakesRunsOf } from './waiters.ts'

interface LeasingParts {
  actors: Actors
  leases: Leases
  clock: Clock
  queue: RunQueue
  sessions: AttemptSessions
  assignments: AssignmentParts
  /** The waiting requests of external runners. */
  waiting: WaitingClaims
  /** Whether the organization's runs execute only in its own pools. */
  isExclusive(organizationId: string): boolean
  /** Whether the token of a runner was revoked. */
  isRevoked(tokenId: string): boolean | Promise<boolean>
  leaseTtlMs: number
  onError(error: unknown, what: string): void
}

export interface GivenLease {
  claims: AttemptClaims
  expiresAt: number
  assignment: Assignment
  /** Model access by agent id, for the embedded runner only. */
  models: Assigned['models']
  /** The run's span, as stored. */
  trace: string | null
  /**
   * Starts the attempt. Reports of the same tick commit with it; `patient`: those of the next milliseconds too. Rejects
   * with `StaleAttempt` if the run is no longer available.
   */
  begin(patient?: boolean): Promise<void>
  /** Queues the run again without using up a retry, if no runner is left to execute the attempt. Never rejects. */
  giveUp(): Promise<void>
}

const waitSecondsMax = 25

/** Whether the attempt could not begin because the store is unavailable. */
const isAway = (cause: unknown) => cause instanceof ApiError && cause.code === 'store_unavailable'

export class Leasing {
  constructor(private readonly parts: LeasingParts) {}

  /** Number of external runners that wait for a run here. */
  get waitingRunners(): number {
    return this.parts.waiting.size
  }

  /**
   * The next attempt for this machine from the runs that its pool may execute, of the organizations for which
   * `takesRunsOf` holds; null if none came up in time or all its slots are in use.
   */
  async lease(
    { machineId, slots = 1, waitSeconds }: LeaseRequest,
    signal?: AbortSignal,
    runner = ownRunner,
    takesRunsOf?: TakesRunsOf,
  ): Promise<GivenLease | null> {
    const { queue, leases, actors, leaseTtlMs } = this.parts
    const until = Math.min(
      this.parts.clock.now() + Math.min(waitSeconds, waitSecondsMax) * 1_000,
      // a token that was revoked while waiting leases nothing
      runner.endsAt,
    )
    for (;;) {
      const waitMs = Math.max(0, until - this.parts.clock.now())
      const taken = queue.take(waitMs, signal, runner.organizationId, takesRunsOf)
      const runId = taken instanceof Promise ? await taken : taken
      if (runId === null) return null
      const actor = actors.getCached<RunRecord, RunContext>(runAddress(runId)) ?? (await this.#read(runId))
      if (!actor) continue
      if (!this.#isAvailable(actor)) continue
      const { organization_id: organizationId } = actor.row.row
      if (signal?.aborted || this.parts.clock.now() >= runner.endsAt) {
        queue.giveBack(runId, organizationId)
        return null
      }
      const attemptId = newId('att')
      let lease: Lease | null
      try {
        lease = await leases.acquireAny(slotKeysOf(machineOf(runner, machineId), slots), attemptId, leaseTtlMs)
      } catch (error) {
        queue.giveBack(runId, organizationId)
        throw error
      }
      if (!lease) {
        queue.giveBack(runId, organizationId)
        return null
      }
      const assigned = await this.#assign(actor, lease, organizationId)
      if (!assigned) continue
      const { assignment, models } = assigned
      const { agent_revision_id: agentRevisionId, trace } = actor.row.row
      const { poolId, tokenId } = runner
      const fencingToken = lease.token
      const claims = { agentRunId: runId, attemptId, agentRevisionId, fencingToken, runner: { poolId, tokenId } }
      const hasBudget = actor.context.budget !== undefined
      const begin = (patient = false) => this.#begin(claims, runner, lease, assignment, { patient, hasBudget })
      return {
        claims,
        expiresAt: lease.expiresAt,
        assignment,
        models,
        trace,
        begin,
        giveUp: () => this.#giveUp(claims),
      }
    }
  }

  /**
   * Leases and starts the next attempt, for external runners. null as with `lease`. Throws `invalid_attempt_token`
   * (401) if the runner's token was revoked while it waited.
   */
  async leaseBegun(request: LeaseRequest, signal: AbortSignal, runner: RunnerRegistration): Promise<GivenLease | null> {
    const given = await this.parts.waiting.during(runner, signal, (ended) => this.#leaseBegun(request, ended, runner))
    if (given || signal.aborted || runner.tokenId === null) return given
    if (await this.parts.isRevoked(runner.tokenId)) throw invalidAttemptToken()
    return null
  }

  async #leaseBegun(request: LeaseRequest, signal: AbortSignal, runner: RunnerRegistration) {
    const { clock } = this.parts
    const until = clock.now() + request.waitSeconds * 1_000
    for (;;) {
      const waitSeconds = Math.max(0, until - clock.now()) / 1_000
      const given = await this.lease({ ...request, waitSeconds }, signal, runner)
      if (!given) return null
      try {
        await given.begin()
      } catch (error) {
        // The run was canceled in between; try the next one.
        if (error instanceof StaleAttempt && !isAway(error.cause)) continue
        throw error instanceof StaleAttempt ? error.cause : error
      }
      if (!signal.aborted) return given
      await given.giveUp()
      return null
    }
  }

  async #giveUp({ agentRunId, attemptId, fencingToken }: AttemptClaims): Promise<void> {
    const { actors, sessions } = this.parts
    const cause = { code: 'machine_unavailable', message: 'The runner disconnected before it received the attempt.' }
    try {
      await actors.send(runAddress(agentRunId), { type: 'attemptLost', fencingToken, cause, drained: true })
    } catch (error) {
      // The lease expires.
      this.parts.onError(error, `the untaken attempt of ${agentRunId}`)
    }
    sessions.end(attemptId)
  }

  /**
   * Whether the taken run can be leased now. A run that was canceled or expired leaves the queue, and one that another
   * server got back leaves it until the end of its back-off.
   */
  #isAvailable(actor: RunActor): boolean {
    const { actors, clock, queue } = this.parts
    const { organization_id: organizationId } = actor.row.row
    const { availableAt } = actor.context
    const isQueued = actors.hasRow(actor, 'leaseRequested')
    if (isQueued && availableAt <= clock.now()) return true
    queue.settle(actor.address.id)
    if (isQueued) queue.offer(actor.address.id, organizationId, availableAt)
    return false
  }

  async #read(runId: string) {
    try {
      const actor = await this.parts.actors.read<RunRecord, RunContext>(runAddress(runId))
      if (!actor) this.parts.queue.settle(runId)
      return actor
    } catch (error) {
      // An unreadable run must not block the others; because it stays taken, it is not offered again.
      this.parts.onError(error, `the run ${runId}`)
      if (!(error instanceof StoreUnavailable)) return undefined
      this.parts.queue.settle(runId)
      throw error
    }
  }

  async #begin(
    claims: AttemptClaims,
    { poolId, tokenId, organizationId }: RunnerRegistration,
    lease: Lease,
    assignment: Assignment,
    { patient, hasBudget }: { patient: boolean; hasBudget: boolean },
  ): Promise<void> {
    const { actors, queue, leases, isExclusive } = this.parts
    const { agentRunId: runId, attemptId, fencingToken } = claims
    const { run, agent, attempt, chain, callsFirst = false, model, operations, delegates } = assignment
    if (organizationId === null && isExclusive(run.organizationId)) {
      await leases.release(lease.key, fencingToken).catch(() => {})
      queue.giveBack(runId, run.organizationId)
      throw new StaleAttempt('The run is restricted to the runners of its organization.')
    }
    this.parts.sessions.begin({
      claims,
      attempt,
      ...{ chain, callsFirst },
      agentId: run.agentId,
      hasBudget,
      agents: agentsOf({ ...run, ...agent, model, operations, delegates }),
      rootStepId: null,
      openSteps: new Map(),
      operationCalls: new Map(),
      modelCalls: 0,
      modelCall: undefined,
      progressAt: this.parts.clock.now(),
      beatAt: 0,
      heldMs: 0,
      seenAt: this.parts.clock.now(),
      preparing: undefined,
      lastCheckpoint: attempt === 1 ? null : undefined,
      suspended: false,
      onSignal: undefined,
    })
    const next = { attempt, chain }
    const request = { type: 'leaseRequested', attemptId, machine: lease.key, runner: { poolId, tokenId }, next }
    const requested = actors.send(runAddress(runId), request, { patient })
    const leased = actors.send(runAddress(runId), { type: 'leased', attemptId, fencingToken }, { patient })
    try {
      await Promise.all([requested, leased])
      queue.settle(runId)
    } catch (cause) {
      this.parts.sessions.end(attemptId)
      await leases.release(lease.key, fencingToken).catch(() => {})
      // it may wait again: another server got its attempt back, and hints about a taken run are ignored
      const actor = actors.recall<RunRecord, RunContext>(runAddress(runId))
      if (!actor) queue.settle(runId)
      else if (this.#isAvailable(actor)) queue.giveBack(runId, run.organizationId)
      throw new StaleAttempt('The run can no longer be leased.', { cause })
    }
  }

  async #assign(actor: RunActor, lease: Lease, organizationId: string): Promise<Assigned | undefined> {
    try {
      return await assign(this.parts.assignments, actor.row.row, actor.context, actor.row.live?.input)
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        await this.parts.leases.release(lease.key, lease.token).catch(() => {})
        this.parts.queue.giveBack(actor.address.id, organizationId)
        throw error
      }
      await this.#failClosed(actor, lease, error)
      return undefined
    }
  }

  /** Fails the run with the reason: a pinned dependency is unavailable, or its record is damaged. */
  async #failClosed(
    { address, context }: RunActor,
    { key: machine, holder: attemptId, token: fencingToken }: Lease,
    error: unknown,
  ) {
    const { actors, leases, queue, onError } = this.parts
    const next = { attempt: context.attempt + 1, chain: context.chain }
    const isUnavailable = error instanceof BindingUnavailable
    // it tells the tenant, in the run; only the rest is the operator's
    if (!isUnavailable) onError(error, `the assignment of ${address.id}`)
    const cause = isUnavailable
      ? { code: 'binding_unavailable', message: error.message }
      : { code: 'internal_error', message: 'The attempt could not be prepared.' }
    const events = [
      { type: 'leaseRequested', attemptId, machine, next },
      { type: 'leased', attemptId, fencingToken },
      { type: 'booted', fencingToken },
      { type: 'failed', fencingToken, cause },
    ]
    await Promise.allSettled(events.map((event) => actors.send(address, event)))
    queue.settle(address.id)
    await leases.release(machine, fencingToken).catch(() => {})
  }
}
