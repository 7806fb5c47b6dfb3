/** The headers of answers, as components. Source: contract 0, "Rate limits", "Idempotency-Key", `requestId`. */

const headers = {
  XRequestId: {
    description: "The request's id: the caller's own `X-Request-Id`, if it is valid, else a new one.",
    schema: { type: 'string', minLength: 1, maxLength: 128 },
  },
  RateLimit: {
    description:
      'What the credential has left: `r` requests within the next `t` seconds. Absent if requests are not limited.',
    schema: { type: 'string', examples: ['"credential";r=5999;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The limit of a credential: `q` requests in `w` seconds.',
    schema: { type: 'string', examples: ['"credential";q=6000;w=60'] },
  },
  RetryAfter: { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } },
  Allow: { description: 'The methods that the path supports.', schema: { type: 'string', examples: ['GET, PATCH'] } },
  WwwAuthenticate: { description: 'The kind of credential.', schema: { type: 'string', const: 'Bearer' } },
  IdempotencyReplayed: {
    description: 'The answer is that of the first request with this key.',
    schema: { type: 'string', const: 'true' },
  },
}

type Name = keyof typeof headers

export class AnswerHeaders {
  readonly #used = new Set<Name>()

  /** The headers in use, by name. */
  get components(): Record<string, object> {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => this.#used.has(name as Name)))
  }

  /** The headers of a successful answer. */
  ofSuccess({ replayable }: { replayable: boolean }): Record<string, object> {
    return {
      'X-Request-Id': this.#component('XRequestId'),
      ...(replayable && { 'Idempotency-Replayed': this.#component('IdempotencyReplayed') }),
    }
  }

  ofFailure(status: number): Record<string, object> {
    return {
      'X-Request-Id': this.#component('XRequestId'),
      ...(status === 401 && { 'WWW-Authenticate': this.#component('WwwAuthenticate') }),
      ...(status === 405 && { Allow: this.#component('Allow') }),
      ...(status === 429 && {
        RateLimit: this.#component('RateLimit'),
        'RateLimit-Policy': this.#component('RateLimitPolicy'),
      }),
      ...((status === 429 || status === 503) && { 'Retry-After': this.#component('RetryAfter') }),
    }
  }

  #component(name: Name): object {
    this.#used.add(name)
    return { $ref: `#/components/headers/${name}` }
  }
}
