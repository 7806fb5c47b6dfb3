/** The next tick of a changed job. Pure. */
import type { JobActor, JobFields } from './actor.ts'
import { isTooFarAhead, nextTick } from './schedule.ts'

/**
 * The next tick after `schedule` or `enabled` was set. It is counted from now, but not from before the last handled tick,
 * because clocks may go back. A handled tick more than two periods ahead came from a wrong clock and is ignored.
 */
export function planned({ context }: Pick<JobActor, 'context'>, fields: JobFields, now: number): number | null {
  const dealtWith = Math.max(context.lastTickAt ?? 0, context.firing?.at ?? 0)
  return nextTick(fields, dealtWith > now && !isTooFarAhead(fields, dealtWith, now) ? dealtWith : now)
}
