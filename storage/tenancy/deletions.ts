/**
 * The receipts of deletions, which outlive the deleted resources, and the statements that start a deletion. Source:
 * contract 2, "Deletion".
 */
import { type ExpressionBuilder, sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

const deletions = rowsOf('deletions', 'id')

export const insertDeletion = deletions.insert()

export const updateDeletion = deletions.move()

/** Any deletion, for the runtime; requests also filter by organization. */
export const getDeletion = deletions.find()

export const findDeletion = deletions.find('id', 'organization_id')

/** Adds to the number of counted runs; `to` is the id of the last one, or null once all are counted. */
export const noteCounted = write((db, values: { id: string; runs: number; to: string | null }) =>
  db
    .updateTable('deletions')
    .set(({ eb }) => ({ runs_counted: eb('runs_counted', '+', values.runs), counted_to: values.to }))
    .where('id', '=', values.id),
)

const addRemoved = (column: 'runs_removed' | 'records_removed') =>
  write((db, values: { id: string }) =>
    db
      .updateTable('deletions')
      .set({ [column]: sql<number>`${sql.ref(column)} + 1` })
      .where('id', '=', values.id),
  )
/** Counts one removed run or record, in the unit of work that removes it. */
export const noteRunRemoved = addRemoved('runs_removed')
export const noteRecordRemoved = addRemoved('records_removed')

/** Deletions that ended before this time, oldest first. */
export const listEndedDeletions = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('deletions')
    .select('id')
    // A literal: a partial index serves a query only if the text implies the index's condition.
    .where(sql<boolean>`state = 'deleted'`)
    .where('updated_at', '<', values.before)
    .orderBy('updated_at')
    .limit(values.limit),
)

export const deleteDeletion = deletions.remove()

/** Starts deleting an organization; `StaleWrite` unless it is an active team organization. */
export const markOrganizationDeleting = write(
  (db, values: { id: string; at: number }) =>
    db
      .updateTable('organizations')
      .set({ status: 'deleting', updated_at: values.at })
      .where('id', '=', values.id)
      .where('kind', '=', 'team')
      .where('status', '=', 'active'),
  1,
)

const organizationStays = (
  { exists, selectFrom }: ExpressionBuilder<Tables, 'projects' | 'agents'>,
  organizationId: string,
) => exists(selectFrom('organizations').select('id').where('id', '=', organizationId).where('status', '=', 'active'))

/** Starts deleting a Project; `StaleWrite` if it or its organization is already being deleted. */
export const markProjectDeleting = write(
  (db, values: { organizationId: string; id: string; at: number }) =>
    db
      .updateTable('projects')
      .set({ status: 'deleting', updated_at: values.at })
      .where('id', '=', values.id)
      .where('organization_id', '=', values.organizationId)
      .where('status', '<>', 'deleting')
      .where((builder) => organizationStays(builder as never, values.organizationId)),
  1,
)

/** Starts deleting an Agent; `StaleWrite` if it, its Project or its organization is already being deleted. */
export const markAgentDeleting = write(
  (db, values: { organizationId: string; projectId: string; id: string; at: number }) =>
    db
      .updateTable('agents')
      .set({ status: 'deleting', updated_at: values.at })
      .where('id', '=', values.id)
      .where('project_id', '=', values.projectId)
      .where('organization_id', '=', values.organizationId)
      .where('status', '=', 'active')
      .where((builder) => organizationStays(builder as never, values.organizationId))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('projects').select('id').where('id', '=', values.projectId).where('status', '<>', 'deleting'),
        ),
      ),
  1,
)
