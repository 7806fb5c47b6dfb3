/** The schemas of agent jobs. Source: requirement 2, 5; contract 6, `AgentJob`. */
import { type Static, Type } from '@sinclair/typebox'
import { firingOutcomes, overlaps } from '../../../machines/agent-job.ts'
import type { AgentJobRow, JobFiringRow } from '../../../storage/tables.ts'
import { Word } from '../../authoring/definitions/shapes.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, Name, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { AgentRun } from '../../runs/schema.ts'
import { WorkflowRun } from '../workflows/schema.ts'
import { nextTick } from './schedule.ts'

/** `{P}/agent-jobs/:jobId` */
export const JobPath = Type.Object({ ...EnvironmentPath.properties, jobId: Id('job') })
export type JobPath = Static<typeof JobPath>

const Cron = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Minute, hour, day of the month, month, day of the week: numbers and names, with `*`, lists, ranges and steps. If ' +
    'both kinds of days are given, either one matches.',
  examples: ['30 7 * * MON-FRI'],
})
const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone.',
  examples: ['Europe/Berlin'],
})
const Query = Type.String({
  minLength: 1,
  maxLength: 100_000,
  description: 'The query sent to the Agent at each tick.',
})
const Workflow = Word('The workflow that each tick starts, by name.', 'refund-order')
const Params = Type.Object(
  {},
  {
    additionalProperties: true,
    description: 'The params of the workflow: at most 100,000 characters as JSON. Each tick checks them.',
  },
)
const Enabled = Type.Boolean({ description: 'Whether it runs on its schedule.' })
const Overlap = oneOf(overlaps, {
  description: 'The rule for a tick while a run of the job is active: `skip` it, or `allow` another run.',
})

const Firing = Type.Object(
  {
    scheduledFor: Timestamp('The planned time.'),
    firedAt: Timestamp('When the server handled it.'),
    outcome: oneOf(firingOutcomes, {
      description:
        '`missed`: the server was down until a later tick was due or an hour had passed; `failed`: the run could not be ' +
        'started.',
    }),
    agentRunId: nullable(Id('run')),
    workflowRunId: nullable(Id('wfr', 'The run of the workflow, if the job starts one.')),
  },
  { $id: 'AgentJobFiring', description: 'The outcome of a tick.' },
)

export const AgentJob = Type.Object(
  {
    id: Id('job'),
    environmentId: Id('env'),
    agentId: Id('agt'),
    name: Name(),
    schedule: Type.Object({ cron: Cron, timezone: Timezone }),
    query: nullable({ ...Query, description: `${Query.description} null: it starts a workflow.` }),
    workflow: nullable(Workflow),
    params: nullable(Params),
    enabled: Enabled,
    nextRunAt: nullable(Timestamp('The next tick; null while disabled.')),
    lastFirings: Type.Array(Firing, { maxItems: 20, description: 'The last ticks, latest first.' }),
    overlap: Overlap,
    createdAt: Timestamp(),
    updatedAt: Timestamp('The last change by a client; ticks do not count.'),
  },
  {
    $id: 'AgentJob',
    description: 'A query that is sent to an Agent, or a workflow that is started on its behalf, on a schedule.',
  },
)
export type AgentJob = Static<typeof AgentJob>

export const NewJob = Type.Object(
  {
    agentId: Id('agt', 'An Agent of the Project; a workflow runs on its behalf.'),
    name: Name(),
    schedule: Type.Object({
      cron: Cron,
      timezone: Type.Optional(Type.String({ ...Timezone, description: 'IANA time zone; default `UTC`.' })),
    }),
    query: Type.Optional({ ...Query, description: `${Query.description} Required without a \`workflow\`.` }),
    workflow: Type.Optional({
      ...Workflow,
      description: 'The workflow of the Project that each tick starts, by name or id, in place of a `query`.',
    }),
    params: Type.Optional({ ...Params, description: `${Params.description} Default \`{}\`.` }),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether it runs on its schedule; default true.' })),
    overlap: Type.Optional(oneOf(overlaps, { description: 'Default `skip`.' })),
  },
  { $id: 'NewAgentJob', description: 'A new agent job.' },
)
export type NewJob = Static<typeof NewJob>

export const JobChanges = Type.Object(
  {
    name: Type.Optional(Name()),
    schedule: Type.Optional(Type.Object({ cron: Type.Optional(Cron), timezone: Type.Optional(Timezone) })),
    query: Type.Optional({ ...Query, description: `${Query.description} Replaces the workflow.` }),
    workflow: Type.Optional({ ...Workflow, description: 'The workflow, by name or id. Replaces the query.' }),
    params: Type.Optional(Params),
    enabled: Type.Optional(Enabled),
    overlap: Type.Optional(Overlap),
  },
  { $id: 'AgentJobChanges', description: 'The fields to change.' },
)
export type JobChanges = Static<typeof JobChanges>

/** What `run-now` starts. */
export const JobRun = Type.Union([AgentRun, WorkflowRun], {
  $id: 'AgentJobRun',
  description: 'The run of the Agent or, with a `workflowRunId`, of the workflow.',
})

export type JobRun = Static<typeof JobRun>

/** While a tick is being handled, the next one is computed from `now`. */
export const presentJob = (row: AgentJobRow, firings: readonly JobFiringRow[], now: number): AgentJob => ({
  id: row.id,
  environmentId: row.environment_id,
  agentId: row.agent_id,
  name: row.name,
  schedule: { cron: row.cron, timezone: row.timezone },
  query: row.workflow === null ? row.query : null,
  workflow: row.workflow,
  params: row.params === null ? null : (JSON.parse(row.params) as Record<string, unknown>),
  enabled: row.enabled === 1,
  nextRunAt: timestampOrNull(row.next_run_at ?? (row.enabled === 1 ? nextTick(row, now) : null)),
  lastFirings: firings.map(({ scheduled_for, fired_at, outcome, agent_run_id, workflow_run_id }) => ({
    scheduledFor: timestamp(scheduled_for),
    firedAt: timestamp(fired_at),
    outcome,
    agentRunId: agent_run_id,
    workflowRunId: workflow_run_id,
  })),
  overlap: row.overlap,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})
