/**
 * The places for attempts in flight. An organization with many slow attempts shares half of them with others like it:
 * many hanging webhooks of one organization do not delay those of others. Source: contract 7, "200 per process"; trust
 * 2.2.
 */
import { RecentlyUsed } from '../../platform/cache.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { minuteMs } from '../../platform/time/durations.ts'

const placesMax = 200
const placesOfSlowMax = placesMax / 2
/** An attempt that takes longer is slow. */
const slowMs = 5_000
/** This many slow attempts within a minute make an organization slow, for a minute after the last of them. */
const slowAttempts = 50
const organizationsMax = 10_000

interface Place {
  webhookId: string
  organizationId: string
  /** When the attempt began; undefined before. */
  begunAt?: number
}

/** The slow attempts of an organization. */
interface Slowness {
  since: number
  attempts: number
  slowUntil: number
}

export class Places {
  readonly #taken = new Map<string, Place>()
  /** The number of taken places. */
  readonly #byOrganization = new Map<string, number>()
  readonly #slowness = new RecentlyUsed<Slowness>(organizationsMax)

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** The number of free places. */
  get free(): number {
    return placesMax - this.#taken.size
  }

  /** Whether the delivery has a place. */
  has(id: string): boolean {
    return this.#taken.has(id)
  }

  /** Whether a delivery of this organization may take a free place. */
  isOpenTo(organizationId: string): boolean {
    if (!this.#isSlow(organizationId)) return true
    let slow = 0
    for (const [each, taken] of this.#byOrganization) if (this.#isSlow(each)) slow += taken
    return slow < placesOfSlowMax
  }

  take(id: string, place: Pick<Place, 'webhookId' | 'organizationId'>): void {
    this.#taken.set(id, { ...place })
    this.#count(place.organizationId, 1)
  }

  /** The attempt of the delivery begins. */
  begin(id: string): void {
    const place = this.#taken.get(id)
    if (place) place.begunAt = this.clock.now()
  }

  /** Whether the attempt of the delivery has begun, and has not ended. */
  hasBegun(id: string): boolean {
    return this.#taken.get(id)?.begunAt !== undefined
  }

  /** Frees the place of the delivery, if it has one. Returns its webhook. */
  leave(id: string): string | undefined {
    const place = this.#taken.get(id)
    if (!place) return undefined
    this.#taken.delete(id)
    this.#count(place.organizationId, -1)
    const now = this.clock.now()
    if (place.begunAt !== undefined && now - place.begunAt >= slowMs) this.#noteSlow(place.organizationId, now)
    return place.webhookId
  }

  #count(organizationId: string, change: 1 | -1): void {
    const taken = (this.#byOrganization.get(organizationId) ?? 0) + change
    if (taken === 0) this.#byOrganization.delete(organizationId)
    else this.#byOrganization.set(organizationId, taken)
  }

  #isSlow(organizationId: string): boolean {
    const leftMs = (this.#slowness.get(organizationId)?.slowUntil ?? 0) - this.clock.now()
    // more is left only after the clock was set back
    return leftMs > 0 && leftMs <= minuteMs
  }

  #noteSlow(organizationId: string, now: number): void {
    const before = this.#slowness.get(organizationId)
    const isRecent = before !== undefined && Math.abs(now - before.since) < minuteMs
    const known = isRecent ? before : { since: now, attempts: 0, slowUntil: before?.slowUntil ?? 0 }
    known.attempts += 1
    if (known.attempts >= slowAttempts) known.slowUntil = now + minuteMs
    this.#slowness.set(organizationId, known)
  }
}
