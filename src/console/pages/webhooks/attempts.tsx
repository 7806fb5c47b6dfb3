/** Timeline of a delivery's attempts. */
import { Fragment } from 'react'
import type { Delivery } from '../../../events/deliveries/schema.ts'
import { Countdown } from '../../ui/countdown.tsx'
import { Code } from '../../ui/text/code.tsx'
import { durationText, Time } from '../../ui/time.tsx'
import './webhooks.css'

type Attempt = Delivery['attemptHistory'][number]

/** `204`, `500`, `timeout` */
export const outcomeOf = ({ status, errorClass }: Attempt): string =>
  status === null ? (errorClass ?? 'no answer').replaceAll('_', ' ') : String(status)

export function Attempts({ delivery: { attemptHistory, attempts, nextAttemptAt, state } }: { delivery: Delivery }) {
  const longest = Math.max(1, ...attemptHistory.map(({ durationMs }) => durationMs))
  if (attemptHistory.length === 0 && !nextAttemptAt) return <p className="faint">No attempts yet.</p>
  return (
    <ol className="attempts" aria-label="Attempts">
      {attempts > attemptHistory.length && (
        <li className="attempts-more">{attempts - attemptHistory.length} earlier attempts not shown</li>
      )}
      {attemptHistory.map((attempt, place) => (
        <Fragment key={attempt.at + attempt.number}>
          {attempt.number <= (attemptHistory[place - 1]?.number ?? 0) && <li className="attempts-more">Retried</li>}
          <One attempt={attempt} longest={longest} isLast={attempt === attemptHistory.at(-1)} />
        </Fragment>
      ))}
      {nextAttemptAt && (
        <li className="attempt attempt-next">
          <span className="attempt-number">{attempts + 1}</span>
          <span>
            Next attempt <Countdown to={nextAttemptAt} />
          </span>
        </li>
      )}
      {state === 'dead-letter' && <li className="attempts-more">No further automatic attempts.</li>}
    </ol>
  )
}

interface OneProps {
  attempt: Attempt
  /** Longest attempt in milliseconds. */
  longest: number
  isLast: boolean
}

function One({ attempt, longest, isLast }: OneProps) {
  const { number, durationMs, at, status, errorClass, response } = attempt
  return (
    <li className={`attempt ${errorClass === null ? 'badge-good' : 'badge-bad'}`}>
      <span className="attempt-number">{number}</span>
      <span className="attempt-outcome">
        <strong>{outcomeOf(attempt)}</strong>
        {status !== null && errorClass !== null && errorClass !== 'http_status' && (
          <span className="faint"> {errorClass.replaceAll('_', ' ')}</span>
        )}
      </span>
      <span className="attempt-track" aria-hidden="true">
        <span className="attempt-bar" style={{ width: `${Math.max(2, (durationMs / longest) * 100)}%` }} />
      </span>
      <span className="number">{durationText(durationMs)}</span>
      <Time at={at} />
      {response !== undefined && (
        <details className="attempt-response" open={isLast}>
          <summary>Response</summary>
          {response === '' ? (
            <p className="faint">Empty body.</p>
          ) : (
            <Code text={response} label={`response to attempt ${number}`} wrap />
          )}
        </details>
      )}
    </li>
  )
}
