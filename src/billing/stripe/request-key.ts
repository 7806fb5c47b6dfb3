/** Idempotency keys for Stripe: the same parts give the same key. */

const boundary = '\n'

export const keyOf = (...parts: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(parts.join(boundary)).digest('base64url')
