/** A server with a manually advanced clock, and jobs whose runs stay queued until a test ends them. */

import { Database } from 'bun:sqlite'
import { openWorld } from '../../runs/project/world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import type { TroupeOptions } from '../../support/troupe.ts'
import type { Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

export const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

interface Firing {
  scheduledFor: string
  firedAt: string
  outcome: string
  agentRunId: string | null
}
export interface Job {
  id: string
  nextRunAt: string | null
  enabled: boolean
  lastFirings: Firing[]
  [field: string]: unknown
}

export interface JobPlace extends Place {
  agentId: string
  jobs: string
}

export async function openJobs({ environment = {}, clock = new HandClock(), ...options }: TroupeOptions = {}) {
  const world = await openWorld({
    ...options,
    clock,
    environment: { TROUPE_RUNNER: 'none', TROUPE_RATE_LIMIT_PER_MINUTE: '0', ...environment },
  })
  const { owner } = world
  return {
    ...world,
    clock: clock as HandClock,

    /** An Environment with a deployed Agent. */
    async served(): Promise<JobPlace> {
      const place = await world.place()
      const agent = await world.agent(place)
      await world.serve(place, [agent])
      return { ...place, agentId: agent.agentId, jobs: `${place.path}/agent-jobs` }
    },

    job: ({ jobs, agentId }: JobPlace, changes: object = {}, client: Client = owner) =>
      client.post(jobs, {
        agentId,
        name: 'Report',
        schedule: { cron: '0 * * * *', timezone: 'UTC' },
        query: '/say done',
        ...changes,
      }),

    fired: (place: JobPlace, id: string, count: number) => firedOf(owner, world.file, place, id, count),
    firedAt: (place: JobPlace, id: string, instant: string) => firedOf(owner, world.file, place, id, instant),
    runsOf: (jobId: string) => runsOf(owner, jobId),
  }
}

/** The job, once this many of its ticks, or the one of this time, are finished. */
export const firedOf = (
  client: Client,
  file: string,
  { jobs }: JobPlace,
  id: string,
  until: number | string,
): Promise<Job> =>
  eventually(`ticks of ${id}: ${until}`, async () => {
    const isDone = isAtRest(file, id)
    const job = await data<Job>(client.get(`${jobs}/${id}`))
    const { lastFirings } = job
    const isThere = typeof until === 'number' ? lastFirings.length >= until : lastFirings[0]?.scheduledFor === until
    return isDone && isThere && job
  })

export const runsOf = async (client: Client, jobId: string): Promise<Record<string, unknown>[]> =>
  (await client.get('/api/v1/agent-runs', { query: { agentJobId: jobId, limit: 100 } })).body.agentRuns

/** Whether the result of the last tick is stored and the next one is scheduled. */
function isAtRest(file: string, id: string): boolean {
  const database = new Database(file, { readonly: true })
  try {
    const row = database.query<{ state: string }, [string]>('select state from agent_jobs where id = ?').get(id)
    return row?.state !== 'firing'
  } finally {
    database.close()
  }
}

export type JobsWorld = Awaited<ReturnType<typeof openJobs>>
