/** The attempts of a delivery on a line of time, the first on top. */
import type { Delivery } from '../../../webhooks/deliveries/schema.ts'
import { durationText, Time } from '../../ui/time.tsx'
import { Countdown } from './countdown.tsx'
import './webhooks.css'

type Attempt = Delivery['attemptHistory'][number]

/** `204`, `500`, `timeout` */
export const outcomeOf = ({ status, errorClass }: Attempt): string =>
  status === null ? (errorClass ?? 'no answer').replaceAll('_', ' ') : String(status)

export function Attempts({ delivery: { attemptHistory, attempts, nextAttemptAt, state } }: { delivery: Delivery }) {
  const longest = Math.max(1, ...attemptHistory.map(({ durationMs }) => durationMs))
  if (attemptHistory.length === 0 && !nextAttemptAt) return <p className="faint">Nothing was tried yet.</p>
  return (
    <ol className="attempts" aria-label="Attempts">
      {attempts > attemptHistory.length && (
        <li className="attempts-more">{attempts - attemptHistory.length} earlier ones are not kept</li>
      )}
      {attemptHistory.map((attempt) => {
        const { number, durationMs, at, errorClass } = attempt
        return (
          <li key={at + number} className={`attempt ${errorClass === null ? 'attempt-good' : 'attempt-bad'}`}>
            <span className="attempt-number">{number}</span>
            <span className="attempt-outcome">
              <strong>{outcomeOf(attempt)}</strong>
              {attempt.status !== null && errorClass !== null && (
                <span className="faint"> {errorClass.replaceAll('_', ' ')}</span>
              )}
            </span>
            <span className="attempt-track" aria-hidden="true">
              <span className="attempt-bar" style={{ width: `${Math.max(2, (durationMs / longest) * 100)}%` }} />
            </span>
            <span className="number">{durationText(durationMs)}</span>
            <Time at={at} />
          </li>
        )
      })}
      {nextAttemptAt && (
        <li className="attempt attempt-next">
          <span className="attempt-number">{attempts + 1}</span>
          <span>
            The next one <Countdown to={nextAttemptAt} />
          </span>
        </li>
      )}
      {state === 'dead-letter' && <li className="attempts-more">Nothing more is tried by itself.</li>}
    </ol>
  )
}
