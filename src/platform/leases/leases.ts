/**
 * Leases: who holds what (a machine's slot, a timer's turn), for how long, and with which fencing token.
 * Source: design.md section 4; contract 5, "Runner protocol".
 */

export interface Lease {
  key: string
  holder: string
  /** The fencing token: greater than every token given before. Below 2^53. */
  token: number
  /** Epoch milliseconds on the clock of whoever keeps the leases, which may differ from the caller's. */
  expiresAt: number
}

/**
 * A token is *current* from its acquisition until the lease is released or the key is taken again. A lapsed lease can thus
 * still be prolonged while nobody else wanted it; this is known for `rememberMs` after it lapsed.
 *
 * Every call may reject with LeasesUnavailable, and with a RangeError for an empty key or holder or a TTL out of bounds.
 */
export interface Leases {
  /**
   * Takes the lease if it is free or lapsed; null when it is held, be it by this very holder. The token is greater than
   * every token given before, for any key, also after a restart of this process or of Redis with its data gone.
   */
  acquire(key: string, holder: string, ttlMs: number): Promise<Lease | null>

  /** Takes the first free one of several keys (a machine's slots) in one round trip; null when none is free. */
  acquireAny(keys: readonly string[], holder: string, ttlMs: number): Promise<Lease | null>

  /**
   * Prolongs it to `ttlMs` from now; null when the token is not current. Where nothing at all is known of the key (memory
   * lost in a restart, Redis flushed) the holder is believed and gets the lease back under its token.
   */
  renew(key: string, holder: string, token: number, ttlMs: number): Promise<Lease | null>

  /** Gives it back; false when the token is not current, and then nothing changes. */
  release(key: string, token: number): Promise<boolean>

  /** What is held now, by key. Free and lapsed keys are left out. */
  read(keys: readonly string[]): Promise<Map<string, Lease>>

  /** 'ok', or a short reason why leases can't be given now, free of addresses and secrets. Never rejects. */
  health(): Promise<string>

  /** Every call after it rejects. Leases that are held stay held until they lapse. */
  close(): Promise<void>
}

/**
 * Whoever keeps the leases is away, slow or answers nonsense. Nothing is known about the outcome: the caller must not
 * assume that it holds anything, nor that it doesn't (a lease that was taken unheard lapses).
 */
export class LeasesUnavailable extends Error {
  override readonly name = 'LeasesUnavailable'

  constructor(readonly reason: string) {
    super(`Leases are unavailable: ${reason}.`)
  }
}

/** How long a released or lapsed lease's token is remembered, so that its late renewal is told from lost memory. */
export const rememberMs = 60_000

/** The longest lease. The counter of tokens in Redis is kept longer than this. */
export const ttlMsMax = 12 * 60 * 60_000

/** Throws a RangeError for what no lease can be taken or renewed with. */
export function checkTerms(holder: string, ttlMs: number): void {
  if (holder === '') throw new RangeError('A lease needs a holder.')
  if (!Number.isInteger(ttlMs) || ttlMs < 1 || ttlMs > ttlMsMax) {
    throw new RangeError(`The TTL of a lease is 1 to ${ttlMsMax} whole milliseconds, not ${ttlMs}.`)
  }
}

/** Throws a RangeError for what names no lease. */
export function checkKey(key: string): void {
  if (key === '') throw new RangeError('A lease needs a key.')
}

/** Whether a number can be a fencing token at all. */
export const isToken = (token: unknown): token is number => Number.isSafeInteger(token) && (token as number) > 0

/** Where trouble with Redis is reported; a pino logger fits. */
export interface LeasesLog {
  warn(details: object, message: string): void
}
