/** The Stripe customers of organizations, created with their first checkout. Source: contract 8. */
import type { Stripe } from 'stripe'
import { deleteCustomer, findCustomer, insertCustomer } from '../../../storage/billing/billing.ts'
import type { Store } from '../../../storage/store.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { providerUnavailable, type Visit } from '../provider.ts'
import { askOnce } from './request-key.ts'

const provider = 'stripe'

export class StripeCustomers {
  constructor(private readonly parts: { store: Store; clock: Clock; stripe: Stripe }) {}

  /** The customer; undefined before the first checkout. */
  async find(organizationId: string): Promise<string | undefined> {
    const { store } = this.parts
    return (await store.first(findCustomer(store, { organizationId, provider })))?.customer_id
  }

  /** The customer, created if there is none. Concurrent requests create the same one. */
  async ensure(visit: Pick<Visit, 'organizationId' | 'organizationName'>, inPlaceOf = ''): Promise<string> {
    const { organizationId, organizationName: name } = visit
    const known = await this.find(organizationId)
    if (known) return known
    const { store, clock, stripe } = this.parts
    const { id } = await askOnce(['customer', organizationId, name, inPlaceOf], (options) =>
      stripe.customers.create({ name, metadata: { organizationId } }, options),
    )
    if (typeof id !== 'string' || id === '') throw providerUnavailable('The answer of Stripe has no id.')
    const row = { organization_id: organizationId, provider, customer_id: id, created_at: clock.now() }
    await store.commit([insertCustomer(store, row)])
    return (await this.find(organizationId)) ?? id
  }

  /** Replaces a customer that was deleted at Stripe. */
  async replace(visit: Pick<Visit, 'organizationId' | 'organizationName'>, missing: string): Promise<string> {
    const { store } = this.parts
    await store.commit([deleteCustomer(store, { organizationId: visit.organizationId, provider, customerId: missing })])
    return this.ensure(visit, missing)
  }
}
