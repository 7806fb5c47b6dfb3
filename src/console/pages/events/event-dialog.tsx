/** One event as JSON, with a link to its subject. */
import { Link } from 'wouter'
import type { Event } from '../../../events/history/schema.ts'
import { approvalAt, at, type Place, projectOf, runAt } from '../../places.ts'
import { Dialog } from '../../ui/forms/dialog.tsx'
import { Facts } from '../../ui/page.tsx'
import { Empty, Loading } from '../../ui/states.tsx'
import { Id, Json } from '../../ui/text/code.tsx'
import { AbsoluteTime } from '../../ui/time.tsx'
import { usePlace } from '../../use-place.ts'

/** Page of an event's subject, if it has one. */
function pageOf(place: Place, { type, id }: Event['subject'], data: Event['data']): string | undefined {
  if (type === 'agentRun') return runAt(place, id)
  if (type === 'deployment') return at(place, 'deployments', id)
  if (type === 'environment') return at(place)
  if (type === 'operationInvocation') return at(place, 'invocations')
  if (type === 'operationApproval') return approvalAt(place, id)
  if (type === 'entity' && typeof data.type === 'string') return at(place, 'entities', data.type, id)
  return type === 'entity' ? at(projectOf(place)) : undefined
}

interface EventDialogProps {
  /** The event id in the address; empty for none. */
  asked: string
  /** The event, once loaded. */
  event: Event | undefined
  /** Whether events are still loading. */
  reading: boolean
  onClose: () => void
}

export function EventDialog({ asked, event, reading, onClose }: EventDialogProps) {
  const place = usePlace()
  const page = event && pageOf(place, event.subject, event.data)
  return (
    <Dialog title={event?.type ?? 'Event'} shape="wide" open={asked !== ''} onClose={onClose}>
      {!event && reading && <Loading label="Loading the event" />}
      {!event && !reading && (
        <Empty icon="log" title="Event not found">
          <Id id={asked} /> has expired, is older than the events shown here, or belongs to another Environment.
        </Empty>
      )}
      {event && (
        <>
          <Facts
            facts={[
              [
                'Sequence',
                <span key="sequence" className="number">
                  {event.sequence}
                </span>,
              ],
              ['Time', <AbsoluteTime key="when" at={event.timestamp} />],
              ['Actor', `${event.actor.type} ${event.actor.id}`],
              ['Subject', <Id key="about" id={event.subject.id} />],
            ]}
          />
          {page && (
            <p>
              <Link href={page}>View subject</Link>
            </p>
          )}
          <Json label="event" value={event} />
        </>
      )}
    </Dialog>
  )
}
