/**
 * What an attempt reports. Reports go out as they are made, in order; whoever needs them to be durable waits for all of
 * them together, since what is reported in one go is committed in one go.
 */
import type { StepPart } from '../../providers/step.ts'
import type { Interruption } from '../interruption.ts'
import {
  type AttemptChannel,
  type CallAnswer,
  type CheckpointReport,
  type ModelCall,
  type OperationCall,
  StaleAttempt,
  type StepDelta,
  type StepStart,
  type StepUpdate,
} from './protocol.ts'

export class Reports {
  #unsettled: Promise<unknown>[] = []
  #stepsBegun = 0
  #lastStepId: number | null = null

  constructor(
    private readonly channel: AttemptChannel,
    /** Told when a report fails; once the attempt is lost nothing more is reported. */
    private readonly interruption: Interruption,
  ) {}

  /** Steps that the attempt has begun so far. */
  get lastStepSequence(): number {
    return this.#stepsBegun
  }

  /** The step that was started last in this attempt. */
  get lastStepId(): number | null {
    return this.#lastStepId
  }

  boot(): void {
    this.#send(() => this.channel.boot())
  }

  /** Starts a step. Once its id is there, this and everything reported before is durable. */
  async startStep(step: StepStart): Promise<number> {
    this.#stepsBegun++
    const started = this.#send(() => this.channel.startStep(step))
    await this.settle()
    this.#lastStepId = (await started).agentStepId
    return this.#lastStepId
  }

  endStep(agentStepId: number, update: StepUpdate): void {
    this.#send(() => this.channel.endStep(agentStepId, update))
  }

  checkpoint(agentStepId: number, report: CheckpointReport): void {
    this.#send(() => this.channel.checkpoint(agentStepId, report))
  }

  /** Text as it streams. The promise says only that it has arrived or failed, and never rejects. */
  deltas(deltas: StepDelta[]): Promise<unknown> {
    return this.#send(() => this.channel.deltas(deltas)).catch(() => {})
  }

  /**
   * Has the server call an operation. Rejects when nobody can say how it went: aborted by the signal, or for a reason
   * for which the attempt cannot go on.
   */
  async callOperation(call: OperationCall, signal: AbortSignal): Promise<CallAnswer> {
    const calling = this.channel.callOperation(call, signal)
    try {
      return await calling
    } catch (error) {
      if (!signal.aborted) {
        this.#unsettled.push(calling)
        this.interruption.request(error instanceof StaleAttempt ? 'lost' : 'broken')
      }
      throw error
    }
  }

  /** One step of a model; what it throws is for the step to say. */
  streamModel(call: ModelCall): AsyncIterable<StepPart> {
    return this.channel.streamModel(call)
  }

  /** Waits until everything reported so far is durable. Throws what the first failed report threw. */
  async settle(): Promise<void> {
    const unsettled = this.#unsettled
    this.#unsettled = []
    await Promise.all(unsettled)
  }

  #send<Answer>(report: () => Promise<Answer>): Promise<Answer> {
    const { interruption } = this
    const sent =
      interruption.reason === 'lost' ? Promise.reject<Answer>(new StaleAttempt('The attempt is lost.')) : report()
    this.#unsettled.push(sent)
    sent.catch((error) => interruption.request(error instanceof StaleAttempt ? 'lost' : 'broken'))
    return sent
  }
}
