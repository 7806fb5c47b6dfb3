/** Approvals: calls that wait for a person, and what became of those that did. */
import { type Pages, usePages } from '../../data/pages.ts'
import { useRefreshEvery } from '../../data/resource.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Failed, Loading, Stale } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { AllApprovals } from './all-approvals.tsx'
import type { Approval } from './approval.ts'
import { ApprovalCard } from './approval-card.tsx'
import { useDeployed } from './deployed.ts'
import { useEnvironmentApi } from './environment-api.ts'
import './operations.css'

/** Who waits should not wait longer than it takes. */
const refreshMs = 4_000
const shownMax = 25

export default function ApprovalsPage() {
  const { environmentId, environment } = useEnvironmentApi()
  const pending = usePages(
    ['approvals', environmentId, 'pending'],
    (options, page) => environment()['operation-approvals'].get({ ...options, query: { ...page, status: 'pending' } }),
    shownMax,
  )
  useRefreshEvery(refreshMs, pending.refresh)
  const count = pending.items?.length ?? 0
  const more = pending.next || pending.previous ? '+' : ''
  return (
    <Page title="Approvals" about="Calls that take a person to agree. What nobody decides in time is rejected.">
      <Tabs
        label="Approvals"
        tabs={[
          {
            title: count > 0 ? `Waiting (${count}${more})` : 'Waiting',
            content: () => <Waiting pages={pending} />,
          },
          { title: 'All', content: () => <AllApprovals /> },
        ]}
      />
    </Page>
  )
}

function Waiting({ pages }: { pages: Pages<Approval> }) {
  const { items, failure, refresh, page, next, previous } = pages
  const { operations } = useDeployed().value ?? {}
  if (failure && (items === undefined || failure.status === 403 || failure.status === 404)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (items === undefined) return <Loading label="Loading approvals" />
  if (items.length === 0 && page === 1) {
    return (
      <Empty icon="approve" title="Nothing waits for you">
        Calls of operations that say <code>approval: always</code> appear here, and wait until somebody agrees.
      </Empty>
    )
  }
  return (
    <>
      {failure && <Stale refresh={refresh} />}
      <ul className="approvals" aria-label="Waiting for a decision">
        {items.map((approval) => (
          <li key={approval.id}>
            <ApprovalCard approval={approval} about={operations?.get(approval.operation)?.description} />
          </li>
        ))}
      </ul>
      {(next || previous) && (
        <nav className="pager" aria-label="Pages of approvals">
          <Button small icon="back" disabled={!previous} onClick={previous}>
            Back
          </Button>
          <span className="faint">Page {page}</span>
          <Button small icon="chevron" disabled={!next} onClick={next}>
            More
          </Button>
        </nav>
      )}
    </>
  )
}
