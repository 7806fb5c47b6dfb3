/** The interface of a store, independent of its engine. */
import type { CompiledQuery, Kysely } from 'kysely'
import type { Membership } from './postgres/membership.ts'
import type { Tables } from './tables.ts'

/** A read whose rows have the type `Row`: SQL text and its parameters, in order. */
export interface Query<Row> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** For the type only; never set. */
  readonly row?: Row
}

/**
 * The organization of a unit of work. Units of the same organization commit one after another, even across servers that
 * share a store. null: no organization; the unit conflicts with no other commit. undefined: the unit excludes all other
 * commits. SQLite commits all units one after another, and ignores it.
 */
export type CommitScope = string | null | undefined

/** The scope of a statement that concerns several organizations: its unit excludes all other commits. */
export const everybody = '*'

/**
 * How a statement may be merged with statements of other units in one transaction. Units whose statements may all be
 * merged are interleaved: each unit keeps the order of its own statements, but the order between units is lost. So,
 * apart from sums, the rows that they read and change must be independent.
 *
 * - `rows`: inserts rows, updates or deletes them by key, or must match none: merged into one statement for all.
 * - `sums`: adds to the counters of a row, or inserts it: merged into one statement for each row.
 * - `apart`: sent separately, directly after its predecessor if that is `apart` too.
 *
 * SQLite, whose statements need no round trips, merges only `sums`.
 */
export type Together = 'rows' | 'sums' | 'apart'

/** One statement of a unit of work. */
export interface Write {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The number of rows that it must touch; any other number fails the whole unit with `StaleWrite`. */
  readonly rows?: number
  /** Creates the error to throw instead, if a mismatch means more than a concurrent change. */
  readonly refusal?: () => Error
  /**
   * The run or Deployment to which long texts among the parameters belong. They are stored in pieces; readers get them
   * whole.
   */
  readonly textsOf?: string
  /** The scope of its unit if the caller of `commit` gives none: an organization, or `everybody`. */
  readonly of?: string
  /** Omitted: its unit is not interleaved with others. */
  readonly together?: Together
  /**
   * Of statements with the same `once` and text in a transaction, one is enough: it checks what all of them changed.
   */
  readonly once?: string
  /**
   * Called when the unit is durable, as a hint to readers of the written rows. Must not throw. For a statement with
   * `once`, the call may be omitted if no row was touched.
   */
  readonly committed?: () => void
}

/** Anything that Kysely can compile. */
export interface Compilable {
  compile(): CompiledQuery
}

/** Totals of the group-commit writer. */
export interface WriterStatistics {
  transactions: number
  units: number
  /** The number of units in the largest transaction. */
  unitsMax: number
}

/**
 * The store for background work. Every read, commit and turn waits until the pace (`pace.ts`) lets it run. So reads
 * need a small limit, and units must be small; the pace decides how many of them share a transaction.
 */
export interface BackgroundStore extends Pick<Store, 'db' | 'first' | 'all'> {
  /** Commits a unit of work durably, after those of requests. Throws as `Store.commit` does. */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** Runs work that commits on its own, such as a few commands to actors: waits for its turn, and pauses afterwards. */
  turn<Value>(work: () => Promise<Value>): Promise<Value>
}

export interface Store {
  readonly engine: 'sqlite' | 'postgres'
  /** For building queries, and for reads outside hot paths. Writes go through `commit`. */
  readonly db: Kysely<Tables>
  /** The first row, or undefined. */
  first<Row>(query: Query<Row>): Promise<Row | undefined>
  all<Row>(query: Query<Row>): Promise<Row[]>
  /**
   * Commits a unit of work durably: all of its statements or none. Units that arrive in one turn of the event loop
   * share a transaction; a failing unit does not fail the others. A unit with long texts (`textsOf`) takes several
   * turns, during which other units may overtake it. Throws `StaleWrite`, `UniqueViolation` or `StoreUnavailable`.
   */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** Removes long texts that no row references any more, in small steps. Returns their number. */
  sweepTexts(): Promise<number>
  /** The same store for background work. */
  readonly background: BackgroundStore
  readonly statistics: Readonly<WriterStatistics>
  /** The servers that share the store; undefined if there can only be one. */
  readonly membership?: Membership
  /** Resolves when the store answers; throws `StoreUnavailable` otherwise. */
  ping(): Promise<void>
  /** Commits the waiting units, then closes. */
  close(): Promise<void>
}
