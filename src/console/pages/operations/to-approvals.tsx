/** Link to the approval that something waits for; to all of them, where it is not known which. */
import { approvalAt, at } from '../../places.ts'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePlace } from '../../use-place.ts'

export function ToApprovals({ approvalId = null }: { approvalId?: string | null }) {
  const place = usePlace()
  return (
    <div className="banner banner-warning">
      <Icon name="approve" />
      <span>Approval required.</span>
      <LinkButton small href={approvalId === null ? at(place, 'approvals') : approvalAt(place, approvalId)}>
        {approvalId === null ? 'Go to approvals' : 'Review'}
      </LinkButton>
    </div>
  )
}
