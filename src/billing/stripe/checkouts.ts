/**
 * Checkouts at Stripe. Each organization has at most one open: a new one closes earlier ones, and an active contract
 * closes all. Source: contract 8, "an organization has one contract".
 */
import { Stripe } from 'stripe'
import { type CheckoutVisit, providerUnavailable } from '../provider.ts'
import { addressOf } from './address.ts'
import { askOnce } from './request-key.ts'

/** The most open checkouts per customer that are checked; each new one closes those before it. */
const openMax = 100

export class StripeCheckouts {
  constructor(private readonly stripe: Stripe) {}

  /** Opens a checkout and closes earlier ones. Returns its URL. */
  async open(visit: CheckoutVisit, customer: string, price: string): Promise<string> {
    const { organizationId, plan, successUrl, cancelUrl, requestKey } = visit
    const metadata = { organizationId, planKey: plan.planKey }
    const session = await askOnce(['checkout', requestKey, customer, price], (options) =>
      this.stripe.checkout.sessions.create(
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
        options,
      ),
    )
    const url = addressOf(session)
    const open = await this.#openOf(customer)
    const own = open.indexOf(session.id)
    // newest first: of two concurrent checkouts exactly one closes the other
    if (own >= 0) await this.#close(open.slice(own + 1))
    return url
  }

  /** Closes all open checkouts. */
  async closeAll(customer: string): Promise<void> {
    await this.#close(await this.#openOf(customer))
  }

  /** Newest first. */
  async #openOf(customer: string): Promise<string[]> {
    const { data } = await this.stripe.checkout.sessions.list({ customer, status: 'open', limit: openMax })
    if (!Array.isArray(data)) throw providerUnavailable('The answer of Stripe has no list.')
    return data.map(({ id }) => id)
  }

  async #close(ids: readonly string[]): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        try {
          await this.stripe.checkout.sessions.expire(id)
        } catch (error) {
          // paid or closed concurrently; an event reports payments
          if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        }
      }),
    )
  }
}
