/** The next five times of a schedule, computed by the server's own code. A separate chunk, because of the cron parser. */
import { cronFault, nextTick, normalCron, timezoneFault } from '../../../automation/agent-jobs/schedule.ts'
import { useNow } from '../../ui/time.tsx'
import { cronWords } from './cron-words.ts'
import { clockText, untilText } from './next-time.tsx'

const shownMax = 5

function nextTicks(cron: string, timezone: string, after: number): number[] {
  const ticks: number[] = []
  for (let at: number | null = after; ticks.length < shownMax; ) {
    at = nextTick({ cron, timezone }, at)
    if (at === null) break
    ticks.push(at)
  }
  return ticks
}

export default function SchedulePreview({ cron: written, timezone }: { cron: string; timezone: string }) {
  const now = useNow()
  const cron = normalCron(written)
  const fault = cron === '' ? 'Enter a pattern or choose a preset.' : (cronFault(cron) ?? timezoneFault(timezone))
  if (fault) {
    return (
      <div className="schedule-preview" role="status">
        <p className={cron === '' ? 'faint' : 'field-issues'}>{fault}</p>
      </div>
    )
  }
  return (
    <div className="schedule-preview" role="status">
      <p>
        <strong>{cronWords(cron)}</strong> <span className="faint">{timezone}</span>
      </p>
      <ol aria-label="Next runs">
        {nextTicks(cron, timezone, now).map((at) => (
          <li key={at}>
            <time dateTime={new Date(at).toISOString()}>{clockText(at, timezone, now)}</time>
            <span className="faint">{untilText(at - now)}</span>
          </li>
        ))}
      </ol>
    </div>
  )
}
