/** Time axis of the waterfall. */
import { durationText } from '../../../ui/time.tsx'

export interface Span {
  /** Epoch milliseconds. */
  from: number
  to: number
}

interface Tick {
  /** Percentage of the width. */
  at: number
  label: string
}

/** 1, 2, 5 × 10ⁿ milliseconds, then round seconds, minutes and hours. */
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  [1, 2, 4, 6, 12, 24, 48, 168].map((hours) => hours * 3_600_000),
)

/** `20 ms`, `1.5 s`, from a minute on `6:39`; as precise as the tick interval. */
function labelOf(at: number, step: number): string {
  if (at < 60_000) return durationText(at).replace(/\.0 s$/, ' s')
  if (step >= 60_000) return durationText(at).replace(/ 0 (?:s|min)$/, '')
  const digits = step >= 1_000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3
  const seconds = ((at % 60_000) / 1_000).toFixed(digits).padStart(digits === 0 ? 2 : digits + 3, '0')
  return `${Math.floor(at / 60_000)}:${seconds}`
}

/** Round ticks, counted from `zero`, at most `most`. */
export function ticksOf({ from, to }: Span, zero: number, most = 5): Tick[] {
  const length = Math.max(1, to - from)
  const step = steps.find((each) => length / each <= most) ?? Math.ceil(length / most)
  const ticks: Tick[] = []
  for (let at = Math.ceil((from - zero) / step) * step; at <= to - zero; at += step) {
    ticks.push({ at: percentOf({ from, to }, zero + at), label: at === 0 ? '0' : labelOf(at, step) })
  }
  return ticks
}

/** Percentage of the width, clamped to 0–100. */
export const percentOf = ({ from, to }: Span, at: number): number =>
  Math.min(100, Math.max(0, ((at - from) / Math.max(1, to - from)) * 100))
