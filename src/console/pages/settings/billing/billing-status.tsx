/** Status of the subscription. */
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Facts } from '../../../ui/page.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import type { Payment } from './payment.ts'
import './billing.css'
import '../settings.css'

interface Subscription {
  planKey: string
  status: 'active' | 'trialing' | 'past_due' | 'canceled'
  currentPeriod: { start: string; end: string }
  cancelAt: string | null
}

const meanings: Record<Subscription['status'], string> = {
  active: 'The subscription is active.',
  trialing: 'The subscription is in its trial period.',
  past_due:
    'The last payment failed. The plan continues for now. Pay in the portal before the subscription is canceled.',
  canceled: 'The subscription was canceled. The free plan applies; choose a plan to subscribe again.',
}

interface BillingStatusProps {
  subscription: Subscription
  planName: string
  /** Whether there is a subscription that the user may manage. */
  mayManage: boolean
  payment: Payment
}

export function BillingStatus({ subscription, planName, mayManage, payment }: BillingStatusProps) {
  const { status, currentPeriod, cancelAt } = subscription
  return (
    <div className="stack">
      <Facts
        facts={[
          ['Plan', planName],
          ['Status', <StateBadge key="status" state={status} />],
          ['Period began', <AbsoluteTime key="start" at={currentPeriod.start} />],
          ['Period ends', <AbsoluteTime key="end" at={currentPeriod.end} />],
        ]}
      />
      <div className="row">
        <p className={status === 'past_due' ? 'standing-bad' : 'faint'}>
          {meanings[status]}{' '}
          {cancelAt && (
            <strong>
              It ends on <AbsoluteTime at={cancelAt} />.
            </strong>
          )}
        </p>
        {mayManage && (
          <Button icon="card" pending={payment.pending} onClick={() => payment.portal()}>
            Open the portal
          </Button>
        )}
      </div>
    </div>
  )
}
