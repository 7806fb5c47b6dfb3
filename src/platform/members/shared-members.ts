/** The servers of a store in PostgreSQL: each sends a heartbeat every few seconds, and reads those of the others. */
import type { Beat, Joining, MemberRow, Membership } from '../../../storage/postgres/membership.ts'
import { deadAfterMs, goneAfterMs } from '../../../storage/postgres/membership.ts'
import { slotOf } from '../../../storage/slots.ts'
import { fingerprintsOf, type KeyRing } from '../secrets/keyring.ts'
import { type Member, type Members, newProcessId } from './members.ts'
import { assertSharedKey, outwaitOtherKeys } from './shared-key.ts'

const beatMs = 5_000
/** The delay when others must release slots, or the store did not answer. */
const soonMs = 1_000
/** The shortest interval between reads that others request. */
const restMs = 500

interface SharedMembersParts {
  membership: Membership
  /** Whether other servers may join. */
  isShared: boolean
  version: string
  publicUrl: string | null
  /** This server's master keys. */
  ring: KeyRing
  /** This server's clock, in epoch milliseconds; omitted: the machine's. */
  now?: () => number
  /** The interval of heartbeats; omitted: five seconds. */
  beatMs?: number
  onError(error: unknown, what: string): void
}

export class SharedMembers implements Members {
  readonly id = newProcessId()
  readonly isShared: boolean
  startedAt = 0
  storeId = ''
  skewMs = 0
  living: ReadonlySet<string> = new Set([this.id])
  slots: readonly number[] = []
  #own: ReadonlySet<number> = new Set()
  /** By `performance.now`: the last heartbeat. */
  #heardAt = Number.NEGATIVE_INFINITY
  /** By `performance.now`: when the read began that `living` is from. */
  #readAt = Number.NEGATIVE_INFINITY
  readonly #listeners = new Set<() => void>()
  readonly #mourners = new Set<() => void>()
  #timer: Timer | undefined
  #beating: Promise<void> | undefined
  #isBusy = false
  /** Whether to read again as soon as the current read has ended. */
  #again = false
  #serves = true
  #left = false

  private constructor(private readonly parts: SharedMembersParts) {
    this.isShared = parts.isShared
  }

  /**
   * Joins the servers of the store, once those are gone that were killed and had other master keys. Throws
   * `StoreRefused` if this server cannot run beside the others.
   */
  static async join(parts: SharedMembersParts): Promise<SharedMembers> {
    const { membership, ring } = parts
    const members = new SharedMembers(parts)
    members.storeId = await membership.nameOfStore()
    if (parts.isShared) await outwaitOtherKeys(membership, ring)
    const startedAt = performance.now()
    const beat = await membership.join(members.#heartbeat, (others) => assertSharedKey(ring, others))
    members.startedAt = beat.at
    members.#hear(beat, startedAt)
    members.#rest(beat)
    return members
  }

  owns(id: string): boolean {
    // others may take the slots after this
    const forMs = this.parts.membership.isPresent ? deadAfterMs : goneAfterMs
    return performance.now() < this.#heardAt + forMs && this.#own.has(slotOf(id))
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls back when another server has gone. */
  onLoss(listener: () => void): void {
    this.#mourners.add(listener)
  }

  /** Another server reports a change: reads soon. */
  lookSoon(): void {
    this.#again = this.#isBusy
    if (this.#isBusy || !this.#serves || performance.now() < this.#heardAt + restMs) return
    clearTimeout(this.#timer)
    this.#later(0)
  }

  async list(): Promise<Member[]> {
    return (await this.parts.membership.list()).map(present)
  }

  async look(): Promise<ReadonlySet<string>> {
    const startedAt = performance.now()
    const found = await this.parts.membership.list()
    this.#note(found, startedAt)
    return this.living
  }

  async retire() {
    this.#serves = false
    clearTimeout(this.#timer)
    await this.#beating
    clearTimeout(this.#timer)
    await this.#beat()
  }

  async leave() {
    this.#left = true
    clearTimeout(this.#timer)
    await this.#beating
    await this.parts.membership.leave(this.id)
  }

  get #heartbeat(): Joining {
    const { version, publicUrl, ring, now = Date.now } = this.parts
    return {
      id: this.id,
      version,
      publicUrl,
      masterKeys: fingerprintsOf(ring),
      clockAt: now,
      serves: this.#serves,
    }
  }

  #rest({ isShort }: Beat) {
    const { beatMs: ms = beatMs } = this.parts
    this.#later(this.#again ? Math.min(restMs, ms) : isShort ? Math.min(soonMs, ms) : ms)
    this.#again = false
  }

  #later(ms: number) {
    if (this.#left) return
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat()
    }, ms)
  }

  async #beat() {
    const startedAt = performance.now()
    this.#isBusy = true
    try {
      const beat = await this.parts.membership.beat(this.#heartbeat)
      if (!this.#left) this.#hear(beat, startedAt)
      this.#rest(beat)
    } catch (error) {
      this.parts.onError(error, 'the servers of the store')
      this.#later(soonMs)
    } finally {
      this.#isBusy = false
    }
  }

  #hear({ members, slots }: Beat, startedAt: number) {
    // the time before the database was asked
    this.#heardAt = startedAt
    const before = this.slots.join()
    this.slots = slots
    this.#own = new Set(slots)
    const isTold = this.#note(members, startedAt)
    if (!isTold && before !== slots.join()) this.#tell()
  }

  /** Whether listeners have been called. The answer to an older read than the last one is ignored. */
  #note(rows: readonly MemberRow[], startedAt: number): boolean {
    if (startedAt < this.#readAt) return false
    this.#readAt = startedAt
    this.skewMs = rows.find(({ id }) => id === this.id)?.skew_ms ?? this.skewMs
    const before = this.living
    this.living = new Set([this.id, ...rows.map(({ id }) => id)])
    const isLost = [...before].some((id) => !this.living.has(id))
    if (!isLost && before.size === this.living.size) return false
    this.#tell()
    if (isLost) for (const listener of this.#mourners) listener()
    return true
  }

  #tell() {
    for (const listener of this.#listeners) listener()
  }
}

const present = ({ id, version, started_at, beat_at, skew_ms, slots }: MemberRow): Member => ({
  id,
  version,
  startedAt: started_at,
  beatAt: beat_at,
  skewMs: skew_ms,
  slots: JSON.parse(slots),
})
