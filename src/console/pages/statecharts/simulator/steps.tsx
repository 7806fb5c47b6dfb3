/** The result of each step of a simulation: evaluated guards, the commit, and the effects after it. */
import { StateBadge } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Empty } from '../../../ui/states.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import type { Outcome, SimulatedStep } from './use-simulation.ts'

interface StepsProps {
  outcome: Outcome
  /** Number of steps shown on the chart. */
  shown: number
  onShow: (shown: number) => void
}

export function Steps({ outcome: { steps }, shown, onShow }: StepsProps) {
  if (steps.length === 0) {
    return (
      <Empty icon="chart" title="No steps yet">
        Send an event, or let time pass.
      </Empty>
    )
  }
  return (
    <ol className="moves" aria-label="Steps">
      {steps.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is identified by its index
        <li key={place}>
          <button type="button" className="move" aria-pressed={place + 1 === shown} onClick={() => onShow(place + 1)}>
            <Heading step={step} place={place + 1} />
          </button>
          {place + 1 === shown && <Details step={step} />}
        </li>
      ))}
    </ol>
  )
}

function Heading({ step: { event, cause, from, to, accepted }, place }: { step: SimulatedStep; place: number }) {
  return (
    <>
      <span className="move-event">
        <span className="number faint">{place}</span>
        {cause === 'deadline' && <Icon name="clock" size={13} />}
        <code className="next-name">{event}</code>
      </span>
      <span className="move-way">
        {accepted ? (
          <>
            {from !== null && from !== to && <span className="faint">{from} →</span>}
            {to !== null && <StateBadge state={to} />}
            {from === to && <span className="faint">stays</span>}
          </>
        ) : (
          <span className="simulator-refused">
            <Icon name="warning" size={13} /> refused{from !== null && ` in ${from}`}
          </span>
        )}
      </span>
    </>
  )
}

const guardText = { true: 'holds', false: 'does not hold', null: 'cannot be evaluated with this data' } as const

const whenDone = {
  commit: 'committed',
  hint: 'after the commit, as a hint',
  durable: 'after the commit, durable',
} as const

function Details({ step }: { step: SimulatedStep }) {
  const { at, rows, effects, changes, timers, refusal, sequence, accepted } = step
  return (
    <div className="simulator-details">
      <p className="faint">
        <AbsoluteTime at={at} />
      </p>
      {refusal && (
        <p className="next-result">
          {refusal.status} <code>{refusal.code}</code> {refusal.message}
        </p>
      )}
      {rows.some(({ guard }) => guard !== null) && (
        <ul aria-label="Guards" className="simulator-list">
          {rows.map(({ guard, to, holds, assumed, taken }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are tried in their order
            <li key={place}>
              {guard === null ? 'Otherwise' : <code>[{guard}]</code>}{' '}
              {guard !== null && `${guardText[`${holds}`]}${assumed ? ', as assumed' : ''}`} → {to}
              {taken && <strong> taken</strong>}
            </li>
          ))}
        </ul>
      )}
      {accepted && (
        <ul aria-label="Outcome" className="simulator-list">
          {sequence !== null && <li>Journal entry {sequence}, committed</li>}
          {timers.map(({ event, dueAt }) => (
            <li key={event}>
              Deadline <code>{event}</code>: <AbsoluteTime at={dueAt} />
            </li>
          ))}
          {effects.map(({ effect, done }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an effect may be requested twice
            <li key={place}>
              <code>{effect}</code>, {whenDone[done]}
            </li>
          ))}
          {Object.entries(changes).map(([field, value]) => (
            <li key={field} className="simulator-change">
              <code>{field}</code> set to <code>{JSON.stringify(value)}</code>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
