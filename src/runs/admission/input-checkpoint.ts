/**
 * Checkpoint 0 of a run: its input. It has no row of its own; it is built from the stored input. Its digest is computed
 * once and stored with the input. Source: contract 5, "checkpoint 0".
 */
import { getInputArtifact, getRunInput, keepInputArtifact } from '../../../storage/runs/runs.ts'
import type { Store } from '../../../storage/store.ts'
import type { RunRow } from '../../../storage/tables.ts'
import { parseStored } from '../../platform/http/body/long-texts.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { PresentedCheckpoint } from '../present.ts'
import { artifactOf } from '../records/checkpoints.ts'
import { isEmptyInput, messagesOf, type StoredInput } from '../records/stored-input.ts'
import type { RuntimeCheckpoint } from '../runner/protocol/protocol.ts'

/** The artifact; undefined once the content of the run is removed. */
export async function inputArtifact(store: Store, runId: string): Promise<RuntimeCheckpoint | undefined> {
  const row = await store.first(getRunInput(store, { runId, chain: 1 }))
  if (!row) return undefined
  const input = (await parseStored(row.body)) as StoredInput
  const { resume } = input
  if (!resume) return { version: 1, messages: messagesOf(input), stepCount: 0, pendingToolCalls: [], chain: 1 }
  // the message of a fork follows the open calls
  const isNext = !isEmptyInput(input) && resume.pendingToolCalls.length === 0
  return { ...resume, messages: isNext ? [...resume.messages, ...messagesOf(input)] : resume.messages, chain: 1 }
}

/** The list entry; undefined once the content of the run is removed. */
export async function inputCheckpoint(
  store: Store,
  { id: runId, created_at }: Pick<RunRow, 'id' | 'created_at'>,
): Promise<PresentedCheckpoint | undefined> {
  const known = await knownBy(store, runId)
  return (
    known && {
      checkpointId: 0,
      agentStepId: null,
      agentRunId: runId,
      attempt: 0,
      sequence: 0,
      kind: 'input',
      artifact: { digest: known.digest, sizeBytes: known.bytes, mediaType: 'application/json' },
      createdAt: timestamp(created_at),
    }
  )
}

async function knownBy(store: Store, runId: string): Promise<{ digest: string; bytes: number } | undefined> {
  const row = await store.first(getInputArtifact(store, { runId }))
  if (!row) return undefined
  const { artifact_digest: digest, artifact_bytes: bytes } = row
  if (digest !== null && bytes !== null) return { digest, bytes }
  const artifact = await inputArtifact(store, runId)
  if (!artifact) return undefined
  const made = await artifactOf(artifact)
  // if the write fails the next reader computes it again
  await store.commit([keepInputArtifact(store, { runId, ...made })]).catch(() => {})
  return made
}
