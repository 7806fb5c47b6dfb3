/** Approvals of invocations, written with the invocation's transitions in the same unit of work. Source: contract 6. */
import { rowsOf } from '../rows.ts'
import { query, write } from '../statement.ts'
import type { ApprovalRow, InvocationRow } from '../tables.ts'

const operationApprovals = rowsOf('operation_approvals', 'id')

/** Columns of the invocation: the request to approve, and its caller. */
const call = ['deployment_id', 'input', 'agent_run_id', 'workflow_run_id', 'step_id'] as const
export const columnsOfCall = call.map((column) => `operation_invocations.${column}` as const)

/** An approval with its invocation. */
export type ApprovalWithCall = ApprovalRow & Pick<InvocationRow, (typeof call)[number]>

export const insertApproval = operationApprovals.insert()

/** Records a decision; fails the unit of work with `StaleWrite` if the approval was decided already. */
export const decideApproval = write(
  (db, values: Pick<ApprovalRow, 'id' | 'status' | 'decided_by_type' | 'decided_by_id' | 'decided_at' | 'note'>) =>
    db
      .updateTable('operation_approvals')
      .set({
        status: values.status,
        decided_by_type: values.decided_by_type,
        decided_by_id: values.decided_by_id,
        decided_at: values.decided_at,
        note: values.note,
      })
      .where('id', '=', values.id)
      .where('status', '=', 'pending'),
  1,
)

/** The approval at this path; undefined if it does not exist or belongs elsewhere. */
export const findApproval = query((db, values: { organizationId: string; environmentId: string; id: string }) =>
  db
    .selectFrom('operation_approvals')
    .innerJoin('operation_invocations', 'operation_invocations.id', 'operation_approvals.invocation_id')
    .selectAll('operation_approvals')
    .select(columnsOfCall)
    .where('operation_approvals.id', '=', values.id)
    .where('operation_approvals.environment_id', '=', values.environmentId)
    .where('operation_approvals.organization_id', '=', values.organizationId),
)
