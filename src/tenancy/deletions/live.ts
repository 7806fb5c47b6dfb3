/**
 * What lives on by itself besides agent runs, and is told to end before what it belongs to is removed, so that nothing new
 * is begun meanwhile. Nobody waits for its end: what it tells after its removal reaches nobody. Each area that has such
 * actors adds its sort. Source: contract 2, "Deletion".
 */

import { workflowRunsToCancel } from '../../../storage/automation/workflows.ts'
import type { DeletionTarget } from '../../../storage/runs/run-removal.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import type { Address } from '../../runtime/kind.ts'

interface LiveSort {
  kind: string
  /** What they are told. */
  event: string
  /** Ids of those that nobody has told yet, up to `limit`. */
  find(store: BackgroundStore, deletion: DeletionTarget, limit: number): Promise<string[]>
}

const sorts: readonly LiveSort[] = [{ kind: 'workflow-run', event: 'cancel', find: workflowRunsToCancel }]

export interface Command {
  address: Address
  event: string
}

/** Who is to be told, and what; up to `limit` of each sort. */
export async function commandsToSend(
  store: BackgroundStore,
  deletion: DeletionTarget,
  limit: number,
): Promise<Command[]> {
  const words: Command[] = []
  for (const { kind, event, find } of sorts) {
    for (const id of await find(store, deletion, limit)) words.push({ address: { kind, id }, event })
  }
  return words
}
