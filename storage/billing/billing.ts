/** Contracts, and the payment provider's side of them. Source: requirement 4.1; contract 8. */
import { query, write } from '../statement.ts'
import type { BillingCustomerRow, BillingEventRow, SubscriptionRow } from '../tables.ts'

export const insertSubscription = write((db, row: SubscriptionRow) => db.insertInto('subscriptions').values(row))

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface SubscriptionUpdate extends Omit<SubscriptionRow, 'created_at'> {
  from: number
}

export const updateSubscription = write(
  (db, row: SubscriptionUpdate) =>
    db
      .updateTable('subscriptions')
      .set({
        state: row.state,
        version: row.version,
        machine_version: row.machine_version,
        context: row.context,
        updated_at: row.updated_at,
      })
      .where('organization_id', '=', row.organization_id)
      .where('version', '=', row.from),
  1,
)

export const findSubscription = query((db, values: { organizationId: string }) =>
  db.selectFrom('subscriptions').selectAll().where('organization_id', '=', values.organizationId),
)

/** Who the organization is at the provider; the first one to say so stays. */
export const insertCustomer = write((db, row: BillingCustomerRow) =>
  db
    .insertInto('billing_customers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['organization_id', 'provider']).doNothing()),
)

/** Forgets a customer that the provider does not know any more. */
export const deleteCustomer = write(
  (db, values: Pick<BillingCustomerRow, 'organization_id' | 'provider' | 'customer_id'>) =>
    db
      .deleteFrom('billing_customers')
      .where('organization_id', '=', values.organization_id)
      .where('provider', '=', values.provider)
      .where('customer_id', '=', values.customer_id),
)

export const findCustomer = query((db, values: { organizationId: string; provider: string }) =>
  db
    .selectFrom('billing_customers')
    .select('customer_id')
    .where('organization_id', '=', values.organizationId)
    .where('provider', '=', values.provider),
)

/** Whose customer this is. */
export const findOrganizationOfCustomer = query((db, values: { provider: string; customerId: string }) =>
  db
    .selectFrom('billing_customers')
    .select('organization_id')
    .where('provider', '=', values.provider)
    .where('customer_id', '=', values.customerId),
)

/** Fails with `UniqueViolation` on an event that was told before. */
export const insertBillingEvent = write((db, row: BillingEventRow) => db.insertInto('billing_events').values(row))

export const findBillingEvent = query((db, values: { id: string }) =>
  db.selectFrom('billing_events').select('id').where('id', '=', values.id),
)

/** Those that were received before then, oldest first. */
export const listOldBillingEvents = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('billing_events')
    .select('id')
    .where('received_at', '<', values.before)
    .orderBy('received_at')
    .limit(values.limit),
)

export const deleteBillingEvent = write((db, values: { id: string }) =>
  db.deleteFrom('billing_events').where('id', '=', values.id),
)
