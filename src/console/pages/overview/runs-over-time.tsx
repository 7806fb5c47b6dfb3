/** Ended runs over time, by outcome. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from '../../ui/states.tsx'
import { ChartCard } from './chart-card.tsx'
import { barsOf, endedIn, outcomes, type Range, type Statistics } from './figures.ts'
import type { PlotProps } from './plot.tsx'

/** Shown if the chart's chunk fails to load; the table still works. */
const NoPlot = () => <p className="faint">The chart could not be loaded. Switch to the table for the figures.</p>

const Plot = lazy(
  (): Promise<{ default: ComponentType<PlotProps> }> => import('./plot.tsx').catch(() => ({ default: NoPlot })),
)

const instant = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

const about = {
  '24h': 'By the hour in which they ended.',
  '7d': 'By six hours in which they ended.',
  '30d': 'By the day in which they ended, in UTC.',
} as const satisfies Record<Range['value'], string>

export function RunsOverTime({ statistics, range }: { statistics: Statistics; range: Range }) {
  const { buckets, totals } = statistics
  const bars = barsOf(buckets, range.barMs)
  return (
    <ChartCard
      title="Runs over time"
      about={about[range.value]}
      legend={outcomes.map(({ outcome, title, token }) => ({ title, token, value: String(totals[outcome]) }))}
      chart={
        endedIn(totals) === 0 ? (
          <p className="overview-nothing faint">No runs ended in {range.words}.</p>
        ) : (
          <Suspense fallback={<Loading rows={6} />}>
            <Plot
              times={bars.map(({ from }) => from)}
              series={outcomes.map(({ outcome, title, token }) => ({
                title,
                token,
                values: bars.map(({ counts }) => counts[outcome]),
              }))}
            />
          </Suspense>
        )
      }
      table={{
        columns: ['From', ...outcomes.map(({ title }) => title)],
        rows: bars
          .filter(({ counts }) => endedIn(counts) > 0)
          .map(({ from, counts }) => [instant.format(from), ...outcomes.map(({ outcome }) => counts[outcome])]),
      }}
    />
  )
}
