/** Approvals: pending and all. */
import { useEffect, useRef, useState } from 'react'
import { useRefresh } from '../../data/context.ts'
import { type Pages, usePages } from '../../data/pages.ts'
import { waitingKey } from '../../shell/waiting-approvals.tsx'
import { Page } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Empty, Failed, Loading, Stale } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { AllApprovals } from './all-approvals.tsx'
import type { Approval } from './approval.ts'
import { ApprovalCard } from './approval-card.tsx'
import { BulkDecision } from './bulk.tsx'
import { useDeployed } from './deployed.ts'
import './operations.css'

/** Interval; short, so that a new approval appears soon. */
const refreshMs = 4_000
const shownMax = 25

export default function ApprovalsPage() {
  const { environmentId, environment } = useEnvironment()
  const refresh = useRefresh()
  const pending = usePages(
    ['approvals', environmentId, 'pending'],
    (options, page) => environment['operation-approvals'].get({ ...options, query: { ...page, status: 'pending' } }),
    { limit: shownMax, every: refreshMs },
  )
  const count = pending.items?.length ?? 0
  // update the count in the navigation too
  const seen = useRef(count)
  useEffect(() => {
    if (pending.items === undefined || seen.current === count) return
    seen.current = count
    void refresh(waitingKey(environmentId))
  }, [pending.items, count, refresh, environmentId])
  const more = pending.next || pending.previous ? '+' : ''
  return (
    <Page
      title="Approvals"
      about="Operation calls that need a decision. An approval that is not decided before its deadline is rejected."
    >
      <Tabs
        label="Approvals"
        tabs={[
          {
            title: count > 0 ? `Pending (${count}${more})` : 'Pending',
            content: () => <Waiting pages={pending} />,
          },
          { title: 'All', content: () => <AllApprovals /> },
        ]}
      />
    </Page>
  )
}

function Waiting({ pages }: { pages: Pages<Approval> }) {
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const chosen = (pages.items ?? []).filter(({ id }) => marked.has(id))
  return (
    <>
      <BulkDecision chosen={chosen} onClear={() => setMarked(new Set())} />
      <Cards pages={pages} marked={marked} onMark={setMarked} />
    </>
  )
}

interface CardsProps {
  pages: Pages<Approval>
  marked: ReadonlySet<string>
  onMark: (marked: ReadonlySet<string>) => void
}

function Cards({ pages, marked, onMark }: CardsProps) {
  const { items, failure, refresh, page } = pages
  const { operations } = useDeployed().value ?? {}
  if (failure && (items === undefined || failure.status === 403 || failure.status === 404)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (items === undefined) return <Loading label="Loading approvals" />
  if (items.length === 0 && page === 1) {
    return (
      <Empty icon="approve" title="No pending approvals">
        Calls of operations with <code>approval: always</code> wait here for a decision.
      </Empty>
    )
  }
  return (
    <>
      {failure && <Stale refresh={refresh} />}
      <ul className="approvals" aria-label="Pending approvals">
        {items.map((approval) => (
          <li key={approval.id} className="approval-line">
            <input
              type="checkbox"
              aria-label={`Select ${approval.operation} of ${approval.createdAt}`}
              checked={marked.has(approval.id)}
              onChange={({ target }) => onMark(withOne(marked, approval.id, target.checked))}
            />
            <ApprovalCard approval={approval} about={operations?.get(approval.operation)?.description} />
          </li>
        ))}
      </ul>
      <Pager label="approvals" pages={pages} />
    </>
  )
}

function withOne(marked: ReadonlySet<string>, id: string, isMarked: boolean): ReadonlySet<string> {
  const next = new Set(marked)
  if (isMarked) next.add(id)
  else next.delete(id)
  return next
}
