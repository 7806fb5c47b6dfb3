/** Queue time and run duration. */
import { durationText } from '../../ui/time.tsx'
import { ChartCard } from './chart-card.tsx'
import type { Statistics } from './figures.ts'

const parts = [
  { key: 'p50Ms', title: 'p50' },
  { key: 'p90Ms', title: 'p90' },
  { key: 'p99Ms', title: 'p99' },
] as const

const leastMs = 1

/** Logarithmic bar length, so that milliseconds and minutes fit one scale. */
const lengthOf = (value: number, most: number): number =>
  most <= leastMs ? 100 : Math.max(2, (Math.log10(Math.max(value, leastMs) + 1) / Math.log10(most + 1)) * 100)

/** Rounded to the precision of an estimate. */
const estimate = (ms: number | null): string => (ms === null ? '–' : durationText(Number(ms.toPrecision(2))))

export function Latencies({ statistics: { queueTime, workTime } }: { statistics: Statistics }) {
  const lines = [
    { title: 'Time in queue', times: queueTime },
    { title: 'Run duration', times: workTime },
  ]
  const most = Math.max(...lines.map(({ times }) => times.p99Ms ?? 0))
  return (
    <ChartCard
      title="Latency"
      about="Estimates, including time spent waiting. Bars are logarithmic."
      chart={
        <div className="latencies">
          {lines.map(({ title, times }) => (
            <div key={title} className="latency">
              <h3>{title}</h3>
              {times.count > 0 ? (
                parts.map((part) => (
                  <div key={part.key} className="latency-line">
                    <span className="faint">{part.title}</span>
                    <span className="latency-track" aria-hidden="true">
                      <span
                        className={`latency-bar latency-${part.key}`}
                        style={{ width: `${lengthOf(times[part.key] ?? 0, most)}%` }}
                      />
                    </span>
                    <span className="number">{estimate(times[part.key])}</span>
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
        rows: lines.map(({ title, times }) => [title, ...parts.map(({ key }) => estimate(times[key])), times.count]),
      }}
    />
  )
}
