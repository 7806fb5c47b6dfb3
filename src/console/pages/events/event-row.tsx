/** One event in the list. */
import type { Event } from '../../../events/history/schema.ts'
import { toneOf } from '../../ui/badge.tsx'
import { Time } from '../../ui/time.tsx'
import './events.css'

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Shortens an id in the middle; its end identifies it. */
const ending = (id: string) => (id.length > 14 ? `${id.slice(0, 4)}…${id.slice(-6)}` : id)

/** The last word of an event type is often a state: `run.completed`. */
const toneOfEvent = ({ type, data }: Event) => toneOf(text(data.to) ?? type.split('.').at(-1) ?? '')

export function EventRow({ event, look }: { event: Event; look: (event: Event) => void }) {
  const { sequence, type, timestamp, subject, data } = event
  const [from, to] = [text(data.from), text(data.to)]
  return (
    <button type="button" className="event-row" onClick={() => look(event)}>
      <span className="event-sequence">
        <span className="visually-hidden">Event </span>
        {sequence}
      </span>
      <span className={`event-dot badge-${toneOfEvent(event)}`} aria-hidden="true" />
      <span className="event-type">{type}</span>
      <span className="event-move">{from && to ? `${from} → ${to}` : (to ?? '')}</span>
      <code className="event-subject">{ending(subject.id)}</code>
      <Time at={timestamp} />
    </button>
  )
}
