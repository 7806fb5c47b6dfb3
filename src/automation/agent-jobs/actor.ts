/** The agent job as a kind of actor: its row, and what a change of it stores. */
import { type AgentJobContext, type AgentJobEvent, agentJobMachine } from '../../../machines/agent-job.ts'
import { enableJob, findPlaceOfJob, getJob, insertJob, updateJob } from '../../../storage/automation/agent-jobs.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentJobRow } from '../../../storage/tables.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { snapshotOfRow } from '../../runtime/define-actor.ts'
import type { Actor, ActorKind, Address, Applied, Change } from '../../runtime/kind.ts'

/** Jobs of one Environment. */
export const jobsMax = 200

/** What clients choose. */
export type JobFields = Pick<AgentJobRow, 'name' | 'cron' | 'timezone' | 'query' | 'overlap'>

/** What the row of a new job holds besides its snapshot. */
export type JobSeed = JobFields &
  Pick<AgentJobRow, 'id' | 'organization_id' | 'project_id' | 'environment_id' | 'agent_id'>

/** What the area adds to the events of the statechart. */
export type JobCommand = AgentJobEvent & { fields?: JobFields }

export type JobActor = Actor<AgentJobRow, AgentJobContext>
type JobChange = Change<AgentJobRow, AgentJobContext, JobCommand>

export const jobAddress = (id: string): Address => ({ kind: 'agent-job', id })

/** The work of a state. It may be begun twice, and then does what is left to do. */
export interface JobEffects {
  fire(id: string): Promise<void>
}

const machineVersion = agentJobMachine.version ?? '1'

/** The part of the row that the statechart decides. */
const snapshotOf = ({ state, version, context }: JobChange) => ({
  state,
  version,
  machine_version: machineVersion,
  context: JSON.stringify(context),
  enabled: context.enabled ? (1 as const) : (0 as const),
  next_run_at: context.nextRunAt,
})

function apply(change: JobChange, store: Store): Applied<AgentJobRow> {
  const { before, version, seed, moves, at } = change
  if (!before) {
    const row: AgentJobRow = { ...(seed as JobSeed), ...snapshotOf(change), created_at: at, updated_at: at }
    return { row, writes: [insertJob(store, { ...row, jobsMax })] }
  }
  if (version === before.version) return { row: before.row, writes: [] }
  const changes = moves.filter(({ event }) => event.type === 'change')
  const row: AgentJobRow = {
    ...before.row,
    ...Object.assign({}, ...changes.map(({ event }) => event.fields)),
    ...snapshotOf(change),
    updated_at: changes.length > 0 ? at : before.row.updated_at,
  }
  const save = row.enabled > before.row.enabled ? enableJob : updateJob
  return { row, writes: [save(store, { ...row, from: before.version })] }
}

export const jobKind = (effects: JobEffects): ActorKind<AgentJobRow, AgentJobContext, JobCommand> => ({
  kind: 'agent-job',
  machine: agentJobMachine,
  load: (store, id) => store.first<AgentJobRow>(getJob(store, { id })),
  snapshot: snapshotOfRow,
  describe: (_, event) => ({ attempt: 0, reason: event.type === 'fired' ? event.cause : null }),
  apply,
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
