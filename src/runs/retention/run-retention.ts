/**
 * Removes ended runs after their retention time, with their steps, checkpoints, stream and journal. Usage and
 * statistics stay. Source: contract 9, "Decided since".
 */
import { type RunToRemove, rowsAtOnce } from '../../../storage/runs/run-removal.ts'
import { assertLongEnded, listLongEnded } from '../../../storage/runs/run-stretches.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { dayMs } from '../../platform/time/durations.ts'
import type { RemovalParts } from '../../runtime/removal.ts'
import type { ContentRetention } from '../records/content-retention.ts'
import type { RunStreams } from '../stream/streams.ts'
import { removeRun } from './removal.ts'

interface RunRetentionParts extends RemovalParts {
  clock: Pick<Clock, 'now'>
  streams: Pick<RunStreams, 'forget'>
  content: Pick<ContentRetention, 'removeOf'>
}

export class RunRetention {
  constructor(private readonly parts: RunRetentionParts) {}

  /** Removes up to `limit` runs that ended at least `days` days ago; returns their number. Called periodically. */
  prune(days: number, limit: number): Promise<number> {
    const { store, clock } = this.parts
    const until = clock.now() - days * dayMs
    return inBatches(limit, async (some) =>
      forEach(await store.all(listLongEnded(store, { until, limit: some })), (run) => this.#remove(run, until)),
    )
  }

  /** When the longest ended run was to be removed that is still there. */
  async overdueSince(days: number): Promise<number | undefined> {
    const { store, clock } = this.parts
    const keptMs = days * dayMs
    const oldest = await store.first(listLongEnded(store, { until: clock.now() - keptMs, limit: 1 }))
    return oldest && oldest.updated_at + keptMs
  }

  async #remove(run: RunToRemove, until: number): Promise<void> {
    const { store, streams, content } = this.parts
    // in each unit of work: it may have been continued since it was listed, and have ended again
    const before = [assertLongEnded(store, { id: run.id, until })]
    // removed in pieces: a partly removed run must not be continued
    if (run.rows > rowsAtOnce) await content.removeOf(run.id, before)
    await removeRun(this.parts, run, { before })
    streams.forget(run.id)
  }
}
