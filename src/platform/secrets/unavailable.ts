/** Why a pinned secret cannot be used. No newer version replaces it. Source: requirement 3. */
export type Unavailability =
  /** The record or version does not exist, or no longer. */
  | 'missing'
  | 'disabled'
  | 'expired'
  /** A user has revoked this version. */
  | 'revoked'
  /** The organization variable that provides the value is disabled. */
  | 'source_disabled'
  /** The stored value cannot be decrypted. */
  | 'unreadable'

interface UnavailableOptions extends ErrorOptions {
  /** A sentence that says how to get a usable secret. */
  remedy?: string
}

/** Fails closed: the caller gets no secret. The message names the record and no part of its value. */
export class SecretUnavailable extends Error {
  override readonly name = 'SecretUnavailable'

  constructor(
    readonly what: string,
    readonly reason: Unavailability,
    { remedy, ...options }: UnavailableOptions = {},
  ) {
    super(`${what} cannot be used: ${reason}.${remedy === undefined ? '' : ` ${remedy}`}`, options)
  }
}
