/**
 * The stored form of one commit's frames. There are many, and most of their characters would repeat: a kind is stored
 * as a number, and a time equal to that of the previous frame as 0. Frames of earlier versions have both in full.
 */
import type { FrameType, StoredFrame } from './frames.ts'

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

type Written = [sequence: number, type: number | FrameType, at: number, ...others: unknown[]]

/** As JSON. */
export function writeFrames(frames: readonly StoredFrame[]): string {
  let before = 0
  return JSON.stringify(
    frames.map(([sequence, type, at, ...others]) => {
      const written = at === before ? 0 : at
      before = at
      return [sequence, numbers.get(type) ?? type, written, ...others]
    }),
  )
}

export function readFrames(text: string): StoredFrame[] {
  let before = 0
  return (JSON.parse(text) as Written[]).map(([sequence, type, at, ...others]) => {
    if (at !== 0) before = at
    return [sequence, typeof type === 'number' ? types[type] : type, before, ...others] as StoredFrame
  })
}
