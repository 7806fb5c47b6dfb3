/**
 * The stream of a run: frames, numbered 1, 2, 3 … over attempts and continuations. A frame is stored with the change that
 * it tells of, and holds no second copy of what is stored already: it points to the transition, step or checkpoint, whose
 * own rows say the rest. Source: contract 5, "Stream".
 */
import type { RunContext } from '../../../machines/run.ts'
import type { AgentStepRow, RunRow, TransitionRow } from '../../../storage/tables.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Move } from '../../runtime/kind.ts'
import { presentMove, presentTransition, type Transition } from '../../runtime/transition.ts'
import { type PresentedRun, presentRun } from '../present.ts'

export type FrameType =
  | 'run.transition'
  | 'step.started'
  | 'step.delta'
  | 'step.completed'
  | 'step.failed'
  | 'checkpoint.created'
  | 'input.requested'
  | 'end'

/** As readers get it. */
export interface Frame {
  sequence: number
  type: FrameType
  /** Epoch milliseconds. */
  at: number
  attempt: number
  agentStepId?: number
  /** Whether the step is a root step; for the filter `depth`. */
  root?: boolean
  /** What it tells of, made up when somebody reads it. */
  data(): unknown
}

/** Where a frame belongs among the steps. */
export interface Place {
  agentStepId: number
  root: boolean
}

/** How a run had ended: the part of it that a continue changes. Short names of columns and context, for there are many. */
export type Ending = Pick<
  RunRow,
  'state' | 'output_digest' | 'last_activity_kind' | 'last_activity_at' | 'updated_at'
> &
  Pick<RunContext, 'cause' | 'stopReason' | 'attempt' | 'startedAt' | 'endedAt'>

/** What of a step may still change after the frame: as it was then. Frames that are older than this do without. */
export type StepMark = Partial<Pick<AgentStepRow, 'execution' | 'last_checkpoint_id' | 'token_usage' | 'updated_at'>>

/** What a stored frame points to; `data` where nothing else holds it. */
export type Pointer = { step: number; as?: StepMark } | { checkpoint: number } | { ending: Ending } | { data: unknown }

/** One frame of a group as stored: JSON that is short, for there are many. */
export type StoredFrame = [
  sequence: number,
  type: FrameType,
  at: number,
  attempt: number,
  place: [agentStepId: number, root: 0 | 1] | null,
  pointer: Pointer,
]

/** Numbers frames as they come. */
export class FrameWriter {
  readonly frames: Frame[] = []
  /** Those that are not told by the journal. */
  readonly stored: StoredFrame[] = []
  readonly #after: number

  constructor(
    after: number,
    private readonly at: number,
  ) {
    this.#after = after
  }

  /** A frame that points to a row, or holds its data; `data` says what live readers are told. */
  add(type: FrameType, attempt: number, pointer: Pointer, data: () => unknown, place?: Place) {
    const sequence = this.lastSequence + 1
    this.frames.push({ sequence, type, at: this.at, attempt, ...place, data })
    this.stored.push([
      sequence,
      type,
      this.at,
      attempt,
      place ? [place.agentStepId, place.root ? 1 : 0] : null,
      pointer,
    ])
  }

  /** The journal itself holds this one, with the number that it gets here. */
  addTransition(move: Move) {
    move.streamSequence = this.lastSequence + 1
    this.frames.push({
      sequence: move.streamSequence,
      type: 'run.transition',
      at: move.event.at,
      attempt: move.attempt,
      data: (): Transition => presentMove(move),
    })
  }

  get lastSequence() {
    return this.#after + this.frames.length
  }
}

/** How this run ends in this state, with its row as it is then. */
export const endingOf = (
  row: Pick<RunRow, 'output_digest' | 'last_activity_kind' | 'last_activity_at' | 'updated_at'>,
  state: string,
  context: RunContext,
): Ending => ({
  state,
  output_digest: row.output_digest,
  last_activity_kind: row.last_activity_kind,
  last_activity_at: row.last_activity_at,
  updated_at: row.updated_at,
  cause: context.cause,
  stopReason: context.stopReason,
  attempt: context.attempt,
  startedAt: context.startedAt,
  endedAt: context.endedAt,
})

/** The run as it was when it ended so. */
export const presentEnding = (row: RunRow, ending: Ending): PresentedRun =>
  presentRun({ ...row, ...ending }, { ...ending, awaiting: [] })

/** A frame of the journal. */
export const transitionFrame = (row: TransitionRow): Frame => ({
  sequence: row.stream_sequence as number,
  type: 'run.transition',
  at: row.at,
  attempt: row.attempt,
  data: () => presentTransition(row),
})

/** The data that goes over the wire with a frame. */
export const frameBody = ({ sequence, at, attempt, agentStepId, data }: Frame) => ({
  sequence,
  at: timestamp(at),
  attempt,
  agentStepId,
  data: data(),
})
