/** Workflow runs. The row is the actor's: every change increases `version`. Source: requirement 4.4; contract 6. */
import { sql } from 'kysely'
import { isNull } from '../by-engine.ts'
import { perFilters } from '../per-filters.ts'
import { rowsOf } from '../rows.ts'
import type { DeletionTarget } from '../runs/run-removal.ts'
import { admission, noneGoing } from '../runs/runs.ts'
import { rare } from '../sqlite/fragments.ts'
import { query, write } from '../statement.ts'
import type { BackgroundStore, Store, Write } from '../store.ts'
import type { WorkflowRunRow } from '../tables.ts'
import { runIsCanceled, stepIsWanted } from './wanted-invocations.ts'

const workflowValues = rowsOf('workflow_values', 'workflow_run_id', 'name')
const workflowRuns = rowsOf('workflow_runs', 'id')

/** A literal: a partial index serves a query only if the text implies the index's condition. */
export const isLiveWorkflowRun = sql<boolean>`state in ('running', 'waiting', 'unknown', 'canceling')`
const isToTell = sql<boolean>`state in ('running', 'waiting', 'unknown')`

const isNoChild = sql<boolean>`parent_run_id is null`

/** The same beside other tables. */
const mayBeCanceled = sql<boolean>`workflow_runs.state in ('running', 'waiting', 'unknown')`

const insertRun = workflowRuns.insert()

/**
 * Inserts a run. `StaleWrite` as for agent runs (`admitRun`), `UniqueViolation` if the Environment has a run with this
 * `request_key`, or the attempt of the step, or the call of a run, has its run. A child needs no more than a run above
 * that is not canceled.
 */
export const admitWorkflowRun = (store: { db: Store['db'] }, row: WorkflowRunRow): Write[] => [
  ...admissionOf(store, row),
  insertRun(store, row),
]

/** A child, or the call of a run, is part of a run that was admitted: only that has to be live. */
function admissionOf(store: { db: Store['db'] }, row: WorkflowRunRow): Write[] {
  if (row.parent_run_id !== null) return [stepIsWanted(store, { workflowRunId: row.parent_run_id })]
  return row.agent_run_id !== null ? [noneGoing(store, row)] : admission(store, row)
}

/** The workflow run of a call of a run. */
export const findWorkflowRunOfCall = workflowRuns.only('id').find('agent_run_id', 'tool_call_id')

/** Workflow runs of a run that may be canceled, of calls made before the run was canceled or expired. */
export const listWorkflowRunsToAbortOfRun = query((db, values: { runId: string; limit: number }) =>
  db
    .selectFrom('workflow_runs')
    .innerJoin('runs', 'runs.id', 'workflow_runs.agent_run_id')
    .select('workflow_runs.id')
    .where('workflow_runs.agent_run_id', '=', values.runId)
    .where(mayBeCanceled)
    .where(({ or, exists, selectFrom }) =>
      or([
        runIsCanceled,
        exists(
          selectFrom('run_inputs')
            .select('run_inputs.chain')
            .whereRef('run_inputs.run_id', '=', 'workflow_runs.agent_run_id')
            .whereRef('run_inputs.chain', '>', 'workflow_runs.run_chain'),
        ),
      ]),
    )
    .orderBy('workflow_runs.tool_call_id')
    .limit(values.limit),
)

/** Workflow runs that may be canceled, of calls of runs that are canceled, are being canceled or have expired. */
export const listWorkflowRunsToAbort = query((db, values: { after: string; limit: number }) =>
  db
    .selectFrom('workflow_runs')
    .innerJoin('runs', 'runs.id', 'workflow_runs.agent_run_id')
    .select('workflow_runs.id')
    .where('workflow_runs.agent_run_id', 'is not', null)
    .where(mayBeCanceled)
    .where(runIsCanceled)
    .where('workflow_runs.id', '>', values.after)
    .orderBy('workflow_runs.id')
    .limit(values.limit),
)

/** The child of a step's attempt. */
export const findChildWorkflowRun = query(
  (db, values: { parentRunId: string; parentStepId: string; parentAttempt: number }) =>
    db
      .selectFrom('workflow_runs')
      .select('id')
      .where('parent_run_id', '=', values.parentRunId)
      .where('parent_step_id', '=', values.parentStepId)
      .where('parent_attempt', '=', values.parentAttempt),
)

/** The children of a run, by step and attempt. */
export const listChildWorkflowRuns = query((db, values: { parentRunId: string; limit: number }) =>
  db
    .selectFrom('workflow_runs')
    .select(['id', 'parent_step_id', 'parent_attempt'])
    .where('parent_run_id', '=', values.parentRunId)
    .orderBy('parent_step_id')
    .orderBy('parent_attempt')
    .limit(values.limit)
    .$castTo<{ id: string; parent_step_id: string; parent_attempt: number }>(),
)

export const updateWorkflowRun = workflowRuns.move('trace')

export const insertWorkflowValue = workflowValues.insert()
export const deleteWorkflowValue = workflowValues.remove()

/** The parameters of a run, and its output so far. */
export const listWorkflowValues = query((db, values: { runId: string }) =>
  db.selectFrom('workflow_values').select(['name', 'value']).where('workflow_run_id', '=', values.runId),
)

/** Any run, for the runtime; requests also filter by organization. */
export const getWorkflowRun = workflowRuns.find()

/** The run at this path; undefined if it does not exist or belongs elsewhere. */
export const findWorkflowRun = workflowRuns.find('id', 'environment_id', 'project_id', 'organization_id')

/** The run that was started with this key. */
export const findRequestedWorkflowRun = workflowRuns.find('environment_id', 'request_key', 'organization_id')

/** The Project, Environment and Agent of a run in the organization. */
export const findPlaceOfWorkflowRun = workflowRuns
  .where(({ eb }) => eb('actor_user_id', 'is', null))
  .only('project_id', 'environment_id', 'agent_id')
  .find('id', 'organization_id')

interface WorkflowRunsFilter {
  organizationId: string
  environmentId: string
  /** null for all. */
  state: string | null
  agentId: string | null
  agentJobId: string | null
  /** Without the runs that are steps of others; null: with them. */
  withoutChildren: true | null
  /** null for runs without a named user. */
  actorUserId: string | null
  before: string
  limit: number
}

/** Each combination of filters is served by its own index. */
const lists = perFilters(['state', 'agent_id', 'withoutChildren'], (by) =>
  query((db, values: Omit<WorkflowRunsFilter, 'agentId' | 'agentJobId'> & { agent_id: string | null }) =>
    db
      .selectFrom('workflow_runs')
      .selectAll()
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.before)
      .where(sql<boolean>`actor_user_id is not distinct from ${values.actorUserId}`)
      .where(({ and, eb }) =>
        and(by.map((each) => (each === 'withoutChildren' ? isNoChild : rare(db, eb(each, '=', values[each]))))),
      )
      .orderBy('id', 'desc')
      .limit(values.limit),
  ),
)

/** The runs of one job, none of them a child, which are few enough for the other filters to need no index. */
const listWorkflowRunsOfJob = query((db, values: WorkflowRunsFilter & { agentJobId: string }) =>
  db
    .selectFrom('workflow_runs')
    .selectAll()
    .where('agent_job_id', '=', values.agentJobId)
    .where('environment_id', '=', values.environmentId)
    .where('organization_id', '=', values.organizationId)
    .where('id', '<', values.before)
    .where(sql<boolean>`actor_user_id is not distinct from ${values.actorUserId}`)
    .where(({ or, eb }) => or([eb('state', '=', values.state), isNull(values.state)]))
    .where(({ or, eb }) => or([eb('agent_id', '=', values.agentId), isNull(values.agentId)]))
    .orderBy('id', 'desc')
    .limit(values.limit),
)

/** Newest first, ids below `before`. */
export function listWorkflowRuns(store: { db: Store['db'] }, filter: WorkflowRunsFilter) {
  const { agentId, agentJobId, ...others } = filter
  if (agentJobId !== null) return listWorkflowRunsOfJob(store, { ...filter, agentJobId })
  const values = { ...others, agent_id: agentId }
  return lists(values)(store, values)
}

/** Live runs of the Agent. */
export const listLiveWorkflowRunsOfAgent = query(
  (db, values: { organizationId: string; agentId: string; limit: number }) =>
    db
      .selectFrom('workflow_runs')
      .select('id')
      .where('organization_id', '=', values.organizationId)
      .where('agent_id', '=', values.agentId)
      .where(isLiveWorkflowRun)
      .limit(values.limit),
)

/** Fails the unit of work with `StaleWrite` if the Agent has a live workflow run or does not exist. */
export const agentWithoutLiveWorkflowRuns = write(
  (db, values: { organizationId: string; agentId: string }) =>
    db
      .updateTable('agents')
      .set((eb) => ({ updated_at: eb.ref('updated_at') }))
      .where('id', '=', values.agentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('workflow_runs')
              .select('workflow_runs.id')
              .where('workflow_runs.organization_id', '=', values.organizationId)
              .where('workflow_runs.agent_id', '=', values.agentId)
              .where(isLiveWorkflowRun),
          ),
        ),
      ),
  1,
)

const listToTell = query(
  (db, values: { organizationId: string; projectId: string | null; agentId: string | null; limit: number }) =>
    db
      .selectFrom('workflow_runs')
      .select('id')
      .where('organization_id', '=', values.organizationId)
      .where(({ or, eb }) => or([eb('project_id', '=', values.projectId), isNull(values.projectId)]))
      .where(({ or, eb }) => or([eb('agent_id', '=', values.agentId), isNull(values.agentId)]))
      // the partial index of live runs serves a query only if the text implies its condition
      .where(isLiveWorkflowRun)
      .where(isToTell)
      .limit(values.limit),
)

/** Live runs that are not being canceled yet, up to `limit`. */
export async function workflowRunsToCancel(
  store: BackgroundStore,
  { target, id, organizationId }: DeletionTarget,
  limit: number,
): Promise<string[]> {
  const found = await store.all(
    listToTell(store, {
      organizationId,
      projectId: target === 'project' ? id : null,
      agentId: target === 'agent' ? id : null,
      limit,
    }),
  )
  return found.map((run) => run.id)
}
