/**
 * The servers that share a store, and each one's share of its work. A store in SQLite has one member, this process,
 * which does everything; so has a store in PostgreSQL without Redis, through which servers notify each other.
 *
 * Slots distribute work and grant no rights: each commit compares its changes with the store, so two owners at once
 * cause no harm.
 */
import { newId } from '../../../storage/ids.ts'
import { slotCount } from '../../../storage/slots.ts'

/** A server of the store, as stored. */
export interface Member {
  /** Of its process: new at each start. */
  id: string
  /** The version of the program. */
  version: string
  /** Epoch milliseconds, by the store's clock. */
  startedAt: number
  /** Its last heartbeat, by the same clock. */
  beatAt: number
  /** The offset of its clock from the store's at that time, in milliseconds; positive if ahead. */
  skewMs: number
  /** Ascending, 0 to 63. */
  slots: readonly number[]
}

export interface Members {
  /** Of this process. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Whether other servers may read and write the store, now or later, so that cached values may be stale. */
  readonly isShared: boolean
  /** The name of the store, for names in a Redis that several installations share. */
  readonly storeId: string
  /**
   * The offset of this machine's clock from the store's at the last comparison, in milliseconds; negative if behind.
   */
  readonly skewMs: number
  /** The living members, including this one, as of the last read. */
  readonly living: ReadonlySet<string>
  /** This process's slots, ascending. */
  readonly slots: readonly number[]
  /** Whether this process owns the work with this id. */
  owns(id: string): boolean
  /**
   * Calls back when members have joined or left, or slots have changed owners. Returns a function that removes the
   * listener.
   */
  onChange(listener: () => void): () => void
  /** All living members, including this one, oldest first, from the store. Throws `StoreUnavailable`. */
  list(): Promise<Member[]>
  /**
   * Reads from the store which servers are alive. Before treating another server as dead, call this after reading that
   * server's rows, because its presence precedes everything that it writes. Throws `StoreUnavailable`.
   */
  look(): Promise<ReadonlySet<string>>
  /** Releases the slots permanently, so that others do their work. This member stays alive. */
  retire(): Promise<void>
  /** Leaves: this member now counts as dead. */
  leave(): Promise<void>
}

const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot)

/** The id of a process. */
export const newProcessId = () => newId('req').slice(4)

/** The only server of a store. */
export class OneMember implements Members {
  readonly id = newProcessId()
  readonly startedAt: number
  readonly isShared = false
  readonly storeId = 'alone'
  readonly skewMs = 0
  readonly living: ReadonlySet<string> = new Set([this.id])
  readonly slots = allSlots

  constructor(
    private readonly clock: { now(): number },
    private readonly version: string,
  ) {
    this.startedAt = clock.now()
  }

  owns(): boolean {
    return true
  }

  onChange(): () => void {
    return () => {}
  }

  async list(): Promise<Member[]> {
    const { id, version, startedAt, slots } = this
    return [{ id, version, startedAt, beatAt: this.clock.now(), skewMs: 0, slots }]
  }

  async look() {
    return this.living
  }

  async retire() {}

  async leave() {}
}
