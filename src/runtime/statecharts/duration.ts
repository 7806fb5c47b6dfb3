/** Durations in words. */

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
  ['millisecond', 1],
] as const

/** `86_400_000` is `1 day`: the largest unit that leaves no remainder. */
export function duration(ms: number): string {
  const [unit, length] = units.find(([, size]) => ms >= size && ms % size === 0) ?? ['millisecond', 1]
  const count = ms / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
