/** Failures of requests to addresses that tenants choose. Source: contract 7, `Attempt`. */

export const outboundErrorClasses = [
  'dns_error',
  'blocked_address',
  'connect_refused',
  'connect_timeout',
  'tls_error',
  'timeout',
  'reset',
  'redirect',
  'invalid_response',
] as const
export type OutboundErrorClass = (typeof outboundErrorClasses)[number]

/**
 * There is no usable answer. The tenant may see the message, which names no address; the log gets `cause`, which may.
 */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  /** From the call to its failure. */
  durationMs = 0

  constructor(
    readonly errorClass: OutboundErrorClass,
    message: string,
    /** The status of the unusable answer; null if there was none. */
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The request is invalid: a header, the method or a bound. Nothing was sent. */
export class UnsendableRequest extends Error {
  override readonly name = 'UnsendableRequest'
}
