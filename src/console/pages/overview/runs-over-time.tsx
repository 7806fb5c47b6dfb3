/** How many runs have ended when, and how. */
import { type ComponentType, lazy, Suspense } from 'react'
import { Loading } from '../../ui/states.tsx'
import { ChartCard } from './chart-card.tsx'
import { barsOf, endedIn, outcomes, type Range, type Statistics } from './figures.ts'
import type { PlotProps } from './plot.tsx'

/** What draws it could not be loaded: the figures are there all the same. */
const NoPlot = () => <p className="faint">The drawing could not be loaded; the figures are there as a table.</p>

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
  '7d': 'Six hours a bar, by when they ended.',
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
          <p className="overview-nothing faint">Nothing has ended in {range.words}.</p>
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
