/** How long runs wait, and how long they take. */
import type { PresentedRun } from '../../../runs/present.ts'
import { durationText } from '../../ui/time.tsx'
import { ChartCard } from './chart-card.tsx'
import { type Percentiles, percentilesOf, queueTimesOf, workTimesOf } from './figures.ts'

const parts = [
  { key: 'p50', title: 'Half within' },
  { key: 'p90', title: '90 % within' },
  { key: 'p99', title: '99 % within' },
] as const

const leastMs = 1

/** Bars by the logarithm: milliseconds and minutes on one scale. */
const lengthOf = (value: number, most: number): number =>
  most <= leastMs ? 100 : Math.max(2, (Math.log10(Math.max(value, leastMs) + 1) / Math.log10(most + 1)) * 100)

interface Line {
  title: string
  percentiles: Percentiles | undefined
}

export function Latencies({ runs }: { runs: readonly PresentedRun[] }) {
  const lines: Line[] = [
    { title: 'From the queue to the start', percentiles: percentilesOf(queueTimesOf(runs)) },
    { title: 'From the start to the end', percentiles: percentilesOf(workTimesOf(runs)) },
  ]
  const most = Math.max(...lines.map(({ percentiles }) => percentiles?.p99 ?? 0))
  return (
    <ChartCard
      title="Latency"
      about="Waiting for somebody counts. Bars are logarithmic."
      chart={
        <div className="latencies">
          {lines.map(({ title, percentiles }) => (
            <div key={title} className="latency">
              <h3>{title}</h3>
              {percentiles ? (
                parts.map((part) => (
                  <div key={part.key} className="latency-line">
                    <span className="faint">{part.title}</span>
                    <span className="latency-track" aria-hidden="true">
                      <span
                        className={`latency-bar latency-${part.key}`}
                        style={{ width: `${lengthOf(percentiles[part.key], most)}%` }}
                      />
                    </span>
                    <span className="number">{durationText(percentiles[part.key])}</span>
                  </div>
                ))
              ) : (
                <p className="faint">None yet.</p>
              )}
            </div>
          ))}
        </div>
      }
      table={{
        columns: ['', ...parts.map(({ title }) => title), 'Runs'],
        rows: lines.map(({ title, percentiles }) => [
          title,
          ...parts.map(({ key }) => (percentiles ? durationText(percentiles[key]) : '–')),
          percentiles?.count ?? 0,
        ]),
      }}
    />
  )
}
