/**
 * The stream of a run: frames, numbered 1, 2, 3 … over attempts and continuations. They are stored with the change that
 * they tell of and published after its commit. Source: contract 5, "Stream".
 */
import { timestamp } from './present.ts'

export type FrameType =
  | 'run.transition'
  | 'step.started'
  | 'step.delta'
  | 'step.completed'
  | 'step.failed'
  | 'checkpoint.created'
  | 'input.requested'
  | 'end'

/** As it stands in the store and, but for `type`, on the wire. */
export interface Frame {
  sequence: number
  type: FrameType
  /** RFC 3339. */
  at: string
  attempt: number
  agentStepId?: number
  /** Whether the step is a root step; for the filter `depth`. */
  root?: boolean
  data: unknown
}

/** Numbers frames as they come. */
export class FrameWriter {
  readonly frames: Frame[] = []
  readonly #at: string

  constructor(
    private readonly after: number,
    at: number,
  ) {
    this.#at = timestamp(at)
  }

  add(type: FrameType, attempt: number, data: unknown, step?: { agentStepId: number; root: boolean }) {
    const frame: Frame = { sequence: this.after + this.frames.length + 1, type, at: this.#at, attempt, data }
    if (step) {
      frame.agentStepId = step.agentStepId
      frame.root = step.root
    }
    this.frames.push(frame)
  }

  get lastSequence() {
    return this.after + this.frames.length
  }
}
