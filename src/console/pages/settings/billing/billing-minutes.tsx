/** Minutes of a period as a meter: used, reserved, available. */
import { Time } from '../../../ui/time.tsx'
import { count, levelOf } from './billing-figures.ts'
import '../../../ui/meter.css'
import './billing.css'

export interface MinutesOfUsage {
  used: number
  reserved: number
  budget: number | null
  remaining: number | null
}

interface MinutesProps {
  minutes: MinutesOfUsage
  period: { end: string }
  isPast: boolean
}

/** The budget of a past period is not known. */
export function Minutes({ minutes: { used, reserved, budget }, period, isPast }: MinutesProps) {
  if (isPast) {
    return (
      <p className="meter-head">
        <strong>{count(used)} minutes used</strong>
      </p>
    )
  }
  if (budget === null) {
    return (
      <p className="meter-head">
        <strong>{count(used)} minutes used</strong>
        <span className="faint">no limit</span>
      </p>
    )
  }
  const gone = used + reserved
  const share = (part: number) => (budget === 0 ? 100 : Math.min(100, (part / budget) * 100))
  const text = `${count(used)} of ${count(budget)} minutes used`
  const left = count(Math.max(0, budget - gone))
  return (
    <div className="meter">
      <p className="meter-head">
        <strong>{text}</strong>
        <span className="faint">{left} available</span>
      </p>
      <meter className="visually-hidden" aria-label="Minutes used" min={0} max={budget} value={Math.min(used, budget)}>
        {text}
      </meter>
      <div className="meter-track" data-level={levelOf(budget === 0 ? 1 : gone / budget)} aria-hidden="true">
        <span style={{ width: `${share(used)}%`, minWidth: used > 0 ? 2 : 0 }} />
        <span className="meter-reserved" style={{ width: `${Math.min(share(reserved), 100 - share(used))}%` }} />
      </div>
      {reserved > 0 && (
        <p className="faint">{count(reserved)} reserved for runs in progress. Unused minutes become available again.</p>
      )}
      {gone >= budget && (
        <p className="standing-bad">
          {used >= budget
            ? 'New runs are refused until the period ends or the plan changes.'
            : 'New runs are refused until runs in progress end or the plan changes.'}
        </p>
      )}
      <p className="faint">
        The period ends <Time at={period.end} />.
      </p>
    </div>
  )
}
