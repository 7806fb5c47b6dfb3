/** The schemas of workflow runs. Source: requirement 4.4; contract 6, `WorkflowRun`. */
import { type Static, Type } from '@sinclair/typebox'
import { type WorkflowRunState, workflowRunStates } from '../../../machines/workflow-run.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { Word } from '../../authoring/definitions/shapes.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import type { By } from '../../runtime/kind.ts'
import { contextOf, outputName, outputOf, paramsName } from './actor.ts'
import { presentStep, WorkflowStep } from './steps/schema.ts'

/** `{P}/workflows` */
export type WorkflowsPath = Static<typeof EnvironmentPath>
/** `{P}/workflows/:workflowRunId` */
export const WorkflowRunPath = Type.Object({ ...EnvironmentPath.properties, workflowRunId: Id('wfr') })
export type WorkflowRunPath = Static<typeof WorkflowRunPath>

const ActorUser = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The user that the run is for, a member of the organization; requires an API key.',
})

/** The query of every request about one run. */
export const ActorQuery = Type.Object({ actorUserId: Type.Optional(ActorUser) })

export const NewWorkflowRun = Type.Object(
  {
    agentId: Id('agt', 'The Agent whose grants, bindings and variables apply to the steps.'),
    definitionIdOrName: Word('A workflow of the active Deployment.', 'refund-order'),
    params: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'The params of the workflow; default `{}`.' }),
    ),
    requestKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[ -~]+$',
        description: 'Identifies the request in the Environment permanently: a repeated request finds the same run.',
      }),
    ),
    actorUserId: Type.Optional(ActorUser),
  },
  { $id: 'NewWorkflowRun', description: 'A run of a workflow.' },
)
export type NewWorkflowRun = Static<typeof NewWorkflowRun>

export const UnknownResolution = Type.Object(
  {
    stepId: Type.String({
      pattern: '^[a-zA-Z0-9_-]{1,64}(?:\\.[0-9]{1,4})?$',
      description: 'The step whose outcome is unknown, or the element of one: `charge-card.3`.',
      examples: ['charge-card'],
    }),
    outcome: Type.Union([
      oneOf(['succeeded', 'failed', 'retry']),
      Type.Object({
        status: Type.Literal('succeeded'),
        output: Type.Unknown({
          description: 'The output of the step, according to the `outputSchema` of its operation.',
        }),
      }),
    ]),
  },
  { $id: 'UnknownResolution', description: 'The outcome of the step, or that it is to be repeated.' },
)
export type UnknownResolution = Static<typeof UnknownResolution>

export const WorkflowRunListQuery = Type.Object({
  ...pageQuery.properties,
  state: Type.Optional(oneOf(workflowRunStates, { description: 'Runs in this state.' })),
  agentId: Type.Optional(Id('agt', 'Runs on behalf of this Agent.')),
  agentJobId: Type.Optional(Id('job', 'Runs started by this job.')),
  parentWorkflowRunId: Type.Optional(
    oneOf(['none'], { description: '`none`: no runs that are a step of another run.' }),
  ),
  actorUserId: Type.Optional(ActorUser),
})
export type WorkflowRunListQuery = Static<typeof WorkflowRunListQuery>

const starterTypes = ['user', 'apiKey', 'workflow', 'agentJob', 'system'] as const satisfies readonly By['type'][]

const summary = {
  workflowRunId: Id('wfr'),
  environmentId: Id('env'),
  deploymentId: Id('dep', 'The Deployment that was active at the start, used for the whole run.'),
  agentId: Id('agt'),
  definitionId: Id('def'),
  definitionRevisionId: Id('dfr'),
  state: oneOf(workflowRunStates, { description: 'The state of its statechart: `GET /api/v1/machines/workflow-run`.' }),
  requestKey: nullable(Type.String()),
  actorUserId: nullable(Type.String()),
  createdBy: Type.Object({ type: oneOf(starterTypes), id: Type.String() }),
  agentJobId: nullable(Id('job', 'The job that started it.')),
  agentRunId: nullable(Id('run', 'The run of an Agent that it is a tool call of.')),
  toolCallId: nullable(Type.String({ description: 'That call.' })),
  parentWorkflowRunId: nullable(Id('wfr', 'The run that it is a step of.')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  endedAt: nullable(Timestamp()),
}

export const WorkflowRun = Type.Object(
  {
    ...summary,
    params: Type.Object({}, { additionalProperties: true }),
    output: Type.Unknown({ description: 'The output of the workflow; null until the run is completed.' }),
    steps: Type.Array(WorkflowStep),
  },
  { $id: 'WorkflowRun', description: 'One run of a workflow.' },
)
export type WorkflowRun = Static<typeof WorkflowRun>

export const WorkflowRunSummary = Type.Object(summary, {
  $id: 'WorkflowRunSummary',
  description: 'A workflow run without its params and outputs.',
})
export type WorkflowRunSummary = Static<typeof WorkflowRunSummary>

export const presentSummary = (row: WorkflowRunRow, context = contextOf(row)): WorkflowRunSummary => ({
  workflowRunId: row.id,
  environmentId: row.environment_id,
  deploymentId: row.deployment_id,
  agentId: row.agent_id,
  definitionId: row.definition_id,
  definitionRevisionId: row.definition_revision_id,
  state: row.state as WorkflowRunState,
  requestKey: row.request_key,
  actorUserId: row.actor_user_id,
  createdBy: { type: row.created_by_type as (typeof starterTypes)[number], id: row.created_by_id },
  agentJobId: row.agent_job_id,
  agentRunId: row.agent_run_id,
  toolCallId: row.tool_call_id,
  parentWorkflowRunId: row.parent_run_id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  endedAt: timestampOrNull(context.endedAt),
})

/**
 * `values`: the stored values of the run by name. Those of later moves are not shown. `children`: runs of its steps, by
 * the step's id.
 */
export function presentWorkflowRun(
  row: WorkflowRunRow,
  values: ReadonlyMap<string, unknown>,
  children: ReadonlyMap<string, string> = new Map(),
): WorkflowRun {
  const context = contextOf(row)
  const { plan, output } = context
  return {
    ...presentSummary(row, context),
    params: (values.get(paramsName) ?? {}) as WorkflowRun['params'],
    output: output === 'rendered' ? (values.get(outputName) ?? null) : null,
    steps: plan.flatMap((step, place) =>
      step.compensates === undefined && step.element === undefined
        ? [presentStep(context, place, outputOf(context, place, values), children)]
        : [],
    ),
  }
}
