/** The fields that clients set on a job, and their validation. */
import type { AgentJobRow } from '../../../storage/tables.ts'
import { type Issue, invalid } from '../../platform/http/answers/errors.ts'
import { assertMatches } from '../../platform/http/validation/values.ts'
import type { JobFields } from './actor.ts'
import { cronFault, normalCron, timezoneFault } from './schedule.ts'
import type { JobChanges, NewJob } from './schema.ts'

/** The longest params, as JSON. */
const paramsCharactersMax = 100_000

/** What a tick starts: the columns `query`, `workflow` and `params`. */
type Work = Pick<JobFields, 'query' | 'workflow' | 'params'>
/** The same in a request. */
interface GivenWork {
  query?: string
  workflow?: string
  params?: object
}

const ofQuery = (query: string): Work => ({ query, workflow: null, params: null })
const ofWorkflow = (workflow: string, params: string): Work => ({ query: '', workflow, params })

/** Throws `validation_failed` (422) unless it is a query or a workflow. */
export function newFields(given: Omit<NewJob, 'agentId'>): JobFields {
  const { name, schedule, query, workflow, params = {}, overlap = 'skip' } = given
  assertEither(given)
  if (workflow === undefined && query === undefined)
    throw invalid([{ path: '/body/query', message: 'Is required, unless the job has a `workflow`.' }])
  return {
    name,
    cron: normalCron(schedule.cron),
    timezone: schedule.timezone ?? 'UTC',
    ...(workflow === undefined ? ofQuery(query ?? '') : ofWorkflow(workflow, JSON.stringify(params))),
    overlap,
  }
}

/** Throws 422 for the params of a workflow, as they are stored, that its schema refuses or that cannot be checked. */
export const assertParams = (
  schema: Record<string, unknown>,
  params: string | null,
  organizationId: string,
): Promise<void> =>
  assertMatches({ schema, value: JSON.parse(params ?? '{}') as unknown, organizationId, at: '/body/params' })

/**
 * The fields with the changes applied: a query replaces the workflow, and a workflow the query. Throws
 * `validation_failed` (422) for both.
 */
export function replaced(row: AgentJobRow, changes: JobChanges): JobFields {
  const { name, schedule, query, workflow = row.workflow, params, overlap } = changes
  assertEither({ ...changes, ...(changes.query === undefined && workflow !== null && { workflow }) })
  const isOfQuery = query !== undefined || workflow === null
  return {
    name: name ?? row.name,
    cron: schedule?.cron === undefined ? row.cron : normalCron(schedule.cron),
    timezone: schedule?.timezone ?? row.timezone,
    ...(isOfQuery
      ? ofQuery(query ?? row.query)
      : ofWorkflow(workflow, params === undefined ? (row.params ?? '{}') : JSON.stringify(params))),
    overlap: overlap ?? row.overlap,
  }
}

/** Throws `validation_failed` (422). */
function assertEither({ query, workflow, params }: GivenWork): void {
  if (query !== undefined && workflow !== undefined)
    throw invalid([
      { path: '/body/workflow', message: 'A job has either a query or a workflow: leave one of them out.' },
    ])
  if (params !== undefined && workflow === undefined)
    throw invalid([{ path: '/body/params', message: 'Params are those of a workflow: name it as `workflow`.' }])
}

/** Throws `validation_failed` (422). */
export function assertSound({ cron, timezone, query, workflow, params }: JobFields): void {
  const faults = [
    ['/body/schedule/cron', cronFault(cron)],
    ['/body/schedule/timezone', timezoneFault(timezone)],
    ['/body/query', workflow === null && query.trim() === '' ? 'Must not be blank.' : undefined],
    [
      '/body/params',
      (params?.length ?? 0) > paramsCharactersMax
        ? `May have at most ${paramsCharactersMax.toLocaleString('en')} characters as JSON.`
        : undefined,
    ],
  ] as const
  const issues = faults.flatMap(([path, message]): Issue[] => (message === undefined ? [] : [{ path, message }]))
  if (issues.length > 0) throw invalid(issues)
}
