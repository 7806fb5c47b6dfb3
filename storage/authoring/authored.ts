/**
 * Statements shared by Agents and Definitions: both have a name, a description, and immutable revisions numbered from
 * 1. Source: requirement 1, "Delivery path", 4.9; contract 3.
 */
import { write } from '../statement.ts'
import type { Store } from '../store.ts'

/** The path of an Agent or a Definition. */
export interface AuthoredKey {
  organizationId: string
  projectId: string
  id: string
}

export const authored = (table: 'agents' | 'definitions') => {
  /** An update of a resource that is not being deleted; otherwise it changes no row. */
  const change = (db: Store['db'], key: AuthoredKey) =>
    db
      .updateTable(table)
      .where('id', '=', key.id)
      .where('project_id', '=', key.projectId)
      .where('organization_id', '=', key.organizationId)
      .where('status', '=', 'active')

  return {
    change,

    /** `StaleWrite` if the resource is being deleted. */
    describe: write(
      (db, values: AuthoredKey & { description: string | null; at: number }) =>
        change(db, values).set({ description: values.description, updated_at: values.at }),
      1,
    ),

    /** Sets the latest revision. `StaleWrite` if the resource is being deleted. */
    advance: write(
      (db, values: AuthoredKey & { revisionId: string; at: number }) =>
        change(db, values).set({ latest_revision_id: values.revisionId, updated_at: values.at }),
      1,
    ),
  }
}
