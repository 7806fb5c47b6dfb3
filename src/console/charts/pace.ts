/** How fast a journal goes by. */
export type Mode = 'live' | 'paused' | 'playing'

export const speeds = [0.5, 1, 2, 4] as const
export type Speed = (typeof speeds)[number]

/** How long a move is shown before the next one. */
const stepMs = 900
/** Live, moves that come all at once are shown faster, and only the last of many. */
const catchUpMs = 420
const catchUpMax = 6

/** Where the light goes next, and how long the present move is to be seen before that; undefined: it stays. */
export function nextPosition(
  { mode, position, speed }: { mode: Mode; position: number; speed: Speed },
  { first, last }: { first: number; last: number },
): { position: number; seenMs: number } | undefined {
  if (mode === 'paused' || position >= last) return undefined
  if (mode === 'playing') return { position: Math.max(first, position + 1), seenMs: stepMs / speed }
  // far behind: straight to where something new is to be seen
  if (last - position > catchUpMax) return { position: last - 1, seenMs: 0 }
  return { position: position + 1, seenMs: catchUpMs }
}
