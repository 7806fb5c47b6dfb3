/** The channel of an attempt to the server of the tests. */
import type { Clock } from '../../../../src/platform/time/clock.ts'
import type { ModelAccess } from '../../../../src/runs/providers/step.ts'
import { stepRequest } from '../../../../src/runs/runner/model-request.ts'
import {
  type AssignedAgent,
  type Assignment,
  type AttemptChannel,
  type CallAnswer,
  type CheckpointReport,
  type CompletionReport,
  type ModelCall,
  type OperationCall,
  type Signal,
  StaleAttempt,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from '../../../../src/runs/runner/protocol/protocol.ts'
import type { FakeServer, RecordedCall, RecordedStep } from './server.ts'

export const leaseMs = 30_000

/** The ids of all delegates of an agent, at all levels. */
const idsBelow = (delegates: Record<string, AssignedAgent>): string[] =>
  Object.values(delegates).flatMap((agent) => [agent.agentId, ...idsBelow(agent.delegates)])

export class FakeChannel implements AttemptChannel {
  readonly lease
  #booted = false
  #tail: Promise<unknown> = Promise.resolve()
  #listener: ((signal: Signal) => void) | undefined

  constructor(
    private readonly server: FakeServer,
    private readonly clock: Clock,
    readonly assignment: Assignment,
  ) {
    this.lease = {
      attemptId: `att_${assignment.attempt}`,
      agentRunId: assignment.run.id,
      fencingToken: assignment.attempt,
      expiresAt: new Date(clock.now() + leaseMs).toISOString(),
    }
  }

  boot() {
    return this.#take('boot', null, () => {
      if (this.#booted) throw new Error('An attempt boots once.')
      this.#booted = true
    })
  }

  streamModel({ agent, ...asked }: ModelCall) {
    const access = agent.model as ModelAccess
    return this.server.streamStep(stepRequest(agent.content, access, this.assignment.chainAttempt, asked))
  }

  async heartbeat(progress: { lastStepSequence: number }) {
    this.server.heartbeats.push(progress)
    await this.server.onHeartbeat?.()
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    return { expiresAt: new Date(this.clock.now() + leaseMs).toISOString(), signal: this.server.signal }
  }

  startStep(step: StepStart) {
    return this.#take('startStep', step, () => {
      const agentStepId = this.server.steps.length + 1
      const { attempt, run, delegates } = this.assignment
      const { agentId = run.agentId, parentAgentStepId: parent } = step
      if (![run.agentId, ...idsBelow(delegates)].includes(agentId)) throw new Error(`${agentId} is not at work here.`)
      const above = parent ? this.#step(parent) : undefined
      if (above && (above.status !== 'running' || above.attempt !== attempt)) {
        throw new Error('A step lies below one that has not ended.')
      }
      this.server.steps.push({ ...structuredClone(step), agentStepId, attempt, status: 'running' })
      return { agentStepId }
    })
  }

  endStep(agentStepId: number, update: StepUpdate) {
    return this.#take('endStep', update, () => {
      const step = this.#step(agentStepId)
      if (step.status !== 'running') throw new Error(`Step ${agentStepId} has ended already.`)
      step.status = update.status
      step.update = structuredClone(update)
    })
  }

  checkpoint(agentStepId: number, report: CheckpointReport) {
    return this.#take('checkpoint', report, () => {
      const { attempt } = this.#step(agentStepId)
      const { attempt: own } = this.assignment
      if (attempt !== own) throw new Error('A checkpoint belongs to a step of its own attempt.')
      this.server.checkpoints.push({ ...structuredClone(report), agentStepId, attempt })
      return { checkpointId: this.server.checkpoints.length }
    })
  }

  deltas(deltas: StepDelta[]) {
    return this.#take('deltas', deltas, () => {
      for (const { agentStepId } of deltas) {
        if (this.#step(agentStepId).status !== 'running') throw new Error('Text for a step that has ended.')
      }
      this.server.deltas.push(...structuredClone(deltas))
    })
  }

  async callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer> {
    await this.#tail
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    const { operationCalls, steps } = this.server
    const isAbout = ({ status, execution }: RecordedStep) =>
      status === 'running' && execution?.toolCallId === call.toolCallId
    if (!steps.some(isAbout)) throw new Error('No step is about this call.')
    operationCalls.push(structuredClone(call))
    const outcome = await this.server.onOperation(call, signal)
    if (!this.server.isLive(this)) throw new StaleAttempt('stale')
    return structuredClone(outcome)
  }

  complete(report: CompletionReport) {
    return this.#take('complete', report, () => {
      this.server.completions.push(structuredClone(report))
      this.server.endAttempt()
    })
  }

  onSignal(listener: (signal: Signal) => void) {
    this.#listener = listener
  }

  /** What the server wants of the runner, told at once. */
  tell(signal: Signal) {
    this.#listener?.(signal)
  }

  #step(agentStepId: number): RecordedStep {
    const step = this.server.steps[agentStepId - 1]
    if (!step) throw new Error(`There is no step ${agentStepId}.`)
    return step
  }

  /** Takes reports in the order in which they are made, each a little later. */
  #take<Result>(name: RecordedCall['name'], detail: unknown, apply: () => Result): Promise<Result> {
    const call: RecordedCall = { attempt: this.assignment.attempt, name, detail: structuredClone(detail) }
    const taken = this.#tail.then(() => {
      if (!this.server.isLive(this)) throw new StaleAttempt('stale')
      if (name !== 'boot' && !this.#booted) throw new Error(`${name} before boot.`)
      this.server.onReport?.(this.server.calls.length + 1, call)
      const result = apply()
      this.server.calls.push(call)
      this.server.onTaken?.(this.server.calls.length, call)
      return result
    })
    this.#tail = taken.catch(() => {})
    return taken
  }
}
