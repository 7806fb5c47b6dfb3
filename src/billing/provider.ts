/** The interface of payment providers. Source: contract 8, "Providers". */
import {
  type Agreement,
  contractRuns,
  type PaymentProvider,
  type SubscriptionState,
} from '../../machines/subscription.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { Identity } from '../platform/http/guard/caller.ts'
import type { Plan } from './plans.ts'

/** A visit to the provider's pages. */
export interface Visit {
  organizationId: string
  organizationName: string
  /** The visiting user. */
  by: Identity['principal']
  /** The same for a repeated request, which gets the first answer. */
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

/** The state of a contract at the provider. */
export interface ContractStatus extends Agreement {
  status: SubscriptionState
}

/** All methods throw `provider_rate_limited` (429), `provider_unavailable` or `billing_unconfigured` (503). */
export interface Provider {
  readonly name: PaymentProvider
  /** The URL of a checkout. Throws `contract_active` (400) if one was paid just now. */
  checkout(visit: CheckoutVisit): Promise<string>
  /** The URL of the portal. Throws `no_contract` for an organization that the provider does not know. */
  portal(visit: PortalVisit): Promise<string>
  /** The current state of the contract; without it the statechart decides itself. */
  fetch?(organizationId: string): Promise<ContractStatus>
}

export const providerUnavailable = (message: string, retryAfterSeconds = 5, cause?: unknown) =>
  new ApiError(503, 'provider_unavailable', message, { retryAfterSeconds, cause })
export const providerRateLimited = (retryAfterSeconds: number) =>
  new ApiError(429, 'provider_rate_limited', 'The provider is rate limiting requests.', { retryAfterSeconds })
export const billingUnconfigured = (message: string, cause?: unknown) =>
  new ApiError(503, 'billing_unconfigured', message, { retryAfterSeconds: 60, cause })
export const contractActive = () => new ApiError(400, contractRuns.code, contractRuns.message)
export const noContract = () => new ApiError(400, 'no_contract', 'There is no paid contract yet. Start a checkout.')
