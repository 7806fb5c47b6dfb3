/** All approvals of the Environment. */

import { oneOfThese, useAddressQuery } from '../../address-query.ts'
import { usePages } from '../../data/pages.ts'
import { at } from '../../places.ts'
import { Author } from '../../ui/author.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/forms/button.tsx'
import { Choice, Choices, StateOptions } from '../../ui/forms/choice.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useEnvironment } from '../../use-environment.ts'
import { useIds, usePlace } from '../../use-place.ts'
import { AgentCell } from './agent-cell.tsx'
import { approvalStatuses } from './approval.ts'

const refreshMs = 10_000

export function AllApprovals() {
  const place = usePlace()
  const { projectId } = useIds('projectId')
  const { environmentId, environment } = useEnvironment()
  const { values, change } = useAddressQuery('status')
  const status = oneOfThese(approvalStatuses, values.status)
  const approvals = usePages(
    ['approvals', environmentId, 'all', status],
    (options, page) =>
      environment['operation-approvals'].get({ ...options, query: { ...page, ...(status && { status }) } }),
    { every: refreshMs },
  )
  return (
    <div className="stack">
      <Choices>
        <Choice label="Status" value={status ?? ''} onChange={(status) => change({ status })}>
          <StateOptions states={approvalStatuses} />
        </Choice>
      </Choices>
      <DataTable
        label="approvals"
        pages={approvals}
        keyOf={({ id }) => id}
        href={({ invocationId }) => `${at(place, 'invocations')}?invocation=${invocationId}`}
        columns={[
          { title: 'Operation', cell: ({ operation }) => <code>{operation}</code> },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { title: 'Agent', cell: ({ agentId }) => <AgentCell projectId={projectId} agentId={agentId} /> },
          { title: 'Requested', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Decided by',
            cell: ({ decidedBy }) => (decidedBy ? <Author by={decidedBy} /> : <span className="faint none">–</span>),
          },
          { title: 'Decided', cell: ({ decidedAt }) => <Time at={decidedAt} /> },
          { title: 'Note', cell: ({ note }) => note ?? <span className="faint none">–</span> },
        ]}
        empty={
          status ? (
            <Empty
              icon="approve"
              title="No matching approvals"
              action={<Button onClick={() => change({ status: '' })}>Show all</Button>}
            />
          ) : (
            <Empty icon="approve" title="No approvals yet">
              No operation that requires approval has been called.
            </Empty>
          )
        }
      />
    </div>
  )
}
