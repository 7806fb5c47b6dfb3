/** Stripe as the payment provider. Source: requirement 4.1; contract 8, "Providers". */
import type { Stripe } from 'stripe'
import type { Store } from '../../../storage/store.ts'
import { ApiError } from '../../platform/http/answers/errors.ts'
import type { Logger } from '../../platform/operating/logger.ts'
import type { Clock } from '../../platform/time/clock.ts'
import {
  billingUnconfigured,
  type CheckoutVisit,
  type ContractStatus,
  contractActive,
  noContract,
  type PortalVisit,
  type Provider,
  providerUnavailable,
} from '../provider.ts'
import { addressOf } from './address.ts'
import { StripeCheckouts } from './checkouts.ts'
import { contractStatusAmong } from './contract-status.ts'
import { StripeCustomers } from './customers.ts'
import { failureOf, isMissing } from './failure.ts'
import { askOnce } from './request-key.ts'

interface StripeProviderParts {
  store: Store
  clock: Clock
  logger: Logger
  stripe: Stripe
}

/** The most subscriptions of one customer that are read. */
const subscriptionsMax = 100

export class StripeProvider implements Provider {
  readonly name = 'stripe'
  readonly #customers: StripeCustomers
  readonly #checkouts: StripeCheckouts

  constructor(private readonly parts: StripeProviderParts) {
    this.#customers = new StripeCustomers(parts)
    this.#checkouts = new StripeCheckouts(parts.stripe)
  }

  checkout(visit: CheckoutVisit): Promise<string> {
    return this.#asking(async () => {
      const price = await this.#priceOf(visit.plan.planKey)
      const customer = await this.#customers.ensure(visit)
      try {
        return await this.#open(visit, customer, price)
      } catch (error) {
        if (!isMissing(error, 'customer')) throw error
        return this.#open(visit, await this.#customers.replace(visit, customer), price)
      }
    })
  }

  /**
   * Opens a checkout, unless another one was paid since the statechart accepted this one: the contract has closed all open
   * checkouts by then, or finds this one. Throws `contract_active` (400).
   */
  async #open(visit: CheckoutVisit, customer: string, price: string): Promise<string> {
    const url = await this.#checkouts.open(visit, customer, price)
    const { live } = contractStatusAmong(await this.#subscriptionsOf(customer))
    if (live === 0) return url
    await this.#checkouts.closeAll(customer)
    throw contractActive()
  }

  portal({ organizationId, returnUrl, requestKey }: PortalVisit): Promise<string> {
    return this.#asking(async () => {
      const customer = await this.#customers.find(organizationId)
      if (!customer) throw noContract()
      const session = await askOnce(['portal', requestKey, customer], (options) =>
        this.parts.stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }, options),
      ).catch((error: unknown) => {
        // deleted at Stripe, with its subscriptions
        throw isMissing(error, 'customer') ? noContract() : error
      })
      return addressOf(session)
    })
  }

  fetch(organizationId: string): Promise<ContractStatus> {
    return this.#asking(async () => {
      const customer = await this.#customers.find(organizationId)
      if (!customer) return contractStatusAmong([]).contract
      const { contract, live } = contractStatusAmong(await this.#subscriptionsOf(customer))
      if (live > 1)
        this.parts.logger.warn(
          { organizationId, live },
          'an organization has more than one running subscription at Stripe',
        )
      if (live > 0) await this.#closeCheckouts(organizationId, customer)
      return contract
    })
  }

  /** Closes checkouts, because a contract is active. A failure does not affect the result. */
  async #closeCheckouts(organizationId: string, customer: string): Promise<void> {
    try {
      await this.#checkouts.closeAll(customer)
    } catch (error) {
      const { logger, clock } = this.parts
      const failure = failureOf(error, logger, clock.now())
      if (!(failure instanceof ApiError) || failure.code !== 'billing_unconfigured') throw error
      logger.warn({ organizationId }, 'open checkouts of an organization could not be closed at Stripe')
    }
  }

  /** The price whose lookup key is the plan's. */
  async #priceOf(planKey: string): Promise<string> {
    const { stripe, logger } = this.parts
    const { data } = await stripe.prices.list({ lookup_keys: [planKey], active: true, limit: 10 })
    const price = data?.find(({ lookup_key }) => lookup_key === planKey)
    if (price) return price.id
    logger.error({ planKey }, 'Stripe has no active price whose lookup key is that of the plan')
    throw billingUnconfigured('The plan cannot be bought now; the operator has been notified.')
  }

  /** A deleted customer has none. */
  async #subscriptionsOf(customer: string): Promise<Stripe.Subscription[]> {
    try {
      const { data } = await this.parts.stripe.subscriptions.list({ customer, status: 'all', limit: subscriptionsMax })
      if (!Array.isArray(data)) throw providerUnavailable('The answer of Stripe has no list.')
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
