/** List of Agents or Definitions, and the form for a new one. */
import type { ReactNode } from 'react'
import type { Pages } from '../../data/pages.ts'
import { at, projectOf } from '../../places.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { NewButton } from '../../ui/forms/button.tsx'
import { Page } from '../../ui/page.tsx'
import { SearchedTable } from '../../ui/search/searched-table.tsx'
import type { ListSearch } from '../../ui/search/use-list-search.ts'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Id } from '../../ui/text/code.tsx'
import { Time } from '../../ui/time.tsx'
import { useOpened } from '../../use-opened.ts'
import { usePlace } from '../../use-place.ts'
import { type Revised, type RevisedKind, wordsOf } from './revised.ts'

interface RevisedListProps<Thing extends Revised> {
  kind: RevisedKind
  /** One sentence about them. */
  about: string
  pages: Pages<Thing>
  narrowing: ListSearch
  /** Additional column. */
  mark: Column<Thing>
  /** Text of the empty list. */
  whenEmpty: string
  /** Dialog that creates one. */
  creation: (open: boolean, onClose: () => void) => ReactNode
}

export function RevisedList<Thing extends Revised>(props: RevisedListProps<Thing>) {
  const { kind, about, pages, narrowing, mark, whenEmpty, creation } = props
  const place = usePlace()
  const [creating, setCreating] = useOpened('new')
  const { one, many, icon, needs } = wordsOf[kind]
  const begin = (
    <NewButton needs={needs.create} onClick={() => setCreating(true)}>
      New {one}
    </NewButton>
  )
  return (
    <Page title={many} about={about} actions={begin}>
      <SearchedTable
        label={kind}
        pages={pages}
        narrowing={narrowing}
        keyOf={({ id }) => id}
        href={({ id }) => at(projectOf(place), kind, id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          mark,
          { title: 'Status', cell: (thing) => <ResourceStatus of={thing} /> },
          { title: 'Description', cell: ({ description }) => description ?? <span className="faint none">–</span> },
          { title: 'ID', cell: ({ id }) => <Id id={id} /> },
          { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        empty={
          <Empty icon={icon} title={`No ${kind} yet`} action={begin}>
            {whenEmpty}
          </Empty>
        }
      />
      {creation(creating, () => setCreating(false))}
    </Page>
  )
}

/** Without a revision it cannot be used. */
const ResourceStatus = ({ of: { status, latestRevisionId } }: { of: Revised }) =>
  status === 'active' && latestRevisionId === null ? (
    <StateBadge state="not published" tone="waiting" />
  ) : (
    <StateBadge state={status} />
  )
