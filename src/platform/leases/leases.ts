/**
 * Leases: which holder has which key (a machine's slot, a timer's turn), until when, and with which fencing token. Source:
 * design.md section 4; contract 5, "Runner protocol".
 */

export interface Lease {
  key: string
  holder: string
  /** The fencing token, greater than all earlier tokens. Below 2^53. */
  token: number
  /** Epoch milliseconds on the clock of the lease store, which may differ from the caller's. */
  expiresAt: number
}

/**
 * A token is *current* from its acquisition until the lease is released or the key is acquired again. So a lapsed lease can
 * still be renewed if no one else acquired it; the store remembers it for `rememberMs` after it lapsed.
 *
 * Every call may reject with LeasesUnavailable, and with a RangeError for an empty key or holder or a TTL out of bounds.
 */
export interface Leases {
  /**
   * Acquires the lease if it is free or lapsed; null if it is held, even by this holder. The token is greater than every
   * earlier token of any key, also after a restart of this process or of Redis with its data lost.
   */
  acquire(key: string, holder: string, ttlMs: number): Promise<Lease | null>

  /** Acquires the first free one of several keys (a machine's slots) in one round trip; null if none is free. */
  acquireAny(keys: readonly string[], holder: string, ttlMs: number): Promise<Lease | null>

  /**
   * Extends the lease to `ttlMs` from now; null if the token is not current. If the key is unknown (memory lost in a restart,
   * Redis flushed), the holder is trusted and gets the lease back under its token.
   */
  renew(key: string, holder: string, token: number, ttlMs: number): Promise<Lease | null>

  /** Releases the lease; returns false, without any change, if the token is not current. */
  release(key: string, token: number): Promise<boolean>

  /** The held leases by key. Free and lapsed keys are left out. */
  read(keys: readonly string[]): Promise<Map<string, Lease>>

  /** 'ok', or a short reason why leases are unavailable, without addresses and secrets. Never rejects. */
  health(): Promise<string>

  /** Every later call rejects. Held leases stay held until they lapse. */
  close(): Promise<void>
}

/**
 * The lease store is unreachable, slow or gives an invalid answer. The outcome is unknown: the caller must assume neither
 * that it holds a lease nor that it does not (a lease acquired without an answer lapses).
 */
export class LeasesUnavailable extends Error {
  override readonly name = 'LeasesUnavailable'

  constructor(readonly reason: string) {
    super(`Leases are unavailable: ${reason}.`)
  }
}

/** How long the token of a released or lapsed lease is kept, to tell a late renewal from lost memory. */
export const rememberMs = 60_000

/** The longest lease. Redis keeps the token counter for longer than this. */
export const ttlMsMax = 12 * 60 * 60_000

/** Throws a RangeError for an invalid holder or TTL. */
export function checkTerms(holder: string, ttlMs: number): void {
  if (holder === '') throw new RangeError('A lease needs a holder.')
  if (!Number.isInteger(ttlMs) || ttlMs < 1 || ttlMs > ttlMsMax) {
    throw new RangeError(`The TTL of a lease is 1 to ${ttlMsMax} whole milliseconds, not ${ttlMs}.`)
  }
}

/** Throws a RangeError for an invalid key. */
export function checkKey(key: string): void {
  if (key === '') throw new RangeError('A lease needs a key.')
}

/** Whether the value can be a fencing token. */
export const isToken = (token: unknown): token is number => Number.isSafeInteger(token) && (token as number) > 0

/** Log for trouble with Redis; a pino logger fits. */
export interface LeasesLog {
  warn(details: object, message: string): void
}
