/** Replans jobs whose next tick was planned by a wrong clock. Source: contract 6, "Decided since". */
import type { AgentJobContext } from '../../../machines/agent-job.ts'
import { forgetLaterFirings } from '../../../storage/automation/agent-job-firings.ts'
import { listPlannedJobs } from '../../../storage/automation/agent-jobs.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentJobRow } from '../../../storage/tables.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { oneByOne } from '../one-by-one.ts'
import { jobAddress } from './actor.ts'
import { isTooFarAhead, nextTick } from './schedule.ts'

export interface ReplanningParts {
  store: Store
  clock: Pick<Clock, 'now'>
  actors: Actors
  onError(error: unknown, what: string): void
}

/** Jobs per query. */
const pieceMax = 10

export class Replanning {
  #after = ''

  constructor(private readonly parts: ReplanningParts) {}

  /** Checks up to `limit` jobs, continuing where the last call ended; returns how many. */
  async look(limit: number): Promise<number> {
    const { store } = this.parts
    let seen = 0
    while (seen < limit) {
      const jobs = await store.background.all(
        listPlannedJobs(store, { after: this.#after, limit: Math.min(pieceMax, limit - seen) }),
      )
      const now = this.parts.clock.now()
      await store.background.turn(() =>
        oneByOne(
          jobs,
          async ({ id, next_run_at, ...schedule }) => {
            if (next_run_at > now && isTooFarAhead(schedule, next_run_at, now)) await this.#replan(id)
          },
          (error, id) => this.parts.onError(error, `the job ${id}`),
        ),
      )
      seen += jobs.length
      this.#after = jobs.at(-1)?.id ?? ''
      if (jobs.length === 0) break
    }
    return seen
  }

  async #replan(id: string): Promise<void> {
    const { store, clock, actors } = this.parts
    const actor = await actors.read<AgentJobRow, AgentJobContext>(jobAddress(id))
    if (!actor) return
    const { row, context } = actor
    const now = clock.now()
    const nextRunAt = nextTick(row, now)
    if (!context.enabled || nextRunAt === null || nextRunAt === context.nextRunAt) return
    try {
      await actors.send(
        jobAddress(id),
        { type: 'change', seen: context.changes, enabled: true, nextRunAt },
        { writes: () => [forgetLaterFirings(store, { jobId: id, from: nextRunAt })] },
      )
    } catch (error) {
      // changed or deleted concurrently
      if (!isOver(error)) throw error
    }
  }
}
