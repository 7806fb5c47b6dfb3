/** When a job that is changed is to run next. Pure. */
import type { JobActor, JobFields } from './actor.ts'
import { nextTick } from './schedule.ts'

/**
 * What is not changed stays as it was planned. A new plan counts from now, and never from before a tick that was dealt
 * with: clocks may go back.
 */
export function planned(
  { row, context }: Pick<JobActor, 'row' | 'context'>,
  fields: JobFields,
  enabled: boolean,
  now: number,
): number | null {
  if (!enabled) return null
  const isAsBefore = context.enabled && fields.cron === row.cron && fields.timezone === row.timezone
  if (isAsBefore) return context.nextRunAt
  return nextTick(fields, Math.max(now, context.lastTickAt ?? 0, context.firing?.at ?? 0))
}
