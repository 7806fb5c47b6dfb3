/** When a job that is changed is to run next. Pure. */
import type { JobActor, JobFields } from './actor.ts'
import { isTooFarAhead, nextTick } from './schedule.ts'

/**
 * The next tick of a job whose schedule or `enabled` is written. It counts from now, and not from before a tick that was
 * dealt with: clocks may go back. A tick that is more than two periods ahead was dealt with by a clock that was wrong, and
 * does not count.
 */
export function planned({ context }: Pick<JobActor, 'context'>, fields: JobFields, now: number): number | null {
  const dealtWith = Math.max(context.lastTickAt ?? 0, context.firing?.at ?? 0)
  return nextTick(fields, dealtWith > now && !isTooFarAhead(fields, dealtWith, now) ? dealtWith : now)
}
