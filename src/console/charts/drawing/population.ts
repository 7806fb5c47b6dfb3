/** The population of a chart: the number of actors in each state, and how long the oldest has been there compared with others. */
import { durationText } from '../../ui/time.tsx'

/** A state as `GET /api/v1/machines/{kind}/population` tells of it. */
export interface StatePopulation {
  state: string
  count: number
  oldestSince: string | null
  secondsInState: { p50: number | null; p95: number | null }
}

/** From cool to hot; none where nothing can be compared. */
export type Heat = 'none' | 'cool' | 'warm' | 'hot' | 'stuck'

/** What each means, and the mark that says it without colour. */
export const heats: Record<Exclude<Heat, 'none'>, { mark: string; means: string }> = {
  cool: { mark: '▁', means: 'The oldest has been there no longer than half of the others were (p50)' },
  warm: { mark: '▃', means: 'No longer than 95 in a hundred were (p95)' },
  hot: { mark: '▅', means: 'Longer than p95' },
  stuck: { mark: '█', means: 'More than ten times as long as p95' },
}

export interface Populated {
  count: number
  heat: Heat
  /** For those who hear the chart. */
  spoken: string
}

/** By the name of the state; without those that no actor is in. */
export type Population = ReadonlyMap<string, Populated>

/** A state that is left by a command alone is stayed in for as long as people like: nothing gets stuck there. */
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
