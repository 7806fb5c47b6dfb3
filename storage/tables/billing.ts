/** Subscriptions, and the records of the payment provider. Row types for Kysely; the migrations define the tables. */
export interface SubscriptionRow {
  organization_id: string
  state: string
  version: number
  machine_version: string
  context: string
  created_at: number
  updated_at: number
}

/** An organization's customer account at a payment provider. */
interface BillingCustomerRow {
  organization_id: string
  provider: string
  customer_id: string
  created_at: number
}

/** An event received from a payment provider. */
interface BillingEventRow {
  /** The provider's event id. */
  id: string
  organization_id: string
  type: string
  received_at: number
}

export interface BillingTables {
  subscriptions: SubscriptionRow
  billing_customers: BillingCustomerRow
  billing_events: BillingEventRow
}
