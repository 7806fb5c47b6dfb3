/** Whether a message fits into the conversation of its run. Source: contract 5. */
import { latestCheckpointSize } from '../../../storage/runs/checkpoints.ts'
import type { Store } from '../../../storage/store.ts'
import { conversationBytesMax, textBytes } from '../runner/conversation/size.ts'
import type { RunInput } from '../runner/protocol/protocol.ts'

/**
 * Counts what the latest checkpoint holds. Inputs of earlier turns that no checkpoint has yet are left to the attempt,
 * which fails if the conversation is too large.
 */
export async function fits(store: Store, runId: string, input: RunInput): Promise<boolean> {
  const saved = await store.first(latestCheckpointSize(store, { runId }))
  return (saved?.size_bytes ?? 0) + textBytes(input) <= conversationBytesMax
}
