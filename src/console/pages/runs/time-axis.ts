/** Where instants are on a line of time. */
import { durationText } from '../../ui/time.tsx'

export interface Span {
  /** Epoch milliseconds. */
  from: number
  to: number
}

export interface Tick {
  /** Of the width, in percent. */
  at: number
  label: string
}

/** 1, 2, 5 × 10ⁿ milliseconds, then seconds, minutes and hours as people count them. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 4, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
)

const short = (milliseconds: number): string =>
  durationText(milliseconds)
    .replace(/\.0 s$/, ' s')
    .replace(/ 0 (?:s|min)$/, '')

/** Round marks, counted from `zero`, of which at most `most` fit. */
export function ticksOf({ from, to }: Span, zero: number, most = 5): Tick[] {
  const length = Math.max(1, to - from)
  const step = steps.find((each) => length / each <= most) ?? Math.ceil(length / most)
  const ticks: Tick[] = []
  for (let at = Math.ceil((from - zero) / step) * step; at <= to - zero; at += step) {
    ticks.push({ at: percentOf({ from, to }, zero + at), label: at === 0 ? '0' : short(at) })
  }
  return ticks
}

/** Of the width, within 0 and 100. */
export const percentOf = ({ from, to }: Span, at: number): number =>
  Math.min(100, Math.max(0, ((at - from) / Math.max(1, to - from)) * 100))
