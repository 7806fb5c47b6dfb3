/** Subscriptions, and the payment provider's customers and events. Source: requirement 4.1; contract 8. */
import { sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { write } from '../statement.ts'

const subscriptions = rowsOf('subscriptions', 'organization_id')
const billingCustomers = rowsOf('billing_customers', 'organization_id', 'provider')
const billingEvents = rowsOf('billing_events', 'id')

export const insertSubscription = subscriptions.insert()

export const updateSubscription = subscriptions.move()

export const findSubscription = subscriptions.find()

/** `StaleWrite` if the organization's subscription has another version by now; 0: it has none. */
export const subscriptionIsAt = write(
  (db, values: { organizationId: string; version: number }) =>
    db
      .updateTable('organizations')
      .set(({ ref }) => ({ updated_at: ref('updated_at') }))
      .where('id', '=', values.organizationId)
      .where(
        sql<boolean>`coalesce((select version from subscriptions where organization_id = ${values.organizationId}), 0)
          = ${values.version}`,
      ),
  1,
)

/** Stores the organization's customer id at the provider; an existing one is kept. */
export const insertCustomer = billingCustomers.insertOrKeep('organization_id', 'provider')

/** Removes a customer id that the provider no longer knows. */
export const deleteCustomer = billingCustomers.remove('organization_id', 'provider', 'customer_id')

export const findCustomer = billingCustomers.only('customer_id').find()

/** The organization of a customer. */
export const findOrganizationOfCustomer = billingCustomers.only('organization_id').find('provider', 'customer_id')

/** `UniqueViolation` for an event that was received before. */
export const insertBillingEvent = billingEvents.insert()

export const findBillingEvent = billingEvents.only('id').find()

/** Events received before this time, oldest first. */
export const listOldBillingEvents = billingEvents.only('id').before('received_at')

export const deleteBillingEvent = billingEvents.remove()
