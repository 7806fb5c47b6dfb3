/** Background maintenance: first of the platform, then of the areas. */
import { pruneNotices } from '../platform/mail/notices.ts'
import type { MaintenanceTask } from '../platform/operating/housekeeping.ts'
import { minuteMs } from '../platform/time/durations.ts'
import { type AreaParts, allAreas } from './area-parts.ts'

export function maintenanceOf(parts: AreaParts): MaintenanceTask[] {
  const { store, clock, vault, idempotency } = parts
  return [
    { name: 'idempotency keys', run: (limit) => idempotency.prune(limit) },
    { name: 'notices', run: (limit) => pruneNotices(store.background, clock.now(), limit) },
    { name: 'long texts', everyMs: minuteMs, run: () => store.sweepTexts() },
    { name: 'data keys', everyMs: minuteMs, run: (limit) => vault.rewrap(limit) },
    // in reverse order: for example, invocations are removed after the runs of their workflows
    ...allAreas.toReversed().flatMap(({ maintenance }) => maintenance?.(parts) ?? []),
  ]
}
