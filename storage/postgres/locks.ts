/**
 * The advisory locks of a store with several servers. Units of work of the same organization commit one after the
 * other, on whichever server, so that "an update that must touch no row" means the same as in SQLite; those of
 * different organizations commit concurrently. A unit with an undefined scope excludes all other commits.
 */

/** Separates our locks from others in the database: ASCII `TRPE`. */
const ours = 0x54_52_50_45

const membership = `${ours}, 1`
const presence = `${ours}, 2`

/**
 * Begins a transaction of units: takes its locks, which last until its end, and writes its connection's mark (`$2` and
 * `$3`). `$1`: the ids of the organizations as a JSON array; null: the units exclude all other commits. Returns the
 * transaction's id. Defined by the migration 0107.
 */
export const beginCommit = 'select begin_commit($1, $2, $3) as id'

/** Serializes changes of the membership until the end of the transaction. */
export const lockMembership = `select pg_advisory_xact_lock(${membership})`

/** The class of the locks that identify the servers with the store open. */
const ofMember = ours + 1
/** Marks the server `$1` as present until its connection ends. */
export const tryToBeMember = `select pg_try_advisory_lock(${ofMember}, hashtext($1)) as is_mine`
/** Whether the server whose id is in this column is marked as present. */
export const isMemberThere = (id: string) => `exists (select 1 from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${ofMember} and objid = cast(cast(hashtext(${id}) as bigint) & 4294967295 as oid) and objsubid = 2)`

/** Marks the store as open until the connection ends: shared with others, or exclusively. */
export const tryToBePresent = (isAlone: boolean) =>
  `select pg_try_advisory_lock${isAlone ? '' : '_shared'}(${presence}) as is_mine`
