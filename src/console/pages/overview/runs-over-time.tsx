/** How many runs were started when, and what became of them. */
import { type ComponentType, lazy, Suspense } from 'react'
import type { PresentedRun } from '../../../runs/present.ts'
import { Loading } from '../../ui/states.tsx'
import { ChartCard } from './chart-card.tsx'
import { bucketsOf, countsOf, outcomes } from './figures.ts'
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

export function RunsOverTime({ runs, now }: { runs: readonly PresentedRun[]; now: number }) {
  const buckets = bucketsOf(runs, now)
  const counts = countsOf(runs)
  return (
    <ChartCard
      title="Runs over time"
      about="By when they were started, and what has become of them."
      legend={outcomes.map(({ outcome, title, token }) => ({ title, token, value: String(counts[outcome]) }))}
      chart={
        <Suspense fallback={<Loading rows={6} />}>
          <Plot
            times={buckets.map(({ from }) => from)}
            series={outcomes.map(({ outcome, title, token }) => ({
              title,
              token,
              values: buckets.map(({ counts }) => counts[outcome]),
            }))}
          />
        </Suspense>
      }
      table={{
        columns: ['From', ...outcomes.map(({ title }) => title)],
        rows: buckets
          .filter(({ counts }) => Object.values(counts).some((count) => count > 0))
          .map(({ from, counts }) => [instant.format(from), ...outcomes.map(({ outcome }) => counts[outcome])]),
      }}
    />
  )
}
