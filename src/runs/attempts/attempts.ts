/** Assembles the services that lease attempts to runners and receive their reports. */
import { createRunMachine, type RunContext, type RunLimits, reportedBy } from '../../../machines/run.ts'
import { Counter } from '../../../storage/counters.ts'
import type { Store } from '../../../storage/store.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import type { AttemptClaims } from '../../platform/http/guard/caller.ts'
import type { Leases } from '../../platform/leases/leases.ts'
import { noPrices, type Prices } from '../../platform/models/prices/prices.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { ActorKind } from '../../runtime/kind.ts'
import type { WorkShare } from '../../runtime/work-share.ts'
import type { Revocations } from '../../tenancy/authority/revocations.ts'
import { type RunEffects, runKind } from '../actor.ts'
import type { AdmissionPrecedence } from '../admission/precedence.ts'
import { type CallApprovals, noApprovals } from '../control/approvals.ts'
import type { QueuedInputs } from '../conversations/queued-inputs.ts'
import { type RunCommand, type RunRecord, runAddress } from '../record.ts'
import { type DamagedCheckpoint, selectCheckpoint } from '../records/checkpoints.ts'
import type { Log } from '../runner/log.ts'
import type { RunnerTransport } from '../runner/protocol/protocol.ts'
import type { Exclusiveness } from '../runner-pools/exclusiveness.ts'
import type { PeriodOf, Reserve } from '../statistics/usage.ts'
import { runLog } from '../traces/run-log.ts'
import type { RunTraces } from '../traces/run-traces.ts'
import { ModelCalls, type StreamStep } from './gateway/model-calls.ts'
import { AttemptOperations, noOperations, type OperationCaller } from './gateway/operations.ts'
import { callStopper, readWord } from './gateway/stop-call.ts'
import { InProcessTransport } from './in-process.ts'
import type { Pins } from './leasing/assignment.ts'
import { WaitingClaims } from './leasing/claims.ts'
import { Fencing, type FencingParts } from './leasing/fencing.ts'
import { Leasing } from './leasing/leasing.ts'
import { Offers } from './leasing/offers.ts'
import { RunQueue } from './leasing/queue.ts'
import { Reaper } from './leasing/reaper.ts'
import { refreshSession, restoreSession } from './leasing/restore.ts'
import { SlotShares } from './leasing/slot-shares.ts'
import { AttemptReports } from './reports/attempt-reports.ts'
import { ChainedCheckpoints } from './reports/checkpoint-writer.ts'
import { lateUsage } from './reports/late-usage.ts'
import { MeteredCalls } from './reports/metered-calls.ts'
import { AttemptSessions } from './sessions.ts'

interface AttemptsParts {
  store: Store
  clock: Clock
  actors: Actors
  leases: Leases
  /** The hints to and from other servers; omitted: there are none. */
  hints?: Hints
  limits: RunLimits
  leaseTtlMs: number
  pins: Pins
  /** Calls models for the embedded runner and, through the gateway, for external runners. */
  streamStep: StreamStep
  /** Omitted: usage is not counted. */
  periodOf?: PeriodOf
  /** Omitted: models have no prices. */
  prices?: Prices
  /** Omitted: nothing is metered. */
  reserve?: Reserve
  /** Messages that wait for their turns; omitted: none. */
  queuedInputs?: Pick<QueuedInputs, 'startNext'>
  /** Omitted: there are no operations. */
  operations?: OperationCaller
  /** The approvals of calls that became invocations; omitted: none. */
  approvals?: Pick<CallApprovals, 'workOf' | 'notify' | 'withdraw' | 'abort'>
  /** The organizations whose runs execute on their own runners only; omitted: none. */
  exclusiveness?: Pick<Exclusiveness, 'has' | 'listen'>
  /** Revocations of runner tokens, which end the attempts leased with them; omitted: none. */
  revocations?: Pick<Revocations, 'listen'>
  isRevoked?: FencingParts['isRevoked']
  /** null: traces are disabled. */
  traces?: RunTraces | null
  /** Whether the lease of this machine belongs to a process that has died. */
  isGone(machine: string): boolean
  /** The servers of the store. */
  members: WorkShare
  onDamaged(damage: DamagedCheckpoint): void
  onError(error: unknown, what: string): void
}

export class Attempts {
  /** The kind of actor of runs. */
  readonly kind: ActorKind<RunRecord, RunContext, RunCommand>
  readonly queue: RunQueue
  readonly sessions: AttemptSessions
  /** Number of leases lost since the start. */
  lost = 0
  readonly attemptReports: AttemptReports
  readonly operations: AttemptOperations
  /** Calls models for external runners. */
  readonly modelCalls: ModelCalls
  readonly leasing: Leasing
  readonly #reaper: Reaper
  readonly #fencing: Fencing
  readonly #offers: Offers
  readonly #streamStep: StreamStep

  constructor(private readonly parts: AttemptsParts) {
    const {
      store,
      clock,
      actors,
      leases,
      hints,
      leaseTtlMs,
      pins,
      prices = noPrices,
      members,
      onDamaged,
      onError,
    } = parts
    this.#streamStep = parts.traces?.noting(parts.streamStep) ?? parts.streamStep
    const isExclusive = (id: string) => parts.exclusiveness?.has(id) ?? false
    this.queue = new RunQueue({
      store,
      clock,
      members,
      onError,
      isExclusive,
      isHearing: () => hints?.isHearing() ?? true,
    })
    this.#offers = new Offers({ queue: this.queue, hints, clock, isExclusive })
    parts.exclusiveness?.listen((organizationId) => this.queue.reassign(organizationId))
    hints?.on('queued', (organizationId) => this.queue.look(organizationId))
    hints?.on('signal', (runId) => this.sessions.signal(runId, 'cancel'))
    hints?.on('modelCall', (word) => this.modelCalls.end(...readWord(word)))
    const refresh = members.isShared ? refreshSession({ store }) : undefined
    this.sessions = new AttemptSessions(restoreSession({ store, actors, clock, pins }), refresh)
    const effects: RunEffects = {
      offerToRunners: (runId) => {
        const record = actors.recall<RunRecord>(runAddress(runId))?.row
        if (!record) return
        const { organization_id: organizationId, available_at: availableAt } = record.row
        this.#offers.offer(runId, organizationId, availableAt)
      },
      signalWorker: (runId) => {
        this.sessions.signal(runId, 'cancel')
        hints?.tell('signal', runId, true)
      },
      lookForDecisions: async (runId) => {
        const actor = await actors.read<RunRecord, RunContext>(runAddress(runId))
        for (const call of actor?.context.awaiting ?? []) {
          const id = reportedBy(call)
          if (id !== undefined) await parts.approvals?.notify(id)
        }
      },
      withdrawApprovals: (runId) => this.#tellCalls(runId, 'withdraw'),
      breakOffCalls: (runId) => this.#tellCalls(runId, 'abort'),
      startNextInput: (runId) => parts.queuedInputs?.startNext(runId),
      releaseMachine: ({ machine, fencingToken }) => {
        this.modelCalls.end(fencingToken)
        // A lease that cannot be released now expires.
        leases.release(machine, fencingToken).catch((error) => onError(error, `the lease of ${machine}`))
      },
    }
    this.kind = runKind(createRunMachine(parts.limits), effects, {
      ...parts,
      costed: prices.isGiven,
      watchedOf: (runId) => this.sessions.watched(runId, clock.now(), leaseTtlMs),
    })
    const { queue, sessions } = this
    const stopCall = callStopper(hints)
    const steps = new Counter(store, 'agent-steps')
    const checkpoints = new Counter(store, 'checkpoints')
    this.attemptReports = new AttemptReports({
      actors,
      leases,
      clock,
      sessions,
      checkpoints: new ChainedCheckpoints(store, onDamaged),
      stopCall,
      nextStepId: () => steps.take(),
      nextCheckpointId: () => checkpoints.take(),
      leaseTtlMs,
      prices,
      approvals: parts.approvals ?? noApprovals,
      onDrain: () => {
        queue.close()
        this.#offers.retire()
      },
    })
    const { operations: caller = noOperations } = parts
    this.operations = new AttemptOperations({ store, actors, clock, sessions, operations: caller, onError })
    this.modelCalls = new ModelCalls({
      stopCall,
      actors,
      clock,
      sessions,
      meteredCalls: new MeteredCalls({ actors, sessions, prices }),
      pins,
      streamStep: this.#streamStep,
      callMsMax: parts.limits.activeLimitMs,
      meterLate: lateUsage({ store, actors, clock, prices, periodOf: parts.periodOf }),
      onError,
    })
    const latestCheckpoint = async (runId: string) =>
      (await selectCheckpoint(store, runId, onDamaged))?.runtimeCheckpoint ?? null
    const assignments = { store, pins, latestCheckpoint, heartbeatMs: Math.max(1, Math.floor(leaseTtlMs / 3)) }
    const waiting = new WaitingClaims()
    const { isRevoked = () => false } = parts
    this.#fencing = new Fencing({ actors, sessions, waiting, isRevoked, onError })
    parts.revocations?.listen((change) => this.#fencing.heard(change))
    this.leasing = new Leasing({
      actors,
      leases,
      clock,
      queue,
      sessions,
      assignments,
      waiting,
      isExclusive,
      isRevoked,
      leaseTtlMs,
      onError,
    })
    const onLoss = () => {
      this.lost += 1
    }
    this.#reaper = new Reaper({ ...parts, sessions, onLoss })
  }

  /** Ends an attempt whose runner token was revoked. */
  fence(claims: AttemptClaims) {
    void this.#fencing.fence(claims)
  }

  /** The logger of a runner: with traces, its lines about a run have the run's trace id. */
  logOf(log: Log): Log {
    const { traces, actors } = this.parts
    return traces ? runLog(log, actors) : log
  }

  /** For the embedded runner, which gives way to starts of runs, and shares its slots among organizations. */
  transport(starts: AdmissionPrecedence, slots: number): RunnerTransport {
    const { leasing, attemptReports, operations, sessions, queue } = this
    const { store, clock, onError } = this.parts
    const shares = new SlotShares({ store, clock, slots, onOpened: () => queue.serve(), onError })
    this.#offers.own = shares
    return new InProcessTransport({
      starts,
      leasing,
      attemptReports,
      operations,
      sessions,
      streamStep: this.#streamStep,
      shares,
    })
  }

  /** Ends the attempts of a previous process, then offers queued runs. */
  async start() {
    await this.#reaper.start()
    this.queue.start()
  }

  /** Stops leasing attempts. */
  stop() {
    this.#reaper.stop()
    this.queue.close()
  }

  /** Notifies the invocations of the run; a run without a Deployment has none. */
  #tellCalls(agentRunId: string, what: 'withdraw' | 'abort'): void {
    const { actors, approvals, onError } = this.parts
    const record = actors.recall<RunRecord>(runAddress(agentRunId))?.row
    if (!record || record.row.deployment_id === null) return
    approvals?.[what]({ agentRunId }).catch((error) => onError(error, `the calls of ${agentRunId}`))
  }
}
