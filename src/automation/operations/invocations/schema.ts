/** The schemas of operation invocations. Source: contract 6, `OperationInvocation`. */
import { type Static, Type } from '@sinclair/typebox'
import { invocationStates } from '../../../../machines/operation-invocation.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import { pageQuery } from '../../../platform/http/pagination.ts'
import { AgentInEnvironmentPath, EnvironmentPath } from '../../../platform/http/paths.ts'
import { Id, nullable, oneOf, Timestamp } from '../../../platform/http/schema.ts'
import { timestamp } from '../../../platform/http/timestamp.ts'
import { progressOf } from './outcome.ts'

export const OperationName = Type.String({
  minLength: 3,
  maxLength: 500,
  description: 'The operation: `<definition>.<operation>`.',
  examples: ['tickets.escalate'],
})

/** `{P}/agents/:agentId/operations/:operation/invoke` */
export const InvokePath = Type.Object({ ...AgentInEnvironmentPath.properties, operation: OperationName })
export type InvokePath = Static<typeof InvokePath>

/** `{P}/operation-invocations/:invocationId` */
export const InvocationPath = Type.Object({ ...EnvironmentPath.properties, invocationId: Id('opi') })
export type InvocationPath = Static<typeof InvocationPath>

export const InvokeBody = Type.Object(
  {
    input: Type.Unknown({ description: 'The input of the operation, by its `inputSchema`.' }),
    idempotencyKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        pattern: '^[ -~]+$',
        description:
          'Printable ASCII. A repeated call with the same key finds the same invocation; another input is refused.',
      }),
    ),
  },
  { $id: 'NewOperationInvocation', additionalProperties: false, description: 'A call of an operation.' },
)
export type InvokeBody = Static<typeof InvokeBody>

export const ResolutionBody = Type.Object(
  {
    outcome: oneOf(['succeeded', 'failed'], { description: 'Whether the call took effect.' }),
    note: Type.Optional(
      Type.String({ maxLength: 2000, description: 'How the outcome was established; stored with the error.' }),
    ),
  },
  { $id: 'InvocationResolution', additionalProperties: false, description: 'The outcome of a call.' },
)
export type ResolutionBody = Static<typeof ResolutionBody>

export const InvocationQuery = Type.Object({
  ...pageQuery.properties,
  operation: Type.Optional(OperationName),
  state: Type.Optional(oneOf(invocationStates, { description: 'Only invocations in this state.' })),
  agentRunId: Type.Optional(Id('run', 'Only calls of this run.')),
})
export type InvocationQuery = Static<typeof InvocationQuery>

export const Invocation = Type.Object(
  {
    id: Id('opi'),
    environmentId: Id('env'),
    deploymentId: Id('dep', 'The Deployment that performs it.'),
    operation: OperationName,
    agentId: Type.String({ description: 'The Agent whose grants, bindings and variables apply.' }),
    agentRunId: nullable(Id('run', 'The run that made the tool call.')),
    workflowRunId: nullable(Id('wfr', 'The workflow run of the step.')),
    stepId: nullable(Type.String()),
    state: oneOf(invocationStates, {
      description: 'The state of its statechart: `GET /api/v1/machines/operation-invocation`.',
    }),
    approvalId: nullable(Id('apr', 'null if it needs none.')),
    input: Type.Unknown(),
    output: Type.Unknown({ description: 'null unless it succeeded.' }),
    error: nullable(
      Type.Object(
        { code: Type.String({ examples: ['tool_error'] }), message: Type.String() },
        { description: 'Why it did not succeed.' },
      ),
    ),
    createdBy: Type.Object({ type: Type.String(), id: Type.String() }),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'OperationInvocation', description: 'One call of an operation.' },
)
export type Invocation = Static<typeof Invocation>

export function presentInvocation(row: InvocationRow): Invocation {
  const { state, output, error, approvalId } = progressOf(row)
  return {
    id: row.id,
    environmentId: row.environment_id,
    deploymentId: row.deployment_id,
    operation: row.operation,
    agentId: row.agent_id,
    agentRunId: row.agent_run_id,
    workflowRunId: row.workflow_run_id,
    stepId: row.step_id,
    state,
    approvalId,
    input: JSON.parse(row.input) as unknown,
    output,
    error,
    createdBy: { type: row.created_by_type, id: row.created_by_id },
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
  }
}
