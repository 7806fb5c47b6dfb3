/**
 * The stream of a run: frames, numbered 1, 2, 3 … across attempts and continues. A frame is stored with its change and
 * references the row of the transition, step or checkpoint instead of copying it. Source: contract 5, "Stream".
 */
import type { RunContext } from '../../../machines/run.ts'
import type { RunRow, TransitionRow } from '../../../storage/tables.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Move } from '../../runtime/kind.ts'
import { presentMove, presentTransition, type Transition } from '../../runtime/transition.ts'
import { type PresentedRun, presentRun } from '../present.ts'
import type { StoredMark } from './marks.ts'

export type FrameType =
  | 'run.transition'
  | 'step.started'
  | 'step.delta'
  | 'step.completed'
  | 'step.failed'
  | 'checkpoint.created'
  | 'input.requested'
  | 'budget.warning'
  | 'end'

/** A frame as sent to readers. */
export interface Frame {
  sequence: number
  type: FrameType
  /** Epoch milliseconds. */
  at: number
  attempt: number
  agentStepId?: number
  /** Whether the step is a root step, for the `depth` filter. */
  root?: boolean
  /** The frame's data, built on demand. */
  data(): unknown
}

/** The position of a frame among the steps. */
interface Place {
  agentStepId: number
  root: boolean
}

/** The end of a run: the part that a continue changes. Names are short because many are stored. */
type Ending = Pick<RunRow, 'state' | 'output_digest' | 'last_activity_kind' | 'last_activity_at' | 'updated_at'> &
  Pick<RunContext, 'cause' | 'stopReason' | 'attempt' | 'startedAt' | 'endedAt'> &
  // absent in ends that earlier versions stored
  Partial<Pick<RunContext, 'chain' | 'spent'>>

/** The reference of a stored frame; `data` if no row contains it. */
export type Pointer =
  | ({ step: number } & StoredMark)
  | { checkpoint: number }
  | { ending: WrittenEnding }
  | { data: unknown }

/** A frame in a stored group, as short JSON. */
export type StoredFrame = [
  sequence: number,
  type: FrameType,
  at: number,
  attempt: number,
  place: [agentStepId: number, root: 0 | 1] | null,
  pointer: Pointer,
]

/** Assigns sequence numbers to frames. */
export class FrameWriter {
  readonly frames: Frame[] = []
  /** Frames that are not in the journal. */
  readonly stored: StoredFrame[] = []
  readonly #after: number

  constructor(
    after: number,
    private readonly at: number,
  ) {
    this.#after = after
  }

  /** Adds a frame with a reference or data; `data` is sent to live readers. */
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

  /** Adds a transition, which the journal stores with the number assigned here. */
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

/** The end of this run in this state, from its row. */
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
  chain: context.chain,
  ...(context.spent && { spent: context.spent }),
  startedAt: context.startedAt,
  endedAt: context.endedAt,
})

/** The ending as stored, without default values. */
export type WrittenEnding = Omit<Ending, 'cause' | 'last_activity_kind' | 'last_activity_at' | 'updated_at'> &
  Partial<Ending>

/** `at`: the time of the frame. */
export function writtenEnding(ending: Ending, at: number): WrittenEnding {
  const { cause, last_activity_kind, last_activity_at, updated_at, ...others } = ending
  return {
    ...others,
    ...(cause !== null && { cause }),
    ...(last_activity_kind !== ending.state && { last_activity_kind }),
    ...(last_activity_at !== at && { last_activity_at }),
    ...(updated_at !== at && { updated_at }),
  }
}

export const readEnding = (written: WrittenEnding, at: number): Ending => ({
  cause: null,
  last_activity_kind: written.state,
  last_activity_at: at,
  updated_at: at,
  ...written,
})

/** The run as of that end. */
export const presentEnding = (row: RunRow, ending: Ending): PresentedRun =>
  presentRun({ ...row, ...ending }, { ...ending, awaiting: [] })

/** The frame of a transition. */
export const transitionFrame = (row: TransitionRow): Frame => ({
  sequence: row.stream_sequence as number,
  type: 'run.transition',
  at: row.at,
  attempt: row.attempt,
  data: () => presentTransition(row),
})

/** The data sent with a frame. */
export const frameBody = ({ sequence, at, attempt, agentStepId, data }: Frame) => ({
  sequence,
  at: timestamp(at),
  attempt,
  agentStepId,
  data: data(),
})
