/** Tools that are operations: the server calls them, for it alone knows where to and with which secrets. */
import type { AssignedAgent, CallAnswer, OperationCall } from '../protocol/protocol.ts'
import { AwaitsInvocation, ToolError, type ToolExecutor } from './executor.ts'

/** Has the server make a call. Rejects when nobody can say how it went. */
export type CallOperation = (call: OperationCall, signal: AbortSignal) => Promise<CallAnswer>

/** Carries out an operation tool of an agent, which must have it among its `operations`. */
export function operationExecutor(
  { agentId, operations }: AssignedAgent,
  toolName: string,
  callOperation: CallOperation,
): ToolExecutor {
  const { description, inputSchema, idempotent } = operations[toolName]!
  return {
    idempotent,
    description,
    inputSchema,
    async execute(input, { toolCallId, signal }) {
      const outcome = await callOperation({ agentId, toolName, toolCallId, input }, signal)
      if ('awaiting' in outcome) {
        const { awaiting: _, ...ids } = outcome
        return new AwaitsInvocation(ids)
      }
      if ('error' in outcome) throw new ToolError(outcome.error.message, outcome.error.code)
      return outcome.result
    },
  }
}
