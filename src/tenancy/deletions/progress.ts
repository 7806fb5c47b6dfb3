/** The progress of a deletion in the API. Source: contract 9, "Background work". */
import { type Static, Type } from '@sinclair/typebox'
import type { Store } from '../../../storage/store.ts'
import type { DeletionRow } from '../../../storage/tables.ts'
import { getDeletion } from '../../../storage/tenancy/deletions.ts'
import { Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'

export const DeletionProgress = Type.Object(
  {
    requestedAt: Timestamp(),
    runsCounted: Type.Integer({
      minimum: 0,
      description: 'The number of runs to remove that have been counted so far.',
    }),
    isCounted: Type.Boolean({
      description: 'Whether all runs have been counted. Counting starts when no run is live.',
    }),
    runsRemoved: Type.Integer({ minimum: 0, description: 'The number of runs removed, with their content.' }),
    recordsRemoved: Type.Integer({
      minimum: 0,
      description: 'The number of other records removed, such as events, deliveries and revisions.',
    }),
  },
  { $id: 'DeletionProgress', description: 'The progress of a deletion; present while the status is `deleting`.' },
)
export type DeletionProgress = Static<typeof DeletionProgress>

/** A sentence for the descriptions of all deletions. */
export const thenGone =
  'Until then its contents can be read but not changed; `deletion` shows the progress. Afterwards its ids answer 404.'

type Progress = Pick<DeletionRow, 'runs_counted' | 'counted_to' | 'runs_removed' | 'records_removed' | 'created_at'>

const presentProgress = (row: Progress): DeletionProgress => ({
  requestedAt: timestamp(row.created_at),
  runsCounted: Math.max(row.runs_counted, row.runs_removed),
  isCounted: row.counted_to === null,
  runsRemoved: row.runs_removed,
  recordsRemoved: row.records_removed,
})

/** The progress of a new deletion. */
export const noProgress = (at: number): DeletionProgress =>
  presentProgress({ runs_counted: 0, counted_to: '', runs_removed: 0, records_removed: 0, created_at: at })

/** Adds the progress of its deletion to a resource that is being deleted; returns others unchanged. */
export async function withProgress<Shown extends { id: string; status: string }>(
  store: Pick<Store, 'db' | 'first'>,
  shown: Shown,
): Promise<Shown & { deletion?: DeletionProgress }> {
  if (shown.status !== 'deleting') return shown
  const row = await store.first<DeletionRow>(getDeletion(store, { id: shown.id }))
  return row ? { ...shown, deletion: presentProgress(row) } : shown
}
