/**
 * The servers that share a store, and which of its work each of them does. A store in SQLite has one member, this process,
 * which does everything; so has one in PostgreSQL as long as there is no Redis through which servers could hear each other.
 *
 * Slots spread work and give no right: what a member does is compared with the store at the commit, no matter which other server does the
 * same.
 */
import { newId } from '../../../storage/ids.ts'
import { slotCount } from '../../../storage/slots.ts'

/** A server of the store, as the store knows it. */
export interface Member {
  /** Of its process: a new one at each start. */
  id: string
  /** The version of the program. */
  version: string
  /** Epoch milliseconds, by the store's clock. */
  startedAt: number
  /** When it last said that it lives; likewise. */
  beatAt: number
  /** How far its clock was ahead of the store's then, in milliseconds. */
  skewMs: number
  /** Ascending, 0 to 63. */
  slots: readonly number[]
}

export interface Members {
  /** Of this process. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  /** Whether other servers may read and write the store, now or later: what is in memory may be old then. */
  readonly isShared: boolean
  /** What the store is called by those who share it, for names in a Redis that several installations use. */
  readonly storeId: string
  /** How far this machine's clock is ahead of the store's, in milliseconds, when it was last compared; below 0: behind. */
  readonly skewMs: number
  /** The members that live, this one too; of them only what the last look has shown. */
  readonly living: ReadonlySet<string>
  /** The slots that are this process's, ascending. */
  readonly slots: readonly number[]
  /** Whether this process does the work of what has this id. */
  owns(id: string): boolean
  /** Calls back when other members have come or gone, or slots have changed hands. Returns a function that ends it. */
  onChange(listener: () => void): () => void
  /** All members that live, this one too, oldest first, as the store knows them. Throws `StoreUnavailable`. */
  list(): Promise<Member[]>
  /**
   * Reads from the store which servers are alive. Before taking another server for dead, call this after reading that
   * server's rows, because its presence precedes everything that it writes. Throws `StoreUnavailable`.
   */
  look(): Promise<ReadonlySet<string>>
  /** Gives the slots back for good: others do the work. This one still lives. */
  retire(): Promise<void>
  /** Leaves: whatever it still does is taken for dead. */
  leave(): Promise<void>
}

const allSlots: readonly number[] = Array.from({ length: slotCount }, (_, slot) => slot)

/** The id of a process. */
export const newProcessId = () => newId('req').slice(4)

/** The one server of a store. */
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
