/**
 * Live actors other than agent runs, which are ended before their parent is removed, so that they start nothing new. The
 * deletion does not wait for them; later reports are ignored. Each area with such actors adds its kind. Source: contract 2,
 * "Deletion".
 */

import { workflowRunsToCancel } from '../../../storage/automation/workflows.ts'
import type { DeletionTarget } from '../../../storage/runs/run-removal.ts'
import type { BackgroundStore } from '../../../storage/store.ts'
import type { Address } from '../../runtime/kind.ts'

interface LiveSort {
  kind: string
  /** The event that ends them. */
  event: string
  /** Ids of those that have not got the event yet, up to `limit`. */
  find(store: BackgroundStore, deletion: DeletionTarget, limit: number): Promise<string[]>
}

const sorts: readonly LiveSort[] = [{ kind: 'workflow-run', event: 'cancel', find: workflowRunsToCancel }]

export interface Command {
  address: Address
  event: string
}

/** The commands to send, up to `limit` of each kind. */
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
