/**
 * What the authors of a Project make, Agents and Definitions: each has a name, a description, and revisions that are
 * numbered from 1 and never change. The changes are the same for both, made for the table of one of them.
 * Source: requirement 1, "Delivery path", 4.9; contract 3.
 */
import { write } from '../statement.ts'
import type { Store } from '../store.ts'

/** An Agent or a Definition, named by its path. */
export interface AuthoredKey {
  organizationId: string
  projectId: string
  id: string
}

export const authored = (table: 'agents' | 'definitions') => {
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
  }
}
