/** Bulk actions, and the runs that each has yet to process. Source: contract 14, "Bulk". */
import { sql } from 'kysely'
import { activeOrganization } from '../active-parents.ts'
import { insertFrom, rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { BulkActionRow } from '../tables.ts'

const actions = rowsOf('bulk_actions', 'id')
const pieces = rowsOf('bulk_action_pieces', 'bulk_action_id', 'piece')
const marks = rowsOf('bulk_action_marks', 'bulk_action_id', 'agent_run_id')

// Literals, not parameters: a partial index serves a query only if the query text implies the index's condition.
const isRunning = sql<boolean>`state = 'running'`
const runningActions = actions.where(() => isRunning)
const isOver = sql<boolean>`state <> 'running'`

/** Inserts an action if the organization is active with fewer than `runningMax` running ones; else `StaleWrite`. */
export const insertBulkAction = write(
  (db, { runningMax, ...row }: BulkActionRow & { runningMax: number }) =>
    insertFrom(
      db,
      'bulk_actions',
      row,
      activeOrganization(db, row).where(runningActions.fewerThan(runningMax, 'organization_id', row.organization_id)),
    ),
  1,
)

export const updateBulkAction = actions.move()

/** Any action, for the runtime; a request looks it up with its organization. */
export const getBulkAction = actions.find()
export const findBulkAction = actions.find('id', 'organization_id')
export const countRunningBulkActions = runningActions.count('organization_id')
export const deleteBulkAction = actions.remove()

/** Actions that ended before a time, oldest first. */
export const listEndedBulkActions = query((db, values: { before: number; limit: number }) =>
  db
    .selectFrom('bulk_actions')
    .select('id')
    .where(isOver)
    .where('updated_at', '<', values.before)
    .orderBy('updated_at')
    .limit(values.limit),
)

export const insertBulkPiece = pieces.insert()
export const findBulkPiece = pieces.only('runs').find()
export const deleteBulkPiece = pieces.remove()

/** Pieces whose action is older than an id and not running: it was canceled, or never began. */
export const listLeftPieces = query((db, values: { before: string; limit: number }) =>
  db
    .selectFrom('bulk_action_pieces as left')
    .select(['bulk_action_id', 'piece'])
    .where('bulk_action_id', '<', values.before)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('bulk_actions')
            .select('bulk_actions.id')
            .whereRef('bulk_actions.id', '=', 'left.bulk_action_id')
            .where(isRunning),
        ),
      ),
    )
    .limit(values.limit),
)

/** Once per run; `UniqueViolation` if repeated. */
export const insertBulkMark = marks.insert()
export const listBulkMarks = marks.only('agent_run_id').find('bulk_action_id')
export const deleteBulkMarks = marks.remove('bulk_action_id')
