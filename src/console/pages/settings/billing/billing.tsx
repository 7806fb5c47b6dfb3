/** Billing: plan, usage, payment. */
import { useSearch } from 'wouter'
import type { ApiFailure } from '../../../api/failure.ts'
import { useApi, useRefresh } from '../../../data/context.ts'
import { useInterval, useResource } from '../../../data/resource.ts'
import { Section } from '../../../ui/page.tsx'
import { Progress, Shown } from '../../../ui/states.tsx'
import { Refusal } from '../refusal.tsx'
import { PlanCard } from './billing-plan.tsx'
import { BillingStatus } from './billing-status.tsx'
import { UsageSection } from './billing-usage.tsx'
import { usePayment } from './payment.ts'
import '../settings.css'
import { useOrganization } from '../organization/use-organization.ts'
import { SettingsPage } from '../settings-page.tsx'

/** The payment provider returns only to the console's own address. */
const elsewhere = ({ code, issues }: ApiFailure) =>
  code === 'url_not_allowed'
    ? `Open the console at the address that the server is set up with. ${issues[0]?.message ?? ''}`
    : undefined

/** Polling interval after a checkout. */
const paymentLookMs = 3_000

export default function BillingPage() {
  const api = useApi()
  const refresh = useRefresh()
  const { id, role } = useOrganization()
  const outcome = new URLSearchParams(useSearch()).get('outcome')
  const { billing } = api.v1.organizations({ organizationIdOrSlug: id })
  const plans = useResource(['billing', 'plans'], (options) => api.v1.billing.plans.get(options))
  const subscription = useResource(['billing', 'subscription'], (options) => billing.subscription.get(options))
  const payment = usePayment()

  const current = plans.value?.items.find(({ planKey }) => planKey === subscription.value?.planKey)
  const hasContract = current !== undefined && current.price.amount > 0
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
        {(value) => (
          <BillingStatus
            subscription={value}
            planName={current?.name ?? value.planKey}
            mayManage={isOwner && (hasContract || value.status === 'canceled')}
            payment={payment}
          />
        )}
      </Shown>
      {/* without permission for the subscription there is none for the rest */}
      {subscription.failure?.status !== 403 && (
        <>
          <UsageSection />
          <Section title="Plans">
            {!isOwner && <p className="faint">Only owners can change the plan.</p>}
            <Shown resource={plans} rows={3}>
              {({ items }) => (
                <div className="cards">
                  {items.map((plan) => (
                    <PlanCard
                      key={plan.planKey}
                      plan={plan}
                      isCurrent={plan.planKey === subscription.value?.planKey}
                      hasContract={hasContract}
                      mayChoose={isOwner}
                      payment={payment}
                    />
                  ))}
                </div>
              )}
            </Shown>
          </Section>
        </>
      )}
    </SettingsPage>
  )
}
