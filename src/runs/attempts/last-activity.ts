/** The last activity of an attempt that another process leased. Source: contract 8, "Minutes". */

import { lastFrames } from '../../../storage/runs/runs.ts'
import { lastTransition } from '../../../storage/runtime/journal.ts'
import type { Store } from '../../../storage/store.ts'
import { readFrames } from '../stream/stored-frames.ts'

/** The time of the last entry in the run's journal or stream, which every report extends. Epoch milliseconds. */
export async function lastActivityOf(store: Store, runId: string): Promise<number> {
  const [group, transition] = await Promise.all([
    store.first(lastFrames(store, { runId })),
    store.first(lastTransition(store, { kind: 'run', actorId: runId })),
  ])
  return Math.max(transition?.at ?? 0, group ? endOf(group.frames) : 0)
}

function endOf(frames: string): number {
  try {
    return readFrames(frames).at(-1)?.[2] ?? 0
  } catch {
    // damaged: the journal's time suffices
    return 0
  }
}
