/** How the organization stands with its plan. */
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { Facts } from '../../../ui/page.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'
import type { Payment } from './payment.ts'
import './billing.css'
import '../settings.css'

export interface Subscription {
  planKey: string
  status: 'active' | 'trialing' | 'past_due' | 'canceled'
  currentPeriod: { start: string; end: string }
  cancelAt: string | null
}

const meanings: Record<Subscription['status'], string> = {
  active: 'Everything is in order.',
  trialing: 'The contract runs on trial: nothing is to be paid yet.',
  past_due:
    'The last payment failed. The plan goes on for now: pay in the portal, before the provider ends the contract.',
  canceled: 'The contract has ended. What the free plan gives is what there is; choose a plan to begin anew.',
}

interface BillingStatusProps {
  subscription: Subscription
  planName: string
  /** Whether there is a contract to look after, and one may. */
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
