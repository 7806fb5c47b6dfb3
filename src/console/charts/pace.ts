/** The pace at which a journal is replayed and live transitions are highlighted. */
import type { Passed } from './lit.ts'

export type Mode = 'live' | 'paused' | 'playing'

export const speeds = [0.5, 1, 2, 4] as const
export type Speed = (typeof speeds)[number]

/** How long a replay shows a transition before the next one. */
const stepMs = 900
/** Of transitions that arrive together only the last few are highlighted, one after the other. */
const litMax = 6
const litEveryMs = 120
/** Duration of a highlight; see `chart-moves.css`. */
export const litMs = 700

/** The highlighted transitions after `before`, up to `last`. */
export function passedBetween(before: number, last: number): Passed[] {
  const from = Math.max(before, last - litMax) + 1
  const count = Math.max(0, last - from + 1)
  return Array.from({ length: count }, (_, place) => ({ sequence: from + place, delayMs: place * litEveryMs }))
}

/** The transition that a replay shows next, and how long the current one stays; undefined if the replay stops. */
export function nextPosition(
  { mode, position, speed }: { mode: Mode; position: number; speed: Speed },
  { first, last }: { first: number; last: number },
): { position: number; seenMs: number } | undefined {
  if (mode !== 'playing' || position >= last) return undefined
  return { position: Math.max(first, position + 1), seenMs: stepMs / speed }
}
