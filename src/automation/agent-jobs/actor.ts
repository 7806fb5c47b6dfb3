/** The agent job as a kind of actor: its row, and what its moves store. */
import { type AgentJobContext, type AgentJobEvent, agentJobMachine } from '../../../machines/agent-job.ts'
import { enableJob, findPlaceOfJob, getJob, insertJob, updateJob } from '../../../storage/automation/agent-jobs.ts'
import type { AgentJobRow } from '../../../storage/tables.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { defineActor, isSmall } from '../../runtime/define-actor.ts'
import type { Actor, Address, Change } from '../../runtime/kind.ts'

/** The most jobs of one Environment. */
export const jobsMax = 200

/** The fields that clients set. */
export type JobFields = Pick<AgentJobRow, 'name' | 'cron' | 'timezone' | 'query' | 'workflow' | 'params' | 'overlap'>

/** The columns of a new job besides its snapshot. */
export type JobSeed = JobFields &
  Pick<AgentJobRow, 'id' | 'organization_id' | 'project_id' | 'environment_id' | 'agent_id'>

/** The events of the statechart, with the fields that the area adds. */
export type JobCommand = AgentJobEvent & { fields?: JobFields }

export type JobActor = Actor<AgentJobRow, AgentJobContext>
type JobChange = Change<AgentJobRow, AgentJobContext, JobCommand>

export const jobAddress = (id: string): Address => ({ kind: 'agent-job', id })

/** The effects of a state. Each may run twice and is idempotent. */
export interface JobEffects {
  fire(id: string): Promise<void>
}

/** The fields that clients changed with these moves, and the time, which the API shows as `updatedAt`. */
function chosen({ before, moves }: JobChange): Partial<AgentJobRow> {
  const changes = moves.filter(({ event }) => event.type === 'change')
  if (before && changes.length === 0) return { updated_at: before.row.updated_at }
  return Object.assign({}, ...changes.map(({ event }) => event.fields))
}

export const jobKind = (effects: JobEffects) =>
  defineActor<AgentJobRow, AgentJobContext, JobCommand, JobSeed>({
    machine: agentJobMachine,
    table: {
      get: getJob,
      insert: (store, row) => insertJob(store, { ...row, jobsMax }),
      update: (store, row, { before }) => (row.enabled && !before?.row.enabled ? enableJob : updateJob)(store, row),
    },
    columns: ({ enabled, nextRunAt }, change) => ({
      enabled: enabled ? 1 : 0,
      next_run_at: nextRunAt,
      ...chosen(change),
    }),
    forgetsMoves: true,
    isKept: ({ query, params }) => isSmall(query, params),
    seeded: (seed) => seed,
    describe: (_, event) => ({ attempt: 0, reason: event.type === 'fired' ? event.cause : null }),
    effects: {
      fire: { durable: (_, { address }) => effects.fire(address.id) },
    },
    view: {
      permission: 'agent-jobs:get',
      place: findPlaceOfJob,
      show: ({ enabled, changes, nextRunAt, lastTickAt, firing }) => ({
        enabled,
        changes,
        nextRunAt: timestampOrNull(nextRunAt),
        lastTickAt: timestampOrNull(lastTickAt),
        firing: firing && { scheduledFor: timestamp(firing.scheduledFor), at: timestamp(firing.at) },
      }),
    },
  })
