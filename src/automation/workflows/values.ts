/** The stored values of a run: params, output, outputs of steps. */

import { listWorkflowValues } from '../../../storage/automation/workflows.ts'
import type { Store } from '../../../storage/store.ts'

/** By name, see `actor.ts`. */
export async function readValues(store: Store, runId: string): Promise<ReadonlyMap<string, unknown>> {
  const rows = await store.all(listWorkflowValues(store, { runId }))
  return new Map(rows.map(({ name, value }) => [name, JSON.parse(value) as unknown]))
}

/** The size of a value as JSON. */
export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null))
