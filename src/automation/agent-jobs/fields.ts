/** The fields that clients set on a job, and their validation. */
import type { AgentJobRow } from '../../../storage/tables.ts'
import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import type { JobFields } from './actor.ts'
import { cronFault, normalCron, timezoneFault } from './schedule.ts'
import type { JobChanges, NewJob } from './schema.ts'

export const newFields = ({ name, schedule, query, overlap = 'skip' }: NewJob): JobFields => ({
  name,
  cron: normalCron(schedule.cron),
  timezone: schedule.timezone ?? 'UTC',
  query,
  overlap,
})

/** The fields with the changes applied. */
export const replaced = (row: AgentJobRow, { name, schedule, query, overlap }: JobChanges): JobFields => ({
  name: name ?? row.name,
  cron: schedule?.cron === undefined ? row.cron : normalCron(schedule.cron),
  timezone: schedule?.timezone ?? row.timezone,
  query: query ?? row.query,
  overlap: overlap ?? row.overlap,
})

/** Throws `validation_failed` (422). */
export function assertSound({ cron, timezone, query }: JobFields): void {
  const faults = [
    ['/body/schedule/cron', cronFault(cron)],
    ['/body/schedule/timezone', timezoneFault(timezone)],
    ['/body/query', query.trim() === '' ? 'Must not be blank.' : undefined],
  ] as const
  const issues = faults.flatMap(([path, message]): Issue[] => (message === undefined ? [] : [{ path, message }]))
  if (issues.length > 0) throw invalid(issues)
}
