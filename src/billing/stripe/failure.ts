/**
 * Converts Stripe's errors to those of the API. Stripe's messages are not passed on: they may quote the request,
 * including the key. Source: requirement 4.1, 7; contract 8.
 */
import { Stripe } from 'stripe'
import type { Logger } from '../../platform/operating/logger.ts'
import { retryAfterMs } from '../../runs/providers/retry-after.ts'
import { billingUnconfigured, providerRateLimited, providerUnavailable } from '../provider.ts'

/** The default if Stripe gives none. */
const retryAfterDefaultMs = 5_000

const { StripeConnectionError, StripeAPIError, StripeError, StripeInvalidRequestError, StripeRateLimitError } =
  Stripe.errors
type AnyStripeError = InstanceType<typeof StripeError>

/** A single word of Stripe's vocabulary; other values are dropped. */
const word = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[a-z_[\]0-9]{1,64}$/i.test(value) && !/^[spr]k_/.test(value) ? value : undefined

/** The part of the error that may be logged. */
const describe = ({ type, code, param, statusCode, requestId }: AnyStripeError) => ({
  type: word(type),
  code: word(code),
  param: word(param),
  status: statusCode,
  stripeRequest: word(requestId),
})

/** Whether Stripe does not know the object of this parameter. */
export const isMissing = (error: unknown, param: string): boolean =>
  error instanceof StripeInvalidRequestError && error.code === 'resource_missing' && error.param === param

/** The error for the caller. `now`: epoch milliseconds. */
export function failureOf(error: unknown, logger: Logger, now: number): unknown {
  // the library throws a TypeError for an answer that is not an object
  if (error instanceof TypeError) return providerUnavailable('The answer of Stripe is not valid.', 5, error)
  if (!(error instanceof StripeError)) return error
  const about = describe(error)
  const waitMs = retryAfterMs(error.headers, undefined, now) ?? retryAfterDefaultMs
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1_000))
  if (error instanceof StripeRateLimitError) return providerRateLimited(retryAfterSeconds)
  const cause = new Error(`Stripe: ${Object.values(about).filter(Boolean).join(', ')}`)
  if (error instanceof StripeConnectionError || error instanceof StripeAPIError)
    return providerUnavailable('Stripe cannot be reached.', retryAfterSeconds, cause)
  logger.error({ stripe: about }, 'Stripe refuses what it is asked: look at the key, the prices and the portal there')
  return billingUnconfigured('Billing is not set up correctly; the operator has been notified.', cause)
}
