/**
 * The advisory locks of a store that several servers write to. All units of work of one organization commit one after the
 * other, whichever server they come from, so that "an update that must touch no row" means the same as in SQLite; those of
 * different organizations commit side by side. A unit of no organization commits while no other one does.
 */

/** Sets our locks apart from those of others in the database: ASCII `TRPE`. */
const ours = 0x54_52_50_45

const commit = `${ours}, 0`
const membership = `${ours}, 1`
const presence = `${ours}, 2`

const transactionId = 'cast(pg_current_xact_id() as text) as id'

/** Begins a transaction of units that name their organizations; the rest of these lock to the end of the transaction. */
export const lockBeside = `select pg_advisory_xact_lock_shared(${commit}), ${transactionId}`
/** Begins one of units that name none. */
export const lockAll = `select pg_advisory_xact_lock(${commit}), ${transactionId}`
/** `$1`: their ids, a JSON array. In one order everywhere, so that no two transactions wait for each other. */
export const lockOrganizations = `select pg_advisory_xact_lock(key) from
  (select distinct hashtextextended(id, 0) as key from json_array_elements_text(cast(cast($1 as text) as json)) as ids(id) order by 1)
  as ordered`

/** Who joins or leaves the servers of the store; for a transaction. */
export const lockMembership = `select pg_advisory_xact_lock(${membership})`

/** Of which server it is that has the store open. */
const ofMember = ours + 1
/** That the server `$1` is there, as long as its connection lives. */
export const tryToBeMember = `select pg_try_advisory_lock(${ofMember}, hashtext($1)) as is_mine`
/** Whether a connection says so of the server whose id is in this column. */
export const isMemberThere = (id: string) => `exists (select 1 from pg_locks where locktype = 'advisory' and granted
  and database = (select oid from pg_database where datname = current_database())
  and classid = ${ofMember} and objid = cast(cast(hashtext(${id}) as bigint) & 4294967295 as oid) and objsubid = 2)`

/** That a server has the store open, as long as its connection lives: beside others, or alone. */
export const tryToBePresent = (isAlone: boolean) =>
  `select pg_try_advisory_lock${isAlone ? '' : '_shared'}(${presence}) as is_mine`
