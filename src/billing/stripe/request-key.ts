/** Idempotency keys for Stripe: the same parts give the same key. */
import { Stripe } from 'stripe'

const boundary = '\n'
/** The failures of one request that are passed over. */
const failuresMax = 10

const keyOf = (parts: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(parts.join(boundary)).digest('base64url')

/** Whether Stripe repeats that it has failed itself. */
const isFailureAgain = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeError &&
  (error.statusCode ?? 0) >= 500 &&
  error.headers?.['idempotent-replayed'] === 'true'

/**
 * Sends a request that a repetition does not carry out again. For a day Stripe repeats its answer to a key, even that it has
 * failed (500): after such a repetition the next key is used, so that the failure does not last for that day. What the failed
 * request may have left behind is nothing that is paid for: a customer, or a session.
 */
export async function askOnce<Answer>(
  parts: readonly string[],
  ask: (options: { idempotencyKey: string }) => Promise<Answer>,
): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    const idempotencyKey = keyOf(failures === 0 ? parts : [...parts, String(failures)])
    try {
      return await ask({ idempotencyKey })
    } catch (error) {
      if (!isFailureAgain(error) || failures === failuresMax) throw error
    }
  }
}
