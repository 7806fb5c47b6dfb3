/** Why a secret that somebody pinned cannot be used now. Nothing newer is used in its place. Source: requirement 3. */
export type Unavailability =
  /** There is no such record or version, any more or at all. */
  | 'missing'
  | 'disabled'
  | 'expired'
  /** This one version, by somebody who wants it used no more. */
  | 'revoked'
  /** The organization variable that it takes its value from is disabled. */
  | 'source_disabled'
  /** What is stored does not decrypt. */
  | 'unreadable'

/** Fails closed: who asked for the secret gets none. The message names the record and no part of its value. */
export class SecretUnavailable extends Error {
  override readonly name = 'SecretUnavailable'

  constructor(
    readonly what: string,
    readonly reason: Unavailability,
    options?: ErrorOptions,
  ) {
    super(`${what} cannot be used: ${reason}.`, options)
  }
}
