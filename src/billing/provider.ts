/** Who is paid: what billing asks of a payment provider. Source: contract 8, "Providers". */
import type { Agreement, PaymentProvider, SubscriptionState } from '../../machines/subscription.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { By } from '../runtime/kind.ts'
import type { Plan } from './plans.ts'

/** A request to go to the provider. */
export interface Visit {
  organizationId: string
  organizationName: string
  /** Who is sent there. */
  by: By
  /** The same for the same request: whoever repeats it gets the first answer. */
  requestKey: string
}

export interface CheckoutVisit extends Visit {
  plan: Plan
  successUrl: string
  cancelUrl: string
}

export interface PortalVisit extends Visit {
  returnUrl: string
}

/** How a contract stands at the provider. */
export interface ContractStatus extends Agreement {
  status: SubscriptionState
}

/** Each of them throws `provider_rate_limited` (429), `provider_unavailable` or `billing_unconfigured` (503). */
export interface Provider {
  readonly name: PaymentProvider
  /** Where to pay. */
  checkout(visit: CheckoutVisit): Promise<string>
  /** Where to look after the contract. Throws `no_contract` for whom the provider does not know. */
  portal(visit: PortalVisit): Promise<string>
  /** How things stand, asked anew; without it the chart decides by itself. */
  fetch?(organizationId: string): Promise<ContractStatus>
}

export const providerUnavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new ApiError(503, 'provider_unavailable', message, { retryAfterSeconds, cause })
export const providerRateLimited = (retryAfterSeconds: number) =>
  new ApiError(429, 'provider_rate_limited', 'The provider takes no more requests for now.', { retryAfterSeconds })
export const billingUnconfigured = (message: string, cause?: unknown) =>
  new ApiError(503, 'billing_unconfigured', message, { retryAfterSeconds: 60, cause })
export const noContract = () => new ApiError(400, 'no_contract', 'There is no paid contract yet. Start a checkout.')
