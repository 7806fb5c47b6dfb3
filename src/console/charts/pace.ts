/** The pace at which a journal is replayed and live transitions are highlighted. */
import type { Passed } from './lit.ts'

export type Mode = 'live' | 'paused' | 'playing'

export const speeds = [0.5, 1, 2, 4] as const
export type Speed = (typeof speeds)[number]

/** How long a move is shown before the next one. */
const stepMs = 900
/** Of moves that come all at once the last few have light on their lines, one after the other. */
const litMax = 6
const litEveryMs = 120
/** For so long the light of one move is seen: see `chart-moves.css`. */
export const litMs = 700

/** The moves behind `before`, up to `last`, that have light on their lines. */
export function passedBetween(before: number, last: number): Passed[] {
  const from = Math.max(before, last - litMax) + 1
  const count = Math.max(0, last - from + 1)
  return Array.from({ length: count }, (_, place) => ({ sequence: from + place, delayMs: place * litEveryMs }))
}

/** Which move a replay shows next, and how long the present one is to be seen before that; undefined: it stays. */
export function nextPosition(
  { mode, position, speed }: { mode: Mode; position: number; speed: Speed },
  { first, last }: { first: number; last: number },
): { position: number; seenMs: number } | undefined {
  if (mode !== 'playing' || position >= last) return undefined
  return { position: Math.max(first, position + 1), seenMs: stepMs / speed }
}
