/** Link to the approvals, for something that waits for one. */
import { at } from '../../places.ts'
import { LinkButton } from '../../ui/forms/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { usePlace } from '../../use-place.ts'

export function ToApprovals() {
  const place = usePlace()
  return (
    <div className="banner banner-warning">
      <Icon name="approve" />
      <span>Approval required.</span>
      <LinkButton small href={at(place, 'approvals')}>
        Go to approvals
      </LinkButton>
    </div>
  )
}
