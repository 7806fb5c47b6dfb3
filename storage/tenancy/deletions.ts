/** The receipts of removals, which outlive what was removed, and how a removal begins. Source: contract 2, "Deletion". */
import { type ExpressionBuilder, sql } from 'kysely'
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { Tables } from '../tables.ts'

const deletions = rowsOf('deletions', 'id')

export const insertDeletion = deletions.insert()

export const updateDeletion = deletions.move()

/** Any removal, for the runtime; a request looks it up with its organization. */
export const getDeletion = deletions.find()

export const findDeletion = deletions.find('id', 'organization_id')

/** So many more runs are counted, up to this one; null: all are. */
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
/** One more has gone, in the same unit of work. */
export const noteRunRemoved = addRemoved('runs_removed')
export const noteRecordRemoved = addRemoved('records_removed')

/** Removals that ended before an instant, oldest first. */
export const listEndedDeletions = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('deletions')
    .select('id')
    // written as a literal: the text itself has to show that the partial index serves
    .where(sql<boolean>`state = 'deleted'`)
    .where('updated_at', '<', values.before)
    .orderBy('updated_at')
    .limit(values.limit),
)

export const deleteDeletion = deletions.remove()

/** Only of a team's organization that is not being removed yet; else `StaleWrite`. */
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

/** Only while neither it nor its organization is being removed; else `StaleWrite`. */
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

/** Only while neither it nor what it belongs to is being removed; else `StaleWrite`. */
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
