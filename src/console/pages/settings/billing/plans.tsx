/** The plans of the server, with the organization's own marked. */
import type { ApiFailure } from '../../../api/failure.ts'
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { Shown } from '../../../ui/states.tsx'
import { useOrganization } from '../organization/use-organization.ts'
import { PlanCard } from './billing-plan.tsx'
import type { Payment } from './payment.ts'

/** The payment provider returns only to the console's own address. */
export const elsewhere = ({ code, issues }: ApiFailure) =>
  code === 'url_not_allowed'
    ? `Open the console at the address that the server is set up with. ${issues[0]?.message ?? ''}`
    : undefined

/** The plans, the subscription, and what both say of each other. */
export function usePlans() {
  const api = useApi()
  const { id } = useOrganization()
  const { billing } = api.v1.organizations({ organizationIdOrSlug: id })
  const plans = useResource(['billing', 'plans'], (options) => api.v1.billing.plans.get(options))
  const subscription = useResource(['billing', 'subscription'], (options) => billing.subscription.get(options))
  const current = plans.value?.items.find(({ planKey }) => planKey === subscription.value?.planKey)
  return { plans, subscription, current, hasContract: current !== undefined && current.price.amount > 0 }
}

interface PlansProps extends Pick<ReturnType<typeof usePlans>, 'plans' | 'subscription' | 'hasContract'> {
  payment: Payment
}

export function Plans({ plans, subscription, hasContract, payment }: PlansProps) {
  const isOwner = useOrganization().role === 'owner'
  return (
    <>
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
    </>
  )
}
