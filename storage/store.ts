/** The interface of a store, independent of its engine. */
import type { CompiledQuery, Kysely } from 'kysely'
import type { Membership } from './postgres/membership.ts'
import type { Tables } from './tables.ts'

/** A read whose rows have the type `Row`: SQL text, with the parameters in order. */
export interface Query<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Only a type; never set. */
  readonly row?: Row
}

/**
 * The organization whose unit of work it is: units of one organization are committed one after the other, also by servers
 * that share a store. null: none, and it is valid whatever else commits. Undefined: it is committed while no
 * other unit is. It makes no difference to SQLite, which commits all units one after the other.
 */
export type CommitScope = string | null | undefined

/** Of a statement that concerns more than one organization: its unit is committed while no other one is. */
export const everybody = '*'

/**
 * How a statement may be sent with those of other units in one transaction. Units of which all statements say so are mixed:
 * each keeps the order of its own, and none is kept between them. So it says that what they read and change does not depend
 * on each other's, but for sums.
 *
 * - `rows`: inserts rows by values, changes or removes them by their keys, or must find none: one statement for all.
 * - `sums`: adds to the counters in a row, or begins it: one statement for all of the same row.
 * - `apart`: for itself, directly behind the one before it where that is `apart` as well.
 *
 * SQLite, whose statements cost no round trips, adds up `sums`, and leaves the others as they are.
 */
export type Together = 'rows' | 'sums' | 'apart'

/** One statement of a unit of work. */
export interface Write {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** How many rows it must touch; any other number fails the whole unit with `StaleWrite`. */
  readonly rows?: number
  /** What the unit fails with instead, where the statement tells more than a concurrent change. */
  readonly refusal?: () => Error
  /** The run whose long texts the parameters may be: those are stored in pieces, and readers get them whole. */
  readonly textsOf?: string
  /** The organization that its unit belongs to, where the caller of `commit` names none; or `everybody`. */
  readonly of?: string
  /** Left out: nothing of another unit is sent between the statements of its unit. */
  readonly together?: Together
  /** Of those with the same name and text that are sent together one is enough: it looks at what all have changed. */
  readonly once?: string
  /**
   * Called once the unit is durable: a hint for readers of what was written. It must not throw. Of a statement with `once`
   * it may be left out where nothing was touched.
   */
  readonly committed?: () => void
}

/** Anything that Kysely can compile. */
export interface Compilable {
  compile(): CompiledQuery
}

/** How the group-commit writer has done so far. */
export interface WriterStatistics {
  transactions: number
  units: number
  /** Units in the largest transaction. */
  unitsMax: number
}

/**
 * The store for background work. It keeps the pace (`pace.ts`): reads, commits and turns each wait until they may
 * go. So a read names a small limit, and what is committed comes in small units; how many of them share a transaction is
 * the pace's to say.
 */
export interface BackgroundStore extends Pick<Store, 'db' | 'first' | 'all'> {
  /** Commits a unit of work durably, behind those of requests. Throws as `Store.commit` does. */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** For work that goes through others, a few commands to actors for instance: waits for its turn, and rests behind it. */
  turn<Value>(work: () => Promise<Value>): Promise<Value>
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  /** To build queries with, and for reads that are not on a hot path. Writes go through `commit`. */
  readonly db: Kysely<Tables>
  /** The first row, or undefined. */
  first<Row>(query: Query<Row>): Promise<Row | undefined>
  all<Row>(query: Query<Row>): Promise<Row[]>
  /**
   * Commits a unit of work durably: all of its statements or none. Units of one turn of the event loop share a
   * transaction; a failing one does not fail its neighbours. One with long texts (`textsOf`) takes several turns, in which
   * others may overtake it. Throws `StaleWrite`, `UniqueViolation` or `StoreUnavailable`.
   */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** Removes long texts that no row names any more, in small steps. Answers how many. */
  sweepTexts(): Promise<number>
  /** The same store for background work. */
  readonly background: BackgroundStore
  readonly statistics: Readonly<WriterStatistics>
  /** The servers that share the store; undefined where there can be one only. */
  readonly membership?: Membership
  /** Resolves when the store answers; throws `StoreUnavailable` otherwise. */
  ping(): Promise<void>
  /** Commits what is waiting, then closes. */
  close(): Promise<void>
}
