/** Runs that wait for a person's answer, derived from the run's transitions in the same unit of work. */
import { rowsOf } from '../rows.ts'
import { together } from '../statement.ts'

const waitingRuns = rowsOf('waiting_runs', 'run_id')

/** Keeps the row of a run that is already waiting. */
export const insertWaitingRun = together('rows', waitingRuns.insertOrKeep('run_id'))
export const removeWaitingRun = together('rows', waitingRuns.remove())
