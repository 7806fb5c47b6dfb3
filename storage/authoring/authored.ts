/**
 * What the authors of a Project make, Agents and Definitions: each has a name, a description, and revisions that are
 * numbered from 1 and never change. The statements are the same for both, made for the tables of one of them.
 * Source: requirement 1, "Delivery path", 4.9; contract 3.
 */
import { sql } from 'kysely'
import { listByName, type Named, query, write } from '../statement.ts'
import type { Store } from '../store.ts'

/** An Agent or a Definition, named by its path. */
export interface AuthoredKey {
  organizationId: string
  projectId: string
  id: string
}

interface AuthoredList extends Named {
  organizationId: string
  projectId: string
  beforeId: string
  limit: number
}

/** What the statements are made for: `table` and `revisions` are the tables, `owner` says what a revision is one of. */
interface AuthoredTables {
  table: 'agents' | 'definitions'
  revisions: 'agent_revisions' | 'definition_revisions'
  owner: 'agent_id' | 'definition_id'
  /** What it is called by, once in its Project. */
  calledBy: 'slug' | 'name'
}

export const authored = <Row, Revision>({ table, revisions, owner, calledBy }: AuthoredTables) => {
  /** A change of one that is there to stay; where it is not, no row is changed. */
  const change = (db: Store['db'], key: AuthoredKey) =>
    db
      .updateTable(table)
      .where('id', '=', key.id)
      .where('project_id', '=', key.projectId)
      .where('organization_id', '=', key.organizationId)
      .where('status', '=', 'active')

  return {
    change,

    find: query((db, values: AuthoredKey) =>
      db
        .selectFrom(table)
        .selectAll()
        .where('id', '=', values.id)
        .where('project_id', '=', values.projectId)
        .where('organization_id', '=', values.organizationId)
        .$castTo<Row>(),
    ),

    /** Those of a Project before an id, newest first. */
    list: listByName((db, values: AuthoredList, isNamed) =>
      db
        .selectFrom(table)
        .selectAll()
        .where('project_id', '=', values.projectId)
        .where('organization_id', '=', values.organizationId)
        .where('id', '<', values.beforeId)
        .$if(isNamed, (list) => list.where(sql<boolean>`${sql.ref(calledBy)} = ${values.named}`))
        .orderBy('id', 'desc')
        .limit(values.limit)
        .$castTo<Row>(),
    ),

    /** Else `StaleWrite`. */
    describe: write(
      (db, values: AuthoredKey & { description: string | null; at: number }) =>
        change(db, values).set({ description: values.description, updated_at: values.at }),
      1,
    ),

    /** Says which revision is the latest one. Else `StaleWrite`. */
    advance: write(
      (db, values: AuthoredKey & { revisionId: string; at: number }) =>
        change(db, values).set({ latest_revision_id: values.revisionId, updated_at: values.at }),
      1,
    ),

    findRevision: query((db, values: { organizationId: string; id: string; revisionId: string }) =>
      db
        .selectFrom(revisions)
        .selectAll()
        .where('id', '=', values.revisionId)
        .where(owner, '=', values.id)
        .where('organization_id', '=', values.organizationId)
        .$castTo<Revision>(),
    ),

    /** The revisions before a number, newest first. */
    listRevisions: query((db, values: { organizationId: string; id: string; beforeNumber: number; limit: number }) =>
      db
        .selectFrom(revisions)
        .selectAll()
        .where(owner, '=', values.id)
        .where('organization_id', '=', values.organizationId)
        .where('number', '<', values.beforeNumber)
        .orderBy('number', 'desc')
        .limit(values.limit)
        .$castTo<Revision>(),
    ),
  }
}
