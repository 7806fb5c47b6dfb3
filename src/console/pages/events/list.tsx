/** Events of an Environment, live. */
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useAddressQuery } from '../../address-query.ts'
import { sent } from '../../api/client.ts'
import { useApi } from '../../data/context.ts'
import { Button } from '../../ui/forms/button.tsx'
import { Options } from '../../ui/forms/options.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { StreamNote } from '../../ui/stream-note.tsx'
import { VirtualRows } from '../../ui/virtual-rows.tsx'
import { useIds } from '../../use-place.ts'
import { families, familyOf } from '../webhooks/event-kinds.ts'
import { EventDialog } from './event-dialog.tsx'
import { EventRow } from './event-row.tsx'
import './events.css'
import { eventsMax, HistoryTail, type TailState } from './history-tail.ts'
import { Interruption } from './interruption.tsx'

const notes = {
  reading: 'connecting',
  more: 'connecting',
  live: 'open',
  lost: 'resuming',
  gap: 'failed',
  refused: 'failed',
} as const

const Note = ({ state }: { state: TailState }) =>
  state === 'paused' ? (
    <span className="stream-note stream-ended" role="status">
      Paused
    </span>
  ) : (
    <StreamNote live={{ state: notes[state], failure: undefined }} />
  )

function useHistory() {
  const api = useApi()
  const { projectId, environmentId } = useIds('projectId', 'environmentId')
  const history = useMemo(() => {
    const { events } = api.v1.projects({ projectId }).environments({ environmentId })
    return new HistoryTail({ read: (query, signal) => sent(events.get({ query, fetch: { signal } })) })
  }, [api, projectId, environmentId])
  useEffect(() => {
    history.start()
    return () => history.stop()
  }, [history])
  const tail = useSyncExternalStore(history.subscribe, () => history.tail)
  return { history, tail }
}

export default function EventsPage() {
  const { history, tail } = useHistory()
  const { values, change } = useAddressQuery('family', 'event')
  const { family } = values
  const { state, events, failure, hasEarlier } = tail
  // newest first
  const shown = useMemo(
    () => events.filter(({ type }) => family === '' || familyOf(type) === family).toReversed(),
    [events, family],
  )
  if (state === 'refused' && failure) {
    return (
      <Page title="Events">
        <Failed failure={failure} retry={() => history.start()} />
      </Page>
    )
  }
  return (
    <Page
      title="Events"
      badge={<Note state={state} />}
      about="All changes in this Environment, in order. Webhooks deliver the same events."
      actions={
        state === 'paused' ? (
          <Button icon="run" onClick={() => history.start()}>
            Resume
          </Button>
        ) : (
          <Button onClick={() => history.pause()} disabled={state === 'gap' || state === 'more'}>
            Pause
          </Button>
        )
      }
    >
      <div className="events-bar">
        <select aria-label="Kinds of events" value={family} onChange={({ target }) => change({ family: target.value })}>
          <option value="">All events</option>
          <Options of={families} />
        </select>
        <span className="faint" role="status">
          {shown.length.toLocaleString('en')}{' '}
          {family === '' ? 'events' : `of ${events.length.toLocaleString('en')} events`}
          {(hasEarlier || events.length === eventsMax) && ', the newest'}
        </span>
        {hasEarlier && (
          <Button small onClick={() => history.startFrom(undefined)}>
            Show from the oldest
          </Button>
        )}
      </div>
      <Interruption history={history} tail={tail} />
      {shown.length > 0 ? (
        <VirtualRows
          label="events, the newest first"
          items={shown}
          rowHeight={44}
          heightMax={620}
          keyOf={({ sequence }) => sequence}
          row={(event) => <EventRow event={event} look={({ id }) => change({ event: id })} />}
        />
      ) : state === 'reading' ? (
        <Loading label="Loading events" />
      ) : (
        <Empty icon="log" title={events.length === 0 ? 'No events yet' : 'No matching events'}>
          {events.length === 0
            ? 'Deployments, Activations and runs appear here.'
            : 'Choose all events to see other types.'}
        </Empty>
      )}
      <EventDialog
        asked={values.event}
        event={events.find(({ id }) => id === values.event)}
        reading={state === 'reading'}
        onClose={() => change({ event: '' })}
      />
    </Page>
  )
}
