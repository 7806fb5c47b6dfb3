/** The approvals of an Environment that the filters leave; several of those that wait are decided at once. */
import { useState } from 'react'
import { usePages } from '../../../data/pages.ts'
import { at } from '../../../places.ts'
import { Author } from '../../../ui/author.tsx'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { AgentCell } from '../agent-cell.tsx'
import { type Approval, type ApprovalPlace, useApprovals } from './approval.ts'
import { Asker } from './asker.tsx'
import { DecideMany } from './decide-many.tsx'
import type { ApprovalNarrowing } from './filters.tsx'

/** Short, so that the request appears soon. */
const refreshMs = 4_000
const shownMax = 50

interface ApprovalTableProps {
  here: ApprovalPlace
  narrowing: ApprovalNarrowing
}

export function ApprovalTable({ here, narrowing: { query, isNarrowed, showAll } }: ApprovalTableProps) {
  const approvals = useApprovals(here)
  const list = JSON.stringify(query)
  const pages = usePages(
    ['approvals', here.environmentId, 'list', list],
    (options, page) => approvals.get({ ...options, query: { ...page, ...query } }),
    { limit: shownMax, every: refreshMs },
  )
  const [{ of, ids }, setSelection] = useState({ of: list, ids: new Set<string>() as ReadonlySet<string> })
  const pending = (pages.items ?? []).filter(({ status }) => status === 'pending')
  // an approval that was decided meanwhile, or is on another page, is no longer selected
  const chosen = pending.filter(({ id }) => of === list && ids.has(id))
  const selected = new Set(chosen.map(({ id }) => id))
  const set = (ids: Iterable<string>) => setSelection({ of: list, ids: new Set(ids) })
  return (
    <>
      <DataTable
        label="approvals"
        pages={pages}
        keyOf={({ id }) => id}
        href={({ id }) => addressOf(here, id)}
        columns={columnsIn(here)}
        selection={{
          selected,
          select: (id, isSelected) => set(isSelected ? [...selected, id] : [...selected].filter((each) => each !== id)),
          selectAll: (isSelected) => set(isSelected ? pending.map(({ id }) => id) : []),
          canSelect: ({ status }) => status === 'pending',
          nameOf: ({ operation, createdAt }) => `Select ${operation} of ${createdAt}`,
        }}
        empty={isNarrowed ? <NoMatch showAll={showAll} /> : <Nothing showAll={showAll} />}
      />
      <DecideMany here={here} chosen={chosen} clear={() => set([])} />
    </>
  )
}

/** The list with one approval open; its filters stay. */
function addressOf(here: ApprovalPlace, id: string): string {
  const query = new URLSearchParams(location.search)
  query.set('approval', id)
  return `${at(here, 'approvals')}?${query}`
}

const emptyCell = <span className="faint none">–</span>

const columnsIn = (here: ApprovalPlace): Column<Approval>[] => [
  { title: 'Operation', cell: ({ operation }) => <code>{operation}</code> },
  { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
  { title: 'Agent', cell: ({ agentId }) => <AgentCell projectId={here.projectId} agentId={agentId} /> },
  { title: 'Asked by', cell: (approval) => <Asker here={here} of={approval} /> },
  { title: 'Requested', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: 'Expires', cell: ({ status, expiresAt }) => (status === 'pending' ? <Time at={expiresAt} /> : emptyCell) },
  {
    title: 'Decided by',
    cell: ({ decidedBy }) => (decidedBy ? <Author by={decidedBy} /> : emptyCell),
  },
  { title: 'Note', cell: ({ note }) => (note ? <span className="clamp">{note}</span> : emptyCell) },
]

const NoMatch = ({ showAll }: { showAll: () => void }) => (
  <Empty icon="approve" title="No matching approvals" action={<Button onClick={showAll}>Show all</Button>} />
)

const Nothing = ({ showAll }: { showAll: () => void }) => (
  <Empty icon="approve" title="No pending approvals" action={<Button onClick={showAll}>Show decided</Button>}>
    Calls of operations with <code>approval: always</code> wait here for a decision.
  </Empty>
)
