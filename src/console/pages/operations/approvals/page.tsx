/** Approvals of an Environment: a table, and one of them open. */
import { useAddressQuery } from '../../../address-query.ts'
import { Page } from '../../../ui/page.tsx'
import { useIds, usePlace } from '../../../use-place.ts'
import { ApprovalTable } from './approval-table.tsx'
import { ApprovalFilters, useApprovalQuery } from './filters.tsx'
import { Review } from './review.tsx'

export default function ApprovalsPage() {
  const here = { ...usePlace(), ...useIds('projectId', 'environmentId') }
  const narrowing = useApprovalQuery()
  const { values, change } = useAddressQuery('approval')
  return (
    <Page
      title="Approvals"
      about="Operation calls that need a decision. An approval that is not decided before its deadline is rejected."
    >
      <div className="stack">
        <ApprovalFilters {...narrowing} />
        <ApprovalTable here={here} narrowing={narrowing} />
      </div>
      {values.approval && (
        <Review
          key={values.approval}
          here={here}
          approvalId={values.approval}
          onClose={() => change({ approval: '' })}
        />
      )}
    </Page>
  )
}
