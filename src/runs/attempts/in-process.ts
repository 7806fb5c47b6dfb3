/** The runner protocol in process: the embedded runner calls the server's report handlers directly. */
import type { AttemptClaims } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { AdmissionPrecedence } from '../admission/precedence.ts'
import { stepRequest } from '../runner/model-request.ts'
import type {
  Assignment,
  AttemptChannel,
  CheckpointReport,
  CompletionReport,
  Lease,
  LeaseRequest,
  ModelCall,
  OperationCall,
  RunnerTransport,
  Signal,
  StepDelta,
  StepStart,
  StepUpdate,
} from '../runner/protocol/protocol.ts'
import { sound } from '../runner/protocol/sound.ts'
import { contextOfStep } from '../traces/step-context.ts'
import type { StreamStep } from './gateway/model-calls.ts'
import type { AttemptOperations } from './gateway/operations.ts'
import type { GivenLease, Leasing } from './leasing/leasing.ts'
import type { SlotShares } from './leasing/slot-shares.ts'
import type { AttemptReports } from './reports/attempt-reports.ts'
import type { AttemptSessions } from './sessions.ts'

class InProcessChannel implements AttemptChannel {
  readonly lease: Lease
  readonly assignment: Assignment
  readonly #claims: AttemptClaims
  #listener: ((signal: Signal) => void) | undefined
  #begun: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly given: GivenLease,
    private readonly attemptReports: AttemptReports,
    private readonly operations: AttemptOperations,
    private readonly sessions: AttemptSessions,
    private readonly streamStep: StreamStep,
    private readonly shares: SlotShares,
  ) {
    const { claims, expiresAt } = given
    this.#claims = claims
    shares.take(given.assignment.run.organizationId)
    this.assignment = given.assignment
    this.lease = {
      attemptId: claims.attemptId,
      agentRunId: claims.agentRunId,
      fencingToken: claims.fencingToken,
      expiresAt: timestamp(expiresAt),
    }
  }

  /** The lease and the boot are stored with the next report that requires a commit, or within some milliseconds. */
  boot() {
    const begun = this.given.begin(true)
    if (this.#listener) this.sessions.listen(this.#claims.attemptId, this.#listener)
    this.#begun = Promise.all([begun, this.attemptReports.boot(this.#claims, true)])
    return this.#begun.then(() => {})
  }

  /** so that readers of the stored attempt find it */
  #settle() {
    this.attemptReports.hurry(this.#claims)
    return this.#begun
  }

  async heartbeat() {
    await this.#settle()
    const { expiresAt, signal } = await this.attemptReports.heartbeat(this.#claims)
    return { expiresAt: timestamp(expiresAt), signal }
  }

  startStep(step: StepStart) {
    return this.attemptReports.startStep(this.#claims, sound(step))
  }

  beginStep(step: StepStart) {
    return this.attemptReports.beginStep(this.#claims, sound(step), { patient: true })
  }

  endStep(agentStepId: number, update: StepUpdate) {
    return this.attemptReports.endStep(this.#claims, agentStepId, sound(update))
  }

  checkpoint(agentStepId: number, report: CheckpointReport) {
    return this.attemptReports.checkpoint(this.#claims, agentStepId, sound(report))
  }

  /** Unchanged: a character may arrive in two halves. */
  deltas(deltas: StepDelta[]) {
    return this.attemptReports.deltas(this.#claims, deltas)
  }

  async callOperation(call: OperationCall, signal: AbortSignal) {
    await this.#settle()
    return this.operations.call(this.#claims, sound(call), signal)
  }

  streamModel({ agent, ...asked }: ModelCall) {
    const access = this.given.models.get(agent.agentId)
    if (!access) throw new Error(`The attempt has no model for ${agent.agentId}.`)
    const trace = contextOfStep(this.given.trace, asked.agentStepId)
    return this.streamStep(stepRequest(agent.content, access, this.assignment.chainAttempt, { ...asked, trace }))
  }

  complete(report: CompletionReport) {
    return this.attemptReports.complete(this.#claims, sound(report))
  }

  onSignal(listener: (signal: Signal) => void) {
    this.#listener = listener
    this.sessions.listen(this.#claims.attemptId, listener)
  }

  close() {
    this.shares.leave(this.assignment.run.organizationId)
  }
}

interface InProcessParts {
  starts: AdmissionPrecedence
  leasing: Leasing
  attemptReports: AttemptReports
  operations: AttemptOperations
  sessions: AttemptSessions
  streamStep: StreamStep
  /** How the slots of the runner are shared. */
  shares: SlotShares
}

export class InProcessTransport implements RunnerTransport {
  constructor(private readonly parts: InProcessParts) {}

  async lease(request: LeaseRequest, signal: AbortSignal): Promise<AttemptChannel | null> {
    const { starts, leasing, attemptReports, operations, sessions, streamStep, shares } = this.parts
    await starts.giveWay()
    const given = await leasing.lease(request, signal, undefined, (organizationId) => shares.isOpenTo(organizationId))
    return given && new InProcessChannel(given, attemptReports, operations, sessions, streamStep, shares)
  }
}
