/** Contracts and the payment provider. Row types for Kysely; the migrations define the tables. */
export interface SubscriptionRow {
  organization_id: string
  state: string
  version: number
  machine_version: string
  context: string
  created_at: number
  updated_at: number
}

/** Who an organization is at a payment provider. */
export interface BillingCustomerRow {
  organization_id: string
  provider: string
  customer_id: string
  created_at: number
}

/** Something that a payment provider has told us. */
export interface BillingEventRow {
  /** The provider's. */
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
