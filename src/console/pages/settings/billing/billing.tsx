/** Billing: plan, usage, payment. */
import { useSearch } from 'wouter'
import { useRefresh } from '../../../data/context.ts'
import { useInterval } from '../../../data/resource.ts'
import { Section } from '../../../ui/page.tsx'
import { Loading, Progress, Shown } from '../../../ui/states.tsx'
import { Refusal } from '../refusal.tsx'
import { BillingStatus } from './billing-status.tsx'
import { UsageSection } from './billing-usage.tsx'
import { usePayment } from './payment.ts'
import { elsewhere, Plans, usePlans } from './plans.tsx'
import '../settings.css'
import { useOrganization } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

/** Polling interval after a checkout. */
const paymentLookMs = 3_000

export default function BillingPage() {
  const refresh = useRefresh()
  const { role } = useOrganization()
  const outcome = new URLSearchParams(useSearch()).get('outcome')
  const known = usePlans()
  const { plans, subscription, current, hasContract } = known
  const payment = usePayment()

  const isOwner = role === 'owner'
  const waits = outcome === 'success' && subscription.value !== undefined && plans.value !== undefined && !hasContract
  useInterval(['billing'], waits ? paymentLookMs : null, async () => {
    await subscription.refresh()
    await refresh(['billing', 'usage'])
  })
  return (
    <SettingsPage title="Billing" about="The plan of the organization and its usage.">
      {outcome === 'canceled' && (
        <div className="banner banner-info refusal" role="status">
          The checkout was canceled. Nothing has changed.
        </div>
      )}
      {waits && (
        <Progress label="Waiting for confirmation from the payment provider. This usually takes a few seconds." />
      )}
      {outcome === 'success' && hasContract && (
        <div className="banner banner-good refusal" role="status">
          Thank you. Your subscription is active.
        </div>
      )}
      <Refusal action={payment} more={elsewhere} />
      <Shown resource={subscription} rows={2}>
        {(value) =>
          plans.loading ? (
            <Loading rows={2} />
          ) : (
            <BillingStatus
              subscription={value}
              planName={current?.name ?? value.planKey}
              mayManage={isOwner && (hasContract || value.status === 'canceled')}
              payment={payment}
            />
          )
        }
      </Shown>
      {/* without permission for the subscription there is none for the rest */}
      {subscription.failure?.status !== 403 && (
        <>
          <UsageSection />
          <Section title="Plans">
            <Plans {...known} payment={payment} />
          </Section>
        </>
      )}
    </SettingsPage>
  )
}
