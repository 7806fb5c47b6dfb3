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
 * The organization of a unit of work. Units of the same organization commit one after the other, also across servers that
 * share a store. null: none; the unit is valid whatever else commits. Undefined: the unit excludes all other commits.
 * SQLite, which commits all units one after the other, ignores it.
 */
export type CommitScope = string | null | undefined

/** The scope of a statement that concerns several organizations: its unit excludes all other commits. */
export const everybody = '*'

/**
 * How a statement may be combined with statements of other units in one transaction. If all statements of some units may,
 * the units are mixed: each keeps its own order, but their order among each other is lost. So apart from sums, what they read
 * and change must be independent.
 *
 * - `rows`: inserts rows, changes or removes them by key, or must find none: one statement for all.
 * - `sums`: adds to the counters in a row, or creates it: one statement for each row.
 * - `apart`: sent separately, directly after its predecessor if that is `apart`, too.
 *
 * SQLite, whose statements need no round trips, combines only `sums`.
 */
export type Together = 'rows' | 'sums' | 'apart'

/** One statement of a unit of work. */
export interface Write {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The number of rows that it must touch; any other number fails the whole unit with `StaleWrite`. */
  readonly rows?: number
  /** Creates the error to fail with instead, if the statement detects more than a concurrent change. */
  readonly refusal?: () => Error
  /** The run whose long texts the parameters may be. Those are stored in pieces; readers get them whole. */
  readonly textsOf?: string
  /** The organization of its unit, if the caller of `commit` names none; or `everybody`. */
  readonly of?: string
  /** Omitted: its unit is not mixed with others. */
  readonly together?: Together
  /** Of statements with the same name and text in a transaction, one is enough: it checks what all of them changed. */
  readonly once?: string
  /**
   * Called when the unit is durable: a hint for readers of what was written. Must not throw. For a statement with `once`, the
   * call may be omitted if no row was touched.
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
 * The store for background work. It keeps the pace (`pace.ts`): each read, commit and turn waits until it may run. So reads
 * must have a small limit, and units must be small; the pace decides how many of them share a transaction.
 */
export interface BackgroundStore extends Pick<Store, 'db' | 'first' | 'all'> {
  /** Commits a unit of work durably, after those of requests. Throws as `Store.commit` does. */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** Runs work that commits by itself, such as a few commands to actors: waits for its turn, and pauses after it. */
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
   * Commits a unit of work durably: all of its statements or none. Units of one turn of the event loop share a
   * transaction; a failing unit does not fail the others. A unit with long texts (`textsOf`) takes several turns, in which
   * others may overtake it. Throws `StaleWrite`, `UniqueViolation` or `StoreUnavailable`.
   */
  commit(unit: readonly Write[], scope?: CommitScope): Promise<void>
  /** Removes long texts that no row refers to any more, in small steps. Returns their number. */
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
