/** Keys under which Stripe does a thing once, however often it is asked for: the same parts, the same key. */

const boundary = '\n'

export const keyOf = (...parts: readonly string[]): string =>
  new Bun.CryptoHasher('sha256').update(parts.join(boundary)).digest('base64url')
