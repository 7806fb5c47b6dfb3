/** Runs that wait for a person's answer, derived from the run's transitions in the same unit of work. */
import { rowsOf } from '../rows.ts'
import { together, write } from '../statement.ts'

const waitingRuns = rowsOf('waiting_runs', 'run_id')

/** Keeps the row of a run that is already waiting. */
export const insertWaitingRun = together('rows', waitingRuns.insertOrKeep('run_id'))
/** The run waits for another call now. */
export const setWaitingTool = write((db, values: { runId: string; tool: string }) =>
  db.updateTable('waiting_runs').set({ tool: values.tool }).where('run_id', '=', values.runId),
)
export const removeWaitingRun = together('rows', waitingRuns.remove())
