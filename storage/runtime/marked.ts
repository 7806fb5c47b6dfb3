/**
 * Resources with versions are marked as deleted, which takes one small unit of work, and their versions are removed in
 * the background. A marked one has the status `deleting`, and no statement finds it, except those that remove it.
 * Source: contract 9, "Background work".
 */
import { type RawBuilder, sql } from 'kysely'

/**
 * The columns of a marked resource. Its name is free for another one: none that a client can choose has a line break.
 * The type of the status is that of the rows that are found.
 */
export const marked = { status: sql<'active'>`'deleting'`, name: sql<string>`id || ${sql.lit('\n')}` }

/** The same for one that can be bound to an Agent, which does not take it along any more, and whose key is free. */
export const markedAndUnbound = { ...marked, agent_id: null, binding_key: null }

/** Condition: the resource is not marked. `table` is the table of the resource, or its alias. */
export const unmarked = (table: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${table}.status`)} <> 'deleting'`
