/** A server on one store through weeks that pass at once. */
import type { Clock } from '../../../src/platform/time/clock.ts'
import { openWorld } from '../../runs/project/world.ts'

export const weekMs = 7 * 86_400_000

/** What a week leaves. */
export interface Week {
  /** Of the Environment. */
  path: string
  /** Runs. */
  ended: string[]
  waiting: string
  invocation: string
  workflowRun: string
  /** Ids that were deleted within the week. */
  doomed: string[]
}

/** A word in all content of a week. */
export const wordOf = (week: number) => `Rumpelstilzchen-of-week-${week}`

export const openWeek = (folder: string, clock: Clock) =>
  openWorld({
    folder,
    clock,
    environment: {
      TROUPE_CREATE_ORGANIZATIONS: 'anyone',
      TROUPE_AWAIT_TTL_MS: String(10 * weekMs),
      TROUPE_CONTENT_RETENTION_DAYS: '3',
      TROUPE_RUN_RETENTION_DAYS: '6',
      TROUPE_OPERATION_RETENTION_DAYS: '5',
      TROUPE_EVENT_RETENTION_DAYS: '4',
      TROUPE_AUDIT_RETENTION_DAYS: '6',
    },
  })
export type World = Awaited<ReturnType<typeof openWeek>>
