/** Reads frames of a run's stream from the store: the journal and the stored groups, merged by number. */

import { listCheckpointsById } from '../../../storage/runs/checkpoints.ts'
import { contentRemovedAt } from '../../../storage/runs/content-retention.ts'
import { getRun, groupSizeMax, listRunEvents } from '../../../storage/runs/runs.ts'
import { listStepsById } from '../../../storage/runs/steps.ts'
import { listTransitionsInStream } from '../../../storage/runtime/journal.ts'
import type { Store } from '../../../storage/store.ts'
import type { AgentStepRow, CheckpointRow, RunRow } from '../../../storage/tables.ts'
import { presentCheckpoint, presentStep } from '../present.ts'
import { runAddress } from '../record.ts'
import { executionText, noUsageText, readExecution } from '../records/step-columns.ts'
import { type Frame, presentEnding, readEnding, type StoredFrame, transitionFrame } from './frames.ts'
import { readMark } from './marks.ts'
import { readFrames } from './stored-frames.ts'

/** Rows per page; a row contains the frames of one commit. */
const groupRows = 32
const transitionRows = 100

/**
 * The frames after a number, ascending and without gaps: a bounded page, empty if there are none (any more). The two
 * reads may see different commits; what follows the first missing frame is left for the next page.
 */
export async function replay(store: Store, runId: string, after: number): Promise<Frame[]> {
  const { kind, id: actorId } = runAddress(runId)
  const [groups, transitions] = await Promise.all([
    store.all(listRunEvents(store, { runId, after, lowest: after - groupSizeMax, limit: groupRows })),
    listTransitionsInStream(store, { kind, actorId, after, limit: transitionRows }),
  ])
  // A full page does not show what follows it.
  const until = Math.min(
    groups.length === groupRows ? (groups.at(-1)?.last_sequence ?? 0) : Number.MAX_SAFE_INTEGER,
    transitions.length === transitionRows ? (transitions.at(-1)?.stream_sequence ?? 0) : Number.MAX_SAFE_INTEGER,
  )
  const stored = groups
    .flatMap(({ frames }) => readFrames(frames))
    .filter(([sequence]) => sequence > after && sequence <= until)
  const shown = transitions.filter(({ stream_sequence }) => (stream_sequence as number) <= until)
  const frames = inSequence(after, [...(await restore(store, runId, stored)), ...shown.map(transitionFrame)])
  // checked last, so that a removal during the read is not returned in part
  const run = await store.first(contentRemovedAt(store, { id: runId }))
  return run?.content_removed_at === null ? frames : []
}

/** The frames that follow the number one after another, up to the first that is missing. */
function inSequence(after: number, frames: Frame[]): Frame[] {
  frames.sort((a, b) => a.sequence - b.sequence)
  const gap = frames.findIndex(({ sequence }, index) => sequence !== after + 1 + index)
  return gap === -1 ? frames : frames.slice(0, gap)
}

async function restore(store: Store, runId: string, stored: readonly StoredFrame[]): Promise<Frame[]> {
  const ends = stored.some(([, , , , , pointer]) => 'ending' in pointer)
  const [steps, checkpoints, run] = await Promise.all([
    stepsOf(store, runId, stored),
    checkpointsOf(store, runId, stored),
    ends ? store.first<RunRow>(getRun(store, { id: runId })) : undefined,
  ])
  return stored.map(([sequence, type, at, attempt, place, pointer]) => ({
    sequence,
    type,
    at,
    attempt,
    ...(place ? { agentStepId: place[0], root: place[1] === 1 } : {}),
    data: () => {
      if ('data' in pointer) return pointer.data
      if ('ending' in pointer) return run ? presentEnding(run, readEnding(pointer.ending, at)) : null
      if ('checkpoint' in pointer) {
        const checkpoint = checkpoints.get(pointer.checkpoint)
        return checkpoint ? presentCheckpoint(checkpoint) : null
      }
      const step = steps.get(pointer.step)
      if (!step) return null
      return presentStep({ ...(type === 'step.started' ? asStarted(step) : step), ...readMark(pointer, at) })
    },
  }))
}

/** A step as of its start. */
const asStarted = (step: AgentStepRow): AgentStepRow => ({
  ...step,
  status: 'running',
  token_usage: noUsageText,
  execution: executionText({ ...readExecution(step.execution), finishReason: null, retries: 0 }),
  output: null,
  error: null,
  last_checkpoint_id: null,
  ended_at: null,
  updated_at: step.created_at,
})

async function stepsOf(
  store: Store,
  runId: string,
  stored: readonly StoredFrame[],
): Promise<Map<number, AgentStepRow>> {
  const ids = stored.flatMap(([, , , , , pointer]) => ('step' in pointer ? [pointer.step] : []))
  if (ids.length === 0) return new Map()
  const rows = await listStepsById(store, runId, [...new Set(ids)])
  return new Map(rows.map((row) => [row.agent_step_id, row]))
}

async function checkpointsOf(
  store: Store,
  runId: string,
  stored: readonly StoredFrame[],
): Promise<Map<number, CheckpointRow>> {
  const ids = stored.flatMap(([, , , , , pointer]) => ('checkpoint' in pointer ? [pointer.checkpoint] : []))
  if (ids.length === 0) return new Map()
  const rows = await listCheckpointsById(store, runId, ids)
  return new Map(rows.map((row) => [row.checkpoint_id, row]))
}
