/**
 * The advisory locks of a store with several servers. Units of work of the same organization commit one after the
 * other, on whichever server, so that "an update that must touch no row" means the same as in SQLite; those of
 * different organizations commit concurrently. A unit with an undefined scope excludes all other commits.
 */

/** Separates our locks from others in the database: ASCII `TRPE`. */
const ours = 0x54_52_50_45

const commit = `${ours}, 0`
const membership = `${ours}, 1`
const presence = `${ours}, 2`

const transactionId = 'cast(pg_current_xact_id() as text) as id'

/**
 * Taken first in a transaction of units that need not exclude all other commits. Both locks, and those of the
 * organizations, last until the end of the transaction.
 */
export const lockBeside = `select pg_advisory_xact_lock_shared(${commit}), ${transactionId}`
/** Taken first in a transaction of units that exclude all other commits. */
export const lockAll = `select pg_advisory_xact_lock(${commit}), ${transactionId}`
/** `$1`: the organizations' ids as a JSON array. Takes the locks in a fixed order, which rules out deadlocks. */
export const lockOrganizations = `select pg_advisory_xact_lock(key) from
  (select distinct hashtextextended(id, 0) as key from json_array_elements_text(cast(cast($1 as text) as json)) as ids(id) order by 1)
  as ordered`

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
