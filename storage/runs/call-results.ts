/** Results of tool calls, stored beside the run until its next attempt takes them over. */
import { insertFrom, rowsOf } from '../rows.ts'
import { together, write } from '../statement.ts'
import type { CallResultRow } from '../tables.ts'

const callResults = rowsOf('call_results', 'run_id', 'tool_call_id')

/** Keeps the first result of a call. */
export const insertCallResult = together('rows', callResults.insertOrKeep())

/** The same for a result that arrives while no attempt holds the run; no row if the run or its content was removed. */
export const keepCallResult = write((db, row: CallResultRow) =>
  insertFrom(
    db,
    'call_results',
    row,
    db.selectFrom('runs').where('id', '=', row.run_id).where('content_removed_at', 'is', null),
  ).onConflict((conflict) => conflict.doNothing()),
)

export const findCallResult = callResults.only('outcome').find()

export const listCallResults = callResults.only('tool_call_id', 'outcome').find('run_id')
