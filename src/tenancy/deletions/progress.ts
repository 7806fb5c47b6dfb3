/** How far a removal has come, as whoever waits for it sees it. Source: contract 9, "Background work". */
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
      description: 'How many runs there are to remove, as far as they are counted.',
    }),
    isCounted: Type.Boolean({ description: 'Whether all of them are. They are counted when none lives any more.' }),
    runsRemoved: Type.Integer({ minimum: 0, description: 'How many runs have gone, with all that belongs to them.' }),
    recordsRemoved: Type.Integer({
      minimum: 0,
      description: 'How many other records have gone, such as events, deliveries, revisions.',
    }),
  },
  { $id: 'DeletionProgress', description: 'How far the removal has come; only while the status is `deleting`.' },
)
export type DeletionProgress = Static<typeof DeletionProgress>

/** What the API document says of every removal. */
export const thenGone =
  'What it holds can be read until it is gone, and not be changed; `deletion` says how far that is. Then its ids answer 404.'

type Progress = Pick<DeletionRow, 'runs_counted' | 'counted_to' | 'runs_removed' | 'records_removed' | 'created_at'>

export const presentProgress = (row: Progress): DeletionProgress => ({
  requestedAt: timestamp(row.created_at),
  runsCounted: Math.max(row.runs_counted, row.runs_removed),
  isCounted: row.counted_to === null,
  runsRemoved: row.runs_removed,
  recordsRemoved: row.records_removed,
})

/** What a removal that has just been asked for shows. */
export const noProgress = (at: number): DeletionProgress =>
  presentProgress({ runs_counted: 0, counted_to: '', runs_removed: 0, records_removed: 0, created_at: at })

/** Adds how far its removal has come to what is being removed; anything else is as it was. */
export async function withProgress<Shown extends { id: string; status: string }>(
  store: Pick<Store, 'db' | 'first'>,
  shown: Shown,
): Promise<Shown & { deletion?: DeletionProgress }> {
  if (shown.status !== 'deleting') return shown
  const row = await store.first<DeletionRow>(getDeletion(store, { id: shown.id }))
  return row ? { ...shown, deletion: presentProgress(row) } : shown
}
