/** Agent steps. */
import { rowsOf } from '../rows.ts'
import { query, together, write, writeTexts } from '../statement.ts'
import type { Store } from '../store.ts'
import type { AgentStepRow } from '../tables.ts'

const agentSteps = rowsOf('agent_steps', 'agent_step_id')

export const insertStep = together(
  'rows',
  writeTexts(
    (db, row: AgentStepRow) => db.insertInto('agent_steps').values(row),
    ({ run_id }) => run_id,
  ),
)

export const updateStep = together(
  'rows',
  writeTexts(
    (db, row: AgentStepRow) =>
      db
        .updateTable('agent_steps')
        .set({
          status: row.status,
          execution: row.execution,
          token_usage: row.token_usage,
          cost: row.cost,
          output: row.output,
          error: row.error,
          last_checkpoint_id: row.last_checkpoint_id,
          ended_at: row.ended_at,
          updated_at: row.updated_at,
        })
        .where('agent_step_id', '=', row.agent_step_id),
    ({ run_id }) => run_id,
  ),
)

/** Sets the last checkpoint of an ended step. */
export const noteCheckpoint = together(
  'rows',
  write((db, values: { agentStepId: number; checkpointId: number }) =>
    db
      .updateTable('agent_steps')
      .set({ last_checkpoint_id: values.checkpointId })
      .where('agent_step_id', '=', values.agentStepId),
  ),
)

export const getStep = agentSteps.find('agent_step_id', 'run_id')

/** The steps of a run with these ids. */
export const listStepsById = (store: Store, runId: string, ids: readonly number[]): Promise<AgentStepRow[]> =>
  store.db.selectFrom('agent_steps').selectAll().where('agent_step_id', 'in', ids).where('run_id', '=', runId).execute()

/** Open steps, in the order in which they started. */
export const listOpenSteps = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .selectAll()
    .where('run_id', '=', values.runId)
    .where('status', 'in', ['running', 'waiting'])
    .orderBy('sequence')
    .orderBy('agent_step_id'),
)

/** All steps of one kind, such as tool calls, oldest first. */
export const listStepsOfKind = query((db, values: { runId: string; kind: AgentStepRow['kind'] }) =>
  db
    .selectFrom('agent_steps')
    .selectAll()
    .where('run_id', '=', values.runId)
    .where('kind', '=', values.kind)
    .orderBy('sequence')
    .orderBy('agent_step_id'),
)

/** The token usage (JSON) of the run's ended attempts, which are steps of kind `agent`. */
export const usageOfEndedAttempts = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select(['agent_step_id', 'token_usage'])
    .where('run_id', '=', values.runId)
    .where('kind', '=', 'agent')
    .where('ended_at', 'is not', null),
)

/** The output of the run in this attempt, or in the last one before it. */
export const getOutputOfAttempt = query((db, values: { runId: string; attempt: number }) =>
  db
    .selectFrom('agent_steps')
    .select('output')
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', 'is', null)
    .where('attempt', '<=', values.attempt)
    .orderBy('attempt', 'desc')
    .limit(1),
)

/** Sets the usage and cost of an ended step, if its usage is still `was`; otherwise `StaleWrite`. */
export const meterEndedStep = write(
  (db, values: { agentStepId: number; was: string; token_usage: string; cost: string | null }) =>
    db
      .updateTable('agent_steps')
      .set({ token_usage: values.token_usage, cost: values.cost })
      .where('agent_step_id', '=', values.agentStepId)
      .where('token_usage', '=', values.was),
  1,
)
