/** Invocations of operations. The row is the actor's: every change of it grows `version`. Source: contract 6. */
import { sql } from 'kysely'
import { withUnit } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { InvocationRow } from '../tables.ts'

// Written as literals: an index on a part of the table serves a query only when the text itself shows that it may.
const isRunning = sql<boolean>`operation_invocations.state = 'running'`

export const insertInvocation = write((db, row: InvocationRow) => db.insertInto('operation_invocations').values(row))

/** What a change of the actor changes in the row, if nobody else has changed it since `from`. */
export interface InvocationUpdate
  extends Pick<
    InvocationRow,
    'id' | 'state' | 'version' | 'machine_version' | 'context' | 'performer' | 'output' | 'error' | 'updated_at'
  > {
  from: number
}

export const updateInvocation = write(
  (db, row: InvocationUpdate) =>
    withUnit(
      db,
      db
        .updateTable('operation_invocations')
        .set({
          state: row.state,
          version: row.version,
          machine_version: row.machine_version,
          context: row.context,
          performer: row.performer,
          output: row.output,
          error: row.error,
          updated_at: row.updated_at,
        })
        .where('id', '=', row.id)
        .where('version', '=', row.from),
    ),
  1,
)

/** Any invocation, for the runtime; a request looks it up with its organization. */
export const getInvocation = query((db, values: { id: string }) =>
  db.selectFrom('operation_invocations').selectAll().where('id', '=', values.id),
)

export const findInvocationOfCall = query((db, values: { runId: string; toolCallId: string }) =>
  db
    .selectFrom('operation_invocations')
    .select(['id', 'state'])
    .where('agent_run_id', '=', values.runId)
    .where('tool_call_id', '=', values.toolCallId),
)

export const findInvocationOfStep = query((db, values: { workflowRunId: string; stepId: string; attempt: number }) =>
  db
    .selectFrom('operation_invocations')
    .select(['id', 'state'])
    .where('workflow_run_id', '=', values.workflowRunId)
    .where('step_id', '=', values.stepId)
    .where('attempt', '=', values.attempt),
)

export const findInvocationOfKey = query(
  (db, values: { environmentId: string; userId: string; idempotencyKey: string }) =>
    db
      .selectFrom('operation_invocations')
      .select(['id', 'request_digest'])
      .where('environment_id', '=', values.environmentId)
      .where('user_id', '=', values.userId)
      .where('idempotency_key', '=', values.idempotencyKey),
)

/** How deep an invocation lies below others. */
export const getInvocationDepth = query((db, values: { id: string }) =>
  db.selectFrom('operation_invocations').select('depth').where('id', '=', values.id),
)

/** The calls of a run that have not ended. */
export const listOpenCalls = query((db, values: { runId: string }) =>
  db
    .selectFrom('operation_invocations')
    .select(['id', 'tool_call_id', 'state'])
    .where('agent_run_id', '=', values.runId)
    .where('state', 'in', ['pending_approval', 'running']),
)

export const listPendingOfRun = query((db, values: { runId: string }) =>
  db
    .selectFrom('operation_invocations')
    .select('id')
    .where('agent_run_id', '=', values.runId)
    .where('state', '=', 'pending_approval'),
)

export const listPendingOfWorkflow = query((db, values: { workflowRunId: string }) =>
  db
    .selectFrom('operation_invocations')
    .select('id')
    .where('workflow_run_id', '=', values.workflowRunId)
    .where('state', '=', 'pending_approval'),
)

/** Invocations under way with another process than this. */
export const listPerformedElsewhere = query((db, values: { performer: string; after: string; limit: number }) =>
  db
    .selectFrom('operation_invocations')
    .select('id')
    .where(isRunning)
    .where('performer', '<>', values.performer)
    .where('id', '>', values.after)
    .orderBy('id')
    .limit(values.limit),
)

/** The invocation at this path, or undefined: absent and foreign look the same. */
export const findInvocation = query((db, values: { organizationId: string; environmentId: string; id: string }) =>
  db
    .selectFrom('operation_invocations')
    .selectAll()
    .where('id', '=', values.id)
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId),
)

/** Where an invocation of the organization lives. */
export const findPlaceOfInvocation = query((db, values: { organizationId: string; id: string }) =>
  db
    .selectFrom('operation_invocations')
    .select(['project_id', 'environment_id', 'agent_id'])
    .where('id', '=', values.id)
    .where('organization_id', '=', values.organizationId),
)

/** What the output of a run was: of the root step of its latest attempt. */
export const getRunOutput = query((db, values: { runId: string }) =>
  db
    .selectFrom('agent_steps')
    .select('output')
    .where('run_id', '=', values.runId)
    .where('parent_agent_step_id', 'is', null)
    .orderBy('agent_step_id', 'desc')
    .limit(1),
)

export const deleteInvocation = write((db, values: { id: string }) =>
  db.deleteFrom('operation_invocations').where('id', '=', values.id),
)
