/** Ended runs over time, by outcome. */
import { ChartCard } from './chart-card.tsx'
import { barsOf, endedIn, outcomes, type Range, type Statistics } from './figures.ts'
import { barText, LazyPlot } from './lazy-plot.tsx'
import { whole } from './tiles.tsx'

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
      legend={outcomes.map(({ outcome, title, token }) => ({ title, token, value: whole.format(totals[outcome]) }))}
      chart={
        endedIn(totals) === 0 ? (
          <p className="overview-nothing faint">No runs ended in {range.words}.</p>
        ) : (
          <LazyPlot
            times={bars.map(({ from }) => from)}
            series={outcomes.map(({ outcome, title, token }) => ({
              title,
              token,
              values: bars.map(({ counts }) => counts[outcome]),
            }))}
          />
        )
      }
      table={{
        columns: ['From', ...outcomes.map(({ title }) => title)],
        rows: bars
          .filter(({ counts }) => endedIn(counts) > 0)
          .map(({ from, counts }) => [barText(from), ...outcomes.map(({ outcome }) => whole.format(counts[outcome]))]),
      }}
    />
  )
}
