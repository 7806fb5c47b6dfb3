/**
 * Checkpoint 0 of a run: its input, which is stored with the admission. It has no row of its own, so that nothing is stored
 * twice: it is made up of the stored input. Source: contract 5, "checkpoint 0".
 */
import { getRunInput } from '../../storage/runs.ts'
import type { Store } from '../../storage/store.ts'
import type { RunRow } from '../../storage/tables.ts'
import { timestamp } from '../http/timestamp.ts'
import { userMessage } from '../runner/messages.ts'
import type { RunInput, RuntimeCheckpoint } from '../runner/protocol.ts'
import { artifactOf } from './checkpoints.ts'
import type { PresentedCheckpoint } from './present.ts'

/** With its artifact; undefined once the content of the run was removed. */
export async function inputCheckpoint(
  store: Store,
  { id: runId, created_at }: Pick<RunRow, 'id' | 'created_at'>,
): Promise<{ checkpoint: PresentedCheckpoint; runtimeCheckpoint: RuntimeCheckpoint } | undefined> {
  const row = await store.first(getRunInput(store, { runId, chain: 1 }))
  if (!row) return undefined
  const messages = [userMessage(JSON.parse(row.body) as RunInput)]
  const runtimeCheckpoint: RuntimeCheckpoint = { version: 1, messages, stepCount: 0, pendingToolCalls: [], chain: 1 }
  const checkpoint: PresentedCheckpoint = {
    checkpointId: 0,
    agentStepId: null,
    agentRunId: runId,
    attempt: 0,
    sequence: 0,
    kind: 'input',
    artifact: { ...artifactOf(runtimeCheckpoint), mediaType: 'application/json' },
    createdAt: timestamp(created_at),
  }
  return { checkpoint, runtimeCheckpoint }
}
