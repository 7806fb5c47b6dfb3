/** Pages of invocations and approvals, newest first, each along one index. Source: contract 6. */
import { perFilters } from '../per-filters.ts'
import { rare, unindexed } from '../sqlite/fragments.ts'
import { query } from '../statement.ts'
import type { ApprovalRow, InvocationRow } from '../tables.ts'
import { columnsOfCall } from './approvals.ts'

/** The filters of a list; each combination has its own query. */
const invocationFilters = ['agent_id', 'operation', 'state', 'agent_run_id'] as const
type InvocationFilter = Partial<Pick<InvocationRow, (typeof invocationFilters)[number]>>

interface Place {
  organizationId: string
  environmentId: string
  /** The last id of the previous page. */
  before: string
  limit: number
}

type InvocationColumns = readonly (typeof invocationFilters)[number][]

const inPlace = (columns: InvocationColumns) =>
  query((db, values: Place & InvocationFilter) =>
    db
      .selectFrom('operation_invocations')
      .selectAll()
      .where('environment_id', '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where('id', '<', values.before)
      .where(({ and, eb }) => and(columns.map((column) => rare(db, eb(column, '=', values[column] as string)))))
      .orderBy('id', 'desc')
      .limit(values.limit),
  )

/** A run has few invocations: the other filters are checked row by row. */
const ofRun = (columns: InvocationColumns) =>
  query((db, values: Place & InvocationFilter) =>
    db
      .selectFrom('operation_invocations')
      .selectAll()
      .where('agent_run_id', '=', values.agent_run_id as string)
      .where('id', '<', values.before)
      .where(unindexed(db, 'environment_id'), '=', values.environmentId)
      .where('organization_id', '=', values.organizationId)
      .where(({ and, eb }) => and(columns.map((column) => eb(unindexed(db, column), '=', values[column] as string))))
      .orderBy('id', 'desc')
      .limit(values.limit),
  )

/** The query of a page of invocations with these filters. */
export const listInvocations = perFilters(invocationFilters, (by) =>
  by.includes('agent_run_id') ? ofRun(by.filter((column) => column !== 'agent_run_id')) : inPlace(by),
)

const approvalFilters = ['agent_id', 'status', 'operation'] as const
type ApprovalFilter = Partial<Pick<ApprovalRow, (typeof approvalFilters)[number]>>

/** The time span of the requests: `from` bounds the ids to read, `since` and `until` are exact. */
interface ApprovalTimes {
  from: string
  since: number
  until: number
}

/** The query of a page of approvals with these filters, each with its invocation. */
export const listApprovals = perFilters(approvalFilters, (by) =>
  query((db, values: Place & ApprovalFilter & ApprovalTimes) =>
    db
      .selectFrom('operation_approvals')
      .innerJoin('operation_invocations', 'operation_invocations.id', 'operation_approvals.invocation_id')
      .selectAll('operation_approvals')
      .select(columnsOfCall)
      .where('operation_approvals.environment_id', '=', values.environmentId)
      .where('operation_approvals.organization_id', '=', values.organizationId)
      .where('operation_approvals.id', '<', values.before)
      .where('operation_approvals.id', '>=', values.from)
      .where('operation_approvals.created_at', '>=', values.since)
      .where('operation_approvals.created_at', '<', values.until)
      .where(({ and, eb }) =>
        and(by.map((column) => rare(db, eb(`operation_approvals.${column}`, '=', values[column] as string)))),
      )
      .orderBy('operation_approvals.id', 'desc')
      .limit(values.limit),
  ),
)
