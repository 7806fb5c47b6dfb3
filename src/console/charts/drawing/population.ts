/** The population of a chart: the number of actors in each state, and the age of the oldest compared with p50 and p95. */
import { durationText } from '../../ui/time.tsx'

/** A state as returned by `GET /api/v1/machines/{kind}/population`. */
interface StatePopulation {
  state: string
  count: number
  oldestSince: string | null
  secondsInState: { p50: number | null; p95: number | null }
}

/** From cool to hot; `none` without figures to compare. */
export type Heat = 'none' | 'cool' | 'warm' | 'hot' | 'stuck'

/** The meaning of each, and its mark for readers without colour. */
export const heats: Record<Exclude<Heat, 'none'>, { mark: string; means: string }> = {
  cool: { mark: '▁', means: 'Oldest actor within p50 of the time in this state' },
  warm: { mark: '▃', means: 'Oldest actor within p95' },
  hot: { mark: '▅', means: 'Oldest actor above p95' },
  stuck: { mark: '█', means: 'Oldest actor above ten times p95' },
}

export interface Populated {
  count: number
  heat: Heat
  /** The label for screen readers. */
  spoken: string
}

/** By state; without empty states. */
export type Population = ReadonlyMap<string, Populated>

/** Only transient states can be stuck: actors may stay in any other state until a command arrives. */
export function heatOf(
  { oldestSince, secondsInState: { p50, p95 } }: StatePopulation,
  isPassing: boolean,
  now: number,
): Heat {
  if (!isPassing || oldestSince === null || p50 === null || p95 === null) return 'none'
  const seconds = (now - Date.parse(oldestSince)) / 1_000
  if (seconds <= p50) return 'cool'
  if (seconds <= p95) return 'warm'
  return seconds <= 10 * p95 ? 'hot' : 'stuck'
}

export function populationOf(
  states: readonly StatePopulation[],
  isPassing: (state: string) => boolean,
  now: number,
): Population {
  return new Map(
    states.flatMap((each): [string, Populated][] => {
      const { state, count, oldestSince } = each
      if (count === 0) return []
      const heat = heatOf(each, isPassing(state), now)
      const oldest =
        oldestSince === null ? '' : `, the oldest for ${durationText(Math.max(0, now - Date.parse(oldestSince)))}`
      return [[state, { count, heat, spoken: `${count} ${count === 1 ? 'actor' : 'actors'}${oldest}` }]]
    }),
  )
}

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `12`, `1.2K` */
export const countText = (count: number): string => short.format(count)
