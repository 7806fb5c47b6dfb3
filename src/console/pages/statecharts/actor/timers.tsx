/** The running deadlines, with the remaining time of each. */
import { useEffect, useRef, useState } from 'react'
import type { Timer } from '../../../charts/actor.ts'
import { Icon } from '../../../ui/icon.tsx'
import { Section } from '../../../ui/page.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import { remainingText } from './remaining.ts'

/** Delay after a deadline before the actor is read again: by then the deadline's event has been processed. */
const passedMs = 2_500

/** The current time, updated every second. */
function useSeconds(): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

export function Timers({ timers, refresh }: { timers: Timer[]; refresh: () => Promise<void> }) {
  if (timers.length === 0) return null
  return (
    <Section title="Deadlines">
      <ul className="moves" aria-label="Deadlines">
        {timers.map((timer) => (
          <li key={timer.event}>
            <Countdown key={timer.dueAt} timer={timer} refresh={refresh} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Countdown({ timer: { event, dueAt }, refresh }: { timer: Timer; refresh: () => Promise<void> }) {
  const now = useSeconds()
  const left = Date.parse(dueAt) - now
  const asked = useRef(false)
  useEffect(() => {
    if (asked.current || left > -passedMs) return
    asked.current = true
    void refresh()
  }, [left, refresh])
  return (
    <p className="countdown">
      <Icon name="clock" />
      <span>
        <code>{event}</code>
        <span className="faint">
          <AbsoluteTime at={dueAt} />
        </span>
      </span>
      <strong className="number">{left > 0 ? remainingText(left) : 'due'}</strong>
    </p>
  )
}
