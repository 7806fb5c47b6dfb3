/** What is kept of a run besides its row: its params, its output, what its steps have given. */

import { listWorkflowValues } from '../../../storage/automation/workflows.ts'
import type { Store } from '../../../storage/store.ts'

/** By name, see `actor.ts`. */
export async function readValues(store: Store, runId: string): Promise<ReadonlyMap<string, unknown>> {
  const rows = await store.all(listWorkflowValues(store, { runId }))
  return new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
}

/** How much room a value takes, as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null))
