/** Leases within one process. */
import { checkKey, checkTerms, isToken, type Lease, type Leases, LeasesUnavailable, rememberMs } from './leases.ts'

/** The state of a key. A released lease has no holder and never expires: it only keeps its token. */
interface Entry {
  key: string
  holder: string
  token: number
  expiresAt: number
  forgetAt: number
}

/**
 * Leases in memory, for a server without Redis. Safe only while it is the only server.
 *
 * A token is the clock in microseconds, or the last token plus one if that is greater. So tokens grow across restarts, up
 * to a million acquisitions a second, unless the clock is set back while the server is down.
 */
export class EmbeddedLeases implements Leases {
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  #forgetting = this.#entries.values()
  #lastToken = 0
  #closed = false

  /** @param now epoch milliseconds */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  async acquire(key: string, holder: string, ttlMs: number): Promise<Lease | null> {
    const now = this.#open()
    checkKey(key)
    checkTerms(holder, ttlMs)
    return this.#take(key, holder, ttlMs, now)
  }

  async acquireAny(keys: readonly string[], holder: string, ttlMs: number): Promise<Lease | null> {
    const now = this.#open()
    keys.forEach(checkKey)
    checkTerms(holder, ttlMs)
    for (const key of keys) {
      const lease = this.#take(key, holder, ttlMs, now)
      if (lease) return lease
    }
    return null
  }

  async renew(key: string, holder: string, token: number, ttlMs: number): Promise<Lease | null> {
    const now = this.#open()
    checkKey(key)
    checkTerms(holder, ttlMs)
    const entry = this.#remembered(key, now)
    if (entry)
      return entry.token === token && entry.holder === holder ? this.#hold(key, holder, token, ttlMs, now) : null

    // Memory was lost. A token above the greatest possible one was not issued here.
    if (!isToken(token) || token > Math.max(this.#lastToken, micros(now))) return null
    this.#lastToken = Math.max(this.#lastToken, token)
    return this.#hold(key, holder, token, ttlMs, now)
  }

  async release(key: string, token: number): Promise<boolean> {
    const now = this.#open()
    checkKey(key)
    const entry = this.#remembered(key, now)
    if (!entry || entry.token !== token || entry.holder === '') return false
    this.#entries.set(key, { key, holder: '', token, expiresAt: 0, forgetAt: now + rememberMs })
    return true
  }

  async read(keys: readonly string[]): Promise<Map<string, Lease>> {
    const now = this.#open()
    const held = new Map<string, Lease>()
    for (const key of keys) {
      const entry = this.#entries.get(key)
      if (entry && entry.expiresAt > now) held.set(key, asLease(entry))
    }
    return held
  }

  async health(): Promise<string> {
    return this.#closed ? 'closed' : 'ok'
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#entries.clear()
  }

  /** How many keys are in memory: for tests and measurements. */
  get size(): number {
    return this.#entries.size
  }

  #open(): number {
    if (this.#closed) throw new LeasesUnavailable('closed')
    return this.#now()
  }

  #take(key: string, holder: string, ttlMs: number, now: number): Lease | null {
    const entry = this.#entries.get(key)
    if (entry && entry.expiresAt > now) return null
    this.#lastToken = Math.max(this.#lastToken + 1, micros(now))
    return this.#hold(key, holder, this.#lastToken, ttlMs, now)
  }

  #hold(key: string, holder: string, token: number, ttlMs: number, now: number): Lease {
    const expiresAt = Math.floor(now) + ttlMs
    const entry = { key, holder, token, expiresAt, forgetAt: expiresAt + rememberMs }
    this.#entries.set(key, entry)
    this.#forgetSome(now)
    return asLease(entry)
  }

  #remembered(key: string, now: number): Entry | undefined {
    const entry = this.#entries.get(key)
    return entry && entry.forgetAt > now ? entry : undefined
  }

  /** Each write checks two entries in turn, so entries are removed faster than they are added and memory stays bounded. */
  #forgetSome(now: number): void {
    for (let looked = 0; looked < 2; looked++) {
      const next = this.#forgetting.next()
      if (next.done) {
        this.#forgetting = this.#entries.values()
        return
      }
      if (next.value.forgetAt <= now) this.#entries.delete(next.value.key)
    }
  }
}

const micros = (epochMs: number): number => Math.floor(epochMs * 1000)

const asLease = ({ key, holder, token, expiresAt }: Entry): Lease => ({ key, holder, token, expiresAt })
