/** The schemas of approvals. Source: contract 6, `OperationApproval`. */
import { type Static, Type } from '@sinclair/typebox'
import { approvalStatuses } from '../../../machines/operation-invocation.ts'
import type { ApprovalWithCall } from '../../../storage/automation/approvals.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { agentFilter, Id, nullable, omissible, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { OperationName } from '../operations/invocations/schema.ts'

/** `{P}/operation-approvals/:approvalId` */
export const ApprovalPath = Type.Object({ ...EnvironmentPath.properties, approvalId: Id('apr') })
export type ApprovalPath = Static<typeof ApprovalPath>

export const ApprovalQuery = Type.Object({
  ...pageQuery.properties,
  status: Type.Optional(oneOf(approvalStatuses, { description: 'Only approvals with this status.' })),
  operation: Type.Optional(OperationName),
  agentId: agentFilter("Only calls on this Agent's behalf."),
  since: Type.Optional(Timestamp('Only approvals requested at this time or later.')),
  until: Type.Optional(Timestamp('Only approvals requested before this time.')),
})
export type ApprovalQuery = Static<typeof ApprovalQuery>

export const DecisionBody = omissible(
  Type.Object(
    {
      note: Type.Optional(
        Type.String({
          maxLength: 2000,
          description: 'The reason; for a rejection, the model that made the call gets it.',
        }),
      ),
    },
    { $id: 'Decision', description: 'A decision on an approval.', additionalProperties: false },
  ),
)
export type DecisionBody = Static<typeof DecisionBody>

export const Approval = Type.Object(
  {
    id: Id('apr'),
    invocationId: Id('opi', 'The invocation that awaits it.'),
    operation: OperationName,
    agentId: Type.String({ description: 'The Agent on whose behalf the operation is called.' }),
    agentRunId: nullable(Id('run', 'The run that made the call.')),
    workflowRunId: nullable(Id('wfr', 'The workflow run that made the call.')),
    stepId: nullable(Type.String({ description: "The workflow's step." })),
    input: Type.Unknown({ description: 'The input of the operation.' }),
    status: oneOf(approvalStatuses, {
      description: '`expired`: not decided in time. `canceled`: the caller continued or was canceled.',
    }),
    decidedBy: nullable(
      Type.Object({ type: Type.String(), id: Type.String() }, { description: 'Who approved or rejected it.' }),
    ),
    decidedAt: nullable(Timestamp()),
    note: nullable(Type.String()),
    expiresAt: Timestamp('A pending approval expires at this time.'),
    createdAt: Timestamp(),
  },
  { $id: 'OperationApproval', description: 'An approval that an invocation awaits.' },
)
export type Approval = Static<typeof Approval>

export const presentApproval = (row: ApprovalWithCall): Approval => ({
  id: row.id,
  invocationId: row.invocation_id,
  operation: row.operation,
  agentId: row.agent_id,
  agentRunId: row.agent_run_id,
  workflowRunId: row.workflow_run_id,
  stepId: row.step_id,
  input: JSON.parse(row.input) as unknown,
  status: row.status,
  decidedBy: row.decided_by_type === null ? null : { type: row.decided_by_type, id: row.decided_by_id as string },
  decidedAt: timestampOrNull(row.decided_at),
  note: row.note,
  expiresAt: timestamp(row.expires_at),
  createdAt: timestamp(row.created_at),
})
