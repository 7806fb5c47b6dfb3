/** Approvals of invocations as clients see them. Source: contract 6, `OperationApproval`. */
import { type Static, Type } from '@sinclair/typebox'
import { approvalStatuses } from '../../../machines/operation-invocation.ts'
import type { ApprovalWithCall } from '../../../storage/automation/approvals.ts'
import { pageQuery } from '../../platform/http/pagination.ts'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp, timestampOrNull } from '../../platform/http/timestamp.ts'
import { OperationName } from '../operations/invocations/schema.ts'

/** `{P}/operation-approvals/:approvalId` */
export const ApprovalPath = Type.Object({ ...EnvironmentPath.properties, approvalId: Id('apr') })
export type ApprovalPath = Static<typeof ApprovalPath>

export const ApprovalQuery = Type.Object({
  ...pageQuery.properties,
  status: Type.Optional(oneOf(approvalStatuses, { description: 'Only those with this status.' })),
})
export type ApprovalQuery = Static<typeof ApprovalQuery>

export const DecisionBody = Type.Optional(
  Type.Object(
    {
      note: Type.Optional(
        Type.String({ maxLength: 2000, description: 'Why; of a rejection, the model that made the call is told.' }),
      ),
    },
    { $id: 'Decision', description: 'What there is to say about the decision.', additionalProperties: false },
  ),
)
export type DecisionBody = Static<typeof DecisionBody>

export const Approval = Type.Object(
  {
    id: Id('apr'),
    invocationId: Id('opi', 'What waits for it.'),
    operation: OperationName,
    agentId: Type.String({ description: 'On whose behalf the operation is called.' }),
    input: Type.Unknown({ description: 'What the operation is called with.' }),
    status: oneOf(approvalStatuses, {
      description: '`expired`: nobody decided in time. `canceled`: whoever called went on, or was canceled.',
    }),
    decidedBy: nullable(
      Type.Object({ type: Type.String(), id: Type.String() }, { description: 'Who has approved or rejected.' }),
    ),
    decidedAt: nullable(Timestamp()),
    note: nullable(Type.String()),
    expiresAt: Timestamp('Pending until then, it is rejected.'),
    createdAt: Timestamp(),
  },
  { $id: 'OperationApproval', description: 'A decision that an invocation waits for.' },
)
export type Approval = Static<typeof Approval>

export const presentApproval = (row: ApprovalWithCall): Approval => ({
  id: row.id,
  invocationId: row.invocation_id,
  operation: row.operation,
  agentId: row.agent_id,
  input: JSON.parse(row.input) as unknown,
  status: row.status,
  decidedBy: row.decided_by_type === null ? null : { type: row.decided_by_type, id: row.decided_by_id as string },
  decidedAt: timestampOrNull(row.decided_at),
  note: row.note,
  expiresAt: timestamp(row.expires_at),
  createdAt: timestamp(row.created_at),
})
