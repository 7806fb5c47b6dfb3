/** Stripe as the payment provider. Source: requirement 4.1; contract 8, "Providers". */
import type { Stripe } from 'stripe'
import type { Store } from '../../../storage/store.ts'
import type { Logger } from '../../operating/logger.ts'
import type { Clock } from '../../runtime/clock.ts'
import {
  billingUnconfigured,
  type CheckoutVisit,
  noContract,
  type PortalVisit,
  type Provider,
  providerUnavailable,
  type Standing,
} from '../provider.ts'
import { StripeCustomers } from './customers.ts'
import { failureOf, isMissing } from './failure.ts'
import { keyOf } from './request-key.ts'
import { standingAmong } from './standing.ts'

export interface StripeProviderParts {
  store: Store
  clock: Clock
  logger: Logger
  stripe: Stripe
}

/** More subscriptions of one customer are not looked at. */
const subscriptionsMax = 100

/** An address that a browser can be sent to. */
function addressOf({ url }: { url?: string | null }): string {
  if (typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw providerUnavailable('Stripe has answered without an address.')
}

export class StripeProvider implements Provider {
  readonly name = 'stripe'
  readonly #customers: StripeCustomers

  constructor(private readonly parts: StripeProviderParts) {
    this.#customers = new StripeCustomers(parts)
  }

  checkout(visit: CheckoutVisit): Promise<string> {
    return this.#asking(async () => {
      const price = await this.#priceOf(visit.plan.planKey)
      const customer = await this.#customers.ensure(visit)
      try {
        return await this.#checkout(visit, customer, price)
      } catch (error) {
        if (!isMissing(error, 'customer')) throw error
        return this.#checkout(visit, await this.#customers.replace(visit, customer), price)
      }
    })
  }

  portal({ organizationId, returnUrl, requestKey }: PortalVisit): Promise<string> {
    return this.#asking(async () => {
      const customer = await this.#customers.find(organizationId)
      if (!customer) throw noContract()
      const session = await this.parts.stripe.billingPortal.sessions.create(
        { customer, return_url: returnUrl },
        { idempotencyKey: keyOf('portal', requestKey, customer) },
      )
      return addressOf(session)
    })
  }

  fetch(organizationId: string): Promise<Standing> {
    return this.#asking(async () => {
      const customer = await this.#customers.find(organizationId)
      if (!customer) return standingAmong([]).standing
      const { standing, live } = standingAmong(await this.#subscriptionsOf(customer))
      if (live > 1)
        this.parts.logger.warn(
          { organizationId, live },
          'an organization has more than one running subscription at Stripe',
        )
      return standing
    })
  }

  async #checkout(visit: CheckoutVisit, customer: string, price: string): Promise<string> {
    const { organizationId, plan, successUrl, cancelUrl, requestKey } = visit
    const metadata = { organizationId, planKey: plan.planKey }
    const session = await this.parts.stripe.checkout.sessions.create(
      {
        mode: 'subscription',
        customer,
        client_reference_id: organizationId,
        line_items: [{ price, quantity: 1 }],
        success_url: successUrl,
        cancel_url: cancelUrl,
        metadata,
        subscription_data: { metadata },
      },
      { idempotencyKey: keyOf('checkout', requestKey, customer, price) },
    )
    return addressOf(session)
  }

  /** The price whose lookup key is the plan's. */
  async #priceOf(planKey: string): Promise<string> {
    const { stripe, logger } = this.parts
    const { data } = await stripe.prices.list({ lookup_keys: [planKey], active: true, limit: 10 })
    const price = data?.find(({ lookup_key }) => lookup_key === planKey)
    if (price) return price.id
    logger.error({ planKey }, 'Stripe has no active price whose lookup key is that of the plan')
    throw billingUnconfigured('The plan cannot be bought for now; the operator has been told.')
  }

  /** A customer that was deleted there has none. */
  async #subscriptionsOf(customer: string): Promise<Stripe.Subscription[]> {
    try {
      const { data } = await this.parts.stripe.subscriptions.list({ customer, status: 'all', limit: subscriptionsMax })
      if (!Array.isArray(data)) throw providerUnavailable('Stripe has answered without a list.')
      return data
    } catch (error) {
      if (isMissing(error, 'customer')) return []
      throw error
    }
  }

  async #asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    const { logger, clock } = this.parts
    try {
      return await ask()
    } catch (error) {
      throw failureOf(error, logger, clock.now())
    }
  }
}
