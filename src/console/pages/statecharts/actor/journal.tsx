/** The journal of an actor, newest first. A row shows the chart at that time. */
import { useMemo, useState } from 'react'
import type { LiveActor } from '../../../charts/actor.ts'
import type { JournalRow } from '../../../charts/lit.ts'
import type { Replay } from '../../../charts/replay.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { VirtualRows } from '../../../ui/virtual-rows.tsx'
import { whoText } from './who.ts'

const rowHeight = 74

export function Journal({ actor, replay }: { actor: LiveActor; replay: Replay }) {
  const { journal, older, readingOlder } = actor
  // a list in use does not move, so that a click hits the row under the pointer
  const [heldAt, hold] = useState<number | null>(null)
  const newest = journal.at(-1)?.sequence ?? 0
  const newestFirst = useMemo(
    () => journal.filter(({ sequence }) => heldAt === null || sequence <= heldAt).reverse(),
    [journal, heldAt],
  )
  const waiting = heldAt === null ? 0 : newest - heldAt
  if (newestFirst.length === 0) {
    return (
      <Empty icon="log" title="No transitions yet">
        Transitions appear here as they occur.
      </Empty>
    )
  }
  return (
    <div className="stack">
      <VirtualRows
        label="Journal"
        items={newestFirst}
        rowHeight={rowHeight}
        heightMax={rowHeight * 8}
        // keyed by index: keyed by sequence, rows would move in the document on every transition
        keyOf={(_, place) => place}
        onAttention={(isThere) => hold(isThere ? newest : null)}
        row={(row) => <Entry row={row} isShown={row.sequence === replay.position} onShow={replay.goTo} />}
      />
      <p className="row moves-note faint">
        <span>
          {newestFirst.length} of {replay.last} transitions
          {waiting > 0 && `, ${waiting} new while you read the list`}
        </span>
        {older && (
          <Button small pending={readingOlder} onClick={older}>
            Load older
          </Button>
        )}
      </p>
    </div>
  )
}

interface EntryProps {
  row: JournalRow
  isShown: boolean
  onShow: (sequence: number) => void
}

function Entry({ row, isShown, onShow }: EntryProps) {
  const { sequence, from, to, event, actor, reason, at } = row
  return (
    <button
      type="button"
      className="entry"
      aria-pressed={isShown}
      onClick={() => onShow(sequence)}
      title={reason ? `${reason.code}: ${reason.message}` : undefined}
    >
      <span className="entry-head">
        <span className="entry-number">{sequence}</span>
        <code className="entry-event">{event}</code>
        <Time at={at} />
      </span>
      <span className="entry-way">
        {from !== null && from !== to && (
          <>
            <span className="faint">{from}</span>
            <span aria-hidden="true">→</span>
          </>
        )}
        <StateBadge state={to} />
      </span>
      <span className="entry-why">
        {whoText(actor)}
        {reason && ` · ${reason.message}`}
      </span>
    </button>
  )
}
