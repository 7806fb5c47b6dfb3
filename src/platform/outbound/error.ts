/** How a request to an address that a tenant chose can end without an answer. Source: contract 7, `Attempt`. */

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

/** No usable answer. The message may be shown to the tenant: it names no address; `cause` may, and is for the log. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  /** From the call to its end. */
  durationMs = 0

  constructor(
    readonly errorClass: OutboundErrorClass,
    message: string,
    /** Of the answer that could not be used; null when there was none. */
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** The request itself cannot be put on the wire: a header, the method or a bound. Nothing was sent, nobody was asked. */
export class UnsendableRequest extends Error {
  override readonly name = 'UnsendableRequest'
}
