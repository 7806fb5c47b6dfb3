/** Current usage of each plan limit. */
import { levelOf } from './billing-figures.ts'
import '../../../ui/meter.css'
import './billing.css'

interface Limit {
  used: number
  limit: number | null
}

const names = {
  projects: 'Projects',
  agents: 'Agents',
  liveRuns: 'Runs in progress',
  openStreams: 'Open streams',
  storedBytes: 'Stored run data',
} as const
type LimitName = keyof typeof names

export type LimitsOfUsage = Record<LimitName, Limit>

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** `1.5 GiB` */
function bytesText(bytes: number): string {
  const unit = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  return `${(bytes / 1024 ** unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${byteUnits[unit]}`
}

const textOf = (name: LimitName, value: number) =>
  name === 'storedBytes' ? bytesText(value) : value.toLocaleString('en')

export const Limits = ({ limits }: { limits: LimitsOfUsage }) => (
  <ul className="surface limits" aria-label="Limits of the plan">
    {(Object.keys(names) as LimitName[]).map((name) => {
      const { used, limit } = limits[name]
      const share = limit === null ? 0 : limit === 0 ? 1 : used / limit
      return (
        <li key={name}>
          <span className="meter-head">
            <span>{names[name]}</span>
            <span className="number faint">
              {textOf(name, used)} {limit === null ? '· no limit' : `of ${textOf(name, limit)}`}
            </span>
          </span>
          {limit !== null && (
            <span className="meter-track" data-level={levelOf(share)} aria-hidden="true">
              <span style={{ width: `${Math.min(100, share * 100)}%`, minWidth: used > 0 ? 2 : 0 }} />
            </span>
          )}
        </li>
      )
    })}
  </ul>
)
