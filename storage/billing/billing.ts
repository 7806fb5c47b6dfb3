/** Contracts, and the payment provider's side of them. Source: requirement 4.1; contract 8. */
import { rowsOf } from '../rows.ts'
import { write } from '../statement.ts'
import type { BillingCustomerRow } from '../tables.ts'

const subscriptions = rowsOf('subscriptions', 'organization_id')
const billingCustomers = rowsOf('billing_customers', 'organization_id', 'provider')
const billingEvents = rowsOf('billing_events', 'id')

export const insertSubscription = subscriptions.insert()

export const updateSubscription = subscriptions.move()

export const findSubscription = subscriptions.find()

/** Who the organization is at the provider; the first one to say so stays. */
export const insertCustomer = billingCustomers.insertOrKeep('organization_id', 'provider')

/** Forgets a customer that the provider does not know any more. */
export const deleteCustomer = write(
  (db, values: Pick<BillingCustomerRow, 'organization_id' | 'provider' | 'customer_id'>) =>
    db
      .deleteFrom('billing_customers')
      .where('organization_id', '=', values.organization_id)
      .where('provider', '=', values.provider)
      .where('customer_id', '=', values.customer_id),
)

export const findCustomer = billingCustomers.only('customer_id').find()

/** Whose customer this is. */
export const findOrganizationOfCustomer = billingCustomers.only('organization_id').find('provider', 'customer_id')

/** Fails with `UniqueViolation` on an event that was told before. */
export const insertBillingEvent = billingEvents.insert()

export const findBillingEvent = billingEvents.only('id').find()

/** Those that were received before then, oldest first. */
export const listOldBillingEvents = billingEvents.only('id').before('received_at')

export const deleteBillingEvent = billingEvents.remove()
