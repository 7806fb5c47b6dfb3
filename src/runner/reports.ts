/**
 * What an attempt reports. Reports go out as they are made, in order; whoever needs them to be durable waits for all of
 * them together, since what is reported in one go is committed in one go.
 */
import type { AttemptChannel, CheckpointReport, StepDelta, StepStart, StepUpdate } from './protocol.ts'

export class Reports {
  #unsettled: Promise<unknown>[] = []
  #sequence = 0
  #lastStepId: number | null = null

  constructor(
    private readonly channel: AttemptChannel,
    /** A report has failed; whoever waits next hears of it too. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** Grows with every report about a step: a sign of getting on. */
  get lastStepSequence(): number {
    return this.#sequence
  }

  /** The step that was started last in this attempt. */
  get lastStepId(): number | null {
    return this.#lastStepId
  }

  boot(): void {
    this.#note(this.channel.boot())
  }

  /** Starts a step. Once its id is there, this and everything reported before is durable. */
  async startStep(step: StepStart): Promise<number> {
    this.#sequence++
    const started = this.channel.startStep(step)
    this.#note(started)
    await this.settle()
    this.#lastStepId = (await started).agentStepId
    return this.#lastStepId
  }

  endStep(agentStepId: number, update: StepUpdate): void {
    this.#sequence++
    this.#note(this.channel.endStep(agentStepId, update))
  }

  checkpoint(agentStepId: number, report: CheckpointReport): void {
    this.#note(this.channel.checkpoint(agentStepId, report))
  }

  /** Text as it streams. The promise says only when it has arrived or failed, and never rejects. */
  deltas(deltas: StepDelta[]): Promise<unknown> {
    this.#sequence++
    const sent = this.channel.deltas(deltas)
    this.#note(sent)
    return sent.catch(() => {})
  }

  /** Waits until everything reported so far is durable. Throws what the first failed report threw. */
  async settle(): Promise<void> {
    const unsettled = this.#unsettled
    this.#unsettled = []
    await Promise.all(unsettled)
  }

  #note(report: Promise<unknown>): void {
    this.#unsettled.push(report)
    report.catch(this.onFailure)
  }
}
