/**
 * The advisory locks of a store with several servers. Units of work of the same organization commit one after the other,
 * at whichever server, so that "an update that must touch no row" means the same as in SQLite; those of different
 * organizations commit concurrently. A unit without an organization excludes all other commits.
 */

/** Separates our locks from others in the database: ASCII `TRPE`. */
const ours = 0x54_52_50_45

const commit = `${ours}, 0`
const membership = `${ours}, 1`
const presence = `${ours}, 2`

const transactionId = 'cast(pg_current_xact_id() as text) as id'

/** Begins a transaction of units with organizations. All of these locks last until the end of the transaction. */
export const lockBeside = `select pg_advisory_xact_lock_shared(${commit}), ${transactionId}`
/** Begins a transaction of units without an organization. */
export const lockAll = `select pg_advisory_xact_lock(${commit}), ${transactionId}`
/** `$1`: the organizations' ids, a JSON array. Locks in a fixed order, which excludes deadlocks. */
export const lockOrganizations = `select pg_advisory_xact_lock(key) from
  (select distinct hashtextextended(id, 0) as key from json_array_elements_text(cast(cast($1 as text) as json)) as ids(id) order by 1)
  as ordered`

/** Serializes changes of the membership, for the length of a transaction. */
export const lockMembership = `select pg_advisory_xact_lock(${membership})`

/** The class of the locks that identify a server with the store open. */
const ofMember = ours + 1
/** Marks the server `$1` as present as long as its connection lives. */
export const tryToBeMember = `select pg_try_advisory_lock(${ofMember}, hashtext($1)) as is_mine`
/** Whether the server whose id is in this column is marked as present. */
export const isMemberThere = (id: string) => `exists (select 1 from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${ofMember} and objid = cast(cast(hashtext(${id}) as bigint) & 4294967295 as oid) and objsubid = 2)`

/** Marks the store as open as long as the connection lives: shared with others, or exclusively. */
export const tryToBePresent = (isAlone: boolean) =>
  `select pg_try_advisory_lock${isAlone ? '' : '_shared'}(${presence}) as is_mine`
