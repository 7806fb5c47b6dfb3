/**
 * Sends an attempt's reports at once and in order. A caller that needs them stored awaits all of them together, because
 * reports of one tick commit together.
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
    /** Notified when a report fails; once the attempt is lost nothing more is reported. */
    private readonly interruption: Interruption,
  ) {}

  /** The number of steps that the attempt has started. */
  get lastStepSequence(): number {
    return this.#stepsBegun
  }

  /** The last step started in this attempt. */
  get lastStepId(): number | null {
    return this.#lastStepId
  }

  boot(): void {
    this.#send(() => this.channel.boot())
  }

  /** Starts a step. Resolves with its id once this and all earlier reports are stored. */
  async startStep(step: StepStart): Promise<number> {
    this.#stepsBegun++
    const started = this.#send(() => this.channel.startStep(step))
    await this.settle()
    this.#lastStepId = (await started).agentStepId
    return this.#lastStepId
  }

  /** Starts the step of a model call. Resolves with its id, possibly before this and earlier reports are stored. */
  async beginStep(step: StepStart): Promise<number> {
    const { channel } = this
    if (!channel.beginStep || this.interruption.reason === 'lost') return this.startStep(step)
    this.#stepsBegun++
    const { agentStepId, stored } = await channel.beginStep(step)
    void this.#send(() => stored).catch(() => {})
    this.#lastStepId = agentStepId
    return agentStepId
  }

  endStep(agentStepId: number, update: StepUpdate): void {
    this.#send(() => this.channel.endStep(agentStepId, update))
  }

  checkpoint(agentStepId: number, report: CheckpointReport): void {
    this.#send(() => this.channel.checkpoint(agentStepId, report))
  }

  /** Streamed text. The promise resolves when it has arrived or failed, and never rejects. */
  deltas(deltas: StepDelta[]): Promise<unknown> {
    return this.#send(() => this.channel.deltas(deltas)).catch(() => {})
  }

  /**
   * Calls an operation through the server. Rejects if the outcome is unknown: the signal was aborted, or the attempt
   * cannot continue.
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

  /** Runs a model step; its errors belong to the step. */
  streamModel(call: ModelCall): AsyncIterable<StepPart> {
    return this.channel.streamModel(call)
  }

  /** Waits until all reports so far are stored. Throws the error of the first failed one. */
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
