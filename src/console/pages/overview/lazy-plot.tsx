/** The plot; its code loads when it is shown. */
import { Suspense } from 'react'
import { lazyPart } from '../../lazy-part.ts'
import { Loading } from '../../ui/states.tsx'
import type { PlotProps } from './plot.tsx'

/** Shown if the chart's chunk fails to load; the table still works. */
const NoPlot = () => <p className="faint">The chart could not be loaded. Switch to the table for the figures.</p>

const Plot = lazyPart(() => import('./plot.tsx'), NoPlot)

export const LazyPlot = (props: PlotProps) => (
  <Suspense fallback={<Loading rows={6} />}>
    <Plot {...props} />
  </Suspense>
)

const instant = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

/** The start of a bar, in tables. */
export const barText = (from: number): string => instant.format(from)
