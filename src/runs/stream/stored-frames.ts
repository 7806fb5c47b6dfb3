/**
 * The stored form of one commit's frames. There are many, and most of their characters would repeat: a kind is stored
 * as a number, a time equal to that of the previous frame as 0, and a pointer, where the kind says what its values are, as
 * a list of them without what is absent at its end. Frames of earlier versions have all of it in full.
 */
import type { FrameType, Pointer, StoredFrame, WrittenEnding } from './frames.ts'
import type { StoredMark } from './marks.ts'

/** By number; a new kind is added at the end. */
const types: readonly FrameType[] = [
  'run.transition',
  'step.started',
  'step.delta',
  'step.completed',
  'step.failed',
  'checkpoint.created',
  'input.requested',
  'budget.warning',
  'end',
]
const numbers = new Map(types.map((type, number) => [type, number]))

type WrittenPointer = Pointer | readonly unknown[] | number
type Written = [
  sequence: number,
  type: number | FrameType,
  at: number,
  attempt: number,
  place: StoredFrame[4],
  pointer: WrittenPointer,
]

/** As JSON. */
export function writeFrames(frames: readonly StoredFrame[]): string {
  let before = 0
  return JSON.stringify(
    frames.map((frame): Written => {
      const [sequence, type, at, attempt, place] = frame
      const written = at === before ? 0 : at
      before = at
      return [sequence, numbers.get(type) ?? type, written, attempt, place, writtenPointer(frame)]
    }),
  )
}

export function readFrames(text: string): StoredFrame[] {
  let before = 0
  return (JSON.parse(text) as Written[]).map(([sequence, type, at, attempt, place, pointer]) => {
    if (at !== 0) before = at
    const name = typeof type === 'number' ? (types[type] as FrameType) : type
    return [sequence, name, before, attempt, place, readPointer(name, before, place, pointer)]
  })
}

function writtenPointer([, , at, , place, pointer]: StoredFrame): WrittenPointer {
  if ('step' in pointer) return (pointer.step === place?.[0] ? listOfMark(pointer) : undefined) ?? pointer
  if ('checkpoint' in pointer) return pointer.checkpoint
  return ('ending' in pointer ? listOfEnding(pointer.ending, at) : undefined) ?? pointer
}

function readPointer(type: FrameType, at: number, place: StoredFrame[4], pointer: WrittenPointer): Pointer {
  if (typeof pointer === 'number') return { checkpoint: pointer }
  if (!isList(pointer)) return pointer
  if (type === 'end') return { ending: endingOfList(pointer, at) }
  const step = place?.[0] as number
  if (type === 'step.started') {
    const [provider = null, model = null, toolCallId = null] = pointer as (string | null)[]
    return { step, start: [provider, model, toolCallId] }
  }
  const [input = 0, output = 0, total = 0, cached = 0, reasoning = 0, checkpoint = null, cost] = pointer as number[]
  return {
    step,
    end: [input, output, total, cached, reasoning, checkpoint],
    ...(typeof cost === 'string' && { cost }),
  }
}

const isList = (pointer: WrittenPointer): pointer is readonly unknown[] => Array.isArray(pointer)

/** The values up to the last one that is neither null nor 0. */
function shortened(values: readonly unknown[]): readonly unknown[] {
  let length = values.length
  while (length > 0 && (values[length - 1] === null || values[length - 1] === 0)) length -= 1
  return values.slice(0, length)
}

function listOfMark({ start, end, cost }: StoredMark): readonly unknown[] | undefined {
  if (start) return shortened(start)
  return end && shortened([...end, cost ?? null])
}

/** Undefined for an end with a cause, or with another time than its frame. */
function listOfEnding(ending: WrittenEnding, at: number): readonly unknown[] | undefined {
  const { state, output_digest, stopReason, attempt, chain, startedAt, endedAt, ...others } = ending
  if (chain === undefined || endedAt !== at || Object.keys(others).length > 0) return undefined
  return [state, output_digest, stopReason, attempt, chain, startedAt]
}

function endingOfList(list: readonly unknown[], endedAt: number): WrittenEnding {
  const [state, output_digest, stopReason, attempt, chain, startedAt] = list
  return { state, output_digest, stopReason, attempt, chain, startedAt, endedAt } as WrittenEnding
}
