/** An actor's journal as a table of transitions. */
import type { Transition } from '../../runtime/transition.ts'
import type { Pages } from '../data/pages.ts'
import { Author } from './author.tsx'
import { StateBadge } from './badge.tsx'
import { Empty } from './states.tsx'
import { type Column, DataTable } from './table.tsx'
import { AbsoluteTime } from './time.tsx'

interface MovesProps<Move extends Transition> {
  pages: Pages<Move>
  /** Additional columns. */
  own?: Column<Move>[]
}

export const Moves = <Move extends Transition>({ pages, own = [] }: MovesProps<Move>) => (
  <DataTable
    label="moves"
    pages={pages}
    keyOf={({ sequence }) => String(sequence)}
    columns={[
      {
        title: 'Event',
        cell: ({ sequence, event }) => (
          <>
            <span className="faint number">{sequence}</span> <strong>{event}</strong>
          </>
        ),
      },
      {
        title: 'From',
        cell: ({ from }) => (from === null ? <span className="faint none">–</span> : <StateBadge state={from} />),
      },
      { title: 'To', cell: ({ to }) => <StateBadge state={to} /> },
      ...own,
      { title: 'Actor', cell: ({ actor }) => (actor.type === 'system' ? 'the server' : <Author by={actor} />) },
      { title: 'Reason', cell: ({ reason }) => reason?.message ?? <span className="faint none">–</span> },
      { title: 'Time', cell: ({ at }) => <AbsoluteTime at={at} /> },
    ]}
    empty={<Empty title="No transitions">The first transition appears here.</Empty>}
  />
)
