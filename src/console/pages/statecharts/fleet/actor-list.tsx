/** Actors of a kind, longest in their state first; filtered by state and by time in it. */
import { useId } from 'react'
import { useAddressQuery } from '../../../address-query.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { actorAt } from '../../../places.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Choices } from '../../../ui/forms/choice.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { usePlace } from '../../../use-place.ts'

const minutesMax = 10_000_000

/** Undefined for an invalid number: query strings are untrusted. */
function secondsOf(minutes: string): number | undefined {
  const number = Number(minutes)
  return minutes !== '' && number >= 0 && number <= minutesMax ? Math.round(number * 60) : undefined
}

export function ActorList({ kind, state }: { kind: string; state: string | null }) {
  const api = useApi()
  const place = usePlace()
  const id = useId()
  const { values, change } = useAddressQuery('minutes')
  const olderThanSeconds = secondsOf(values.minutes)
  const pages = usePages(
    ['actors', kind, state, olderThanSeconds],
    (options, page) =>
      api.v1.actors.get({
        ...options,
        query: {
          kind,
          ...(state !== null && { state }),
          ...(olderThanSeconds !== undefined && { olderThanSeconds }),
          ...page,
        },
      }),
    { limit: 20 },
  )
  const label = state === null ? 'Actors, longest in state first' : `Actors in ${state}, longest in state first`
  return (
    <div className="stack">
      <Choices>
        <div className="choice">
          <label htmlFor={id}>In state longer than (minutes)</label>
          <input
            id={id}
            type="number"
            min={0}
            max={minutesMax}
            step="any"
            inputMode="decimal"
            value={values.minutes}
            onChange={({ target }) => change({ minutes: target.value })}
          />
        </div>
      </Choices>
      <DataTable
        label={label}
        pages={pages}
        empty={
          <Empty title="No actors">
            {state === null ? 'No actor has been in its state that long.' : `No actor has been in ${state} that long.`}
          </Empty>
        }
        keyOf={(actor) => actor.id}
        href={(actor) => actorAt(place, kind, actor.id)}
        columns={[
          { title: 'Actor', cell: (actor) => <code>{actor.id}</code> },
          { title: 'State', cell: (actor) => <StateBadge state={actor.state} /> },
          { title: 'Since', cell: (actor) => <Time at={actor.since} /> },
        ]}
      />
    </div>
  )
}
