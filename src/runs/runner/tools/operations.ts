/** Operations and workflows as tools, which the server executes because it has their endpoints and secrets. */
import type { AssignedAgent, CallAnswer, OperationCall } from '../protocol/protocol.ts'
import { AwaitsServer, ToolError, type ToolExecutor } from './executor.ts'

/** Makes a call through the server. Rejects if the outcome is unknown. */
export type CallOperation = (call: OperationCall, signal: AbortSignal) => Promise<CallAnswer>

/** The executor of such a tool, which must be among the agent's `operations`. */
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
        const { awaiting, ...ids } = outcome
        return new AwaitsServer(awaiting === 'worker' ? { ...ids, waitsFor: awaiting } : ids)
      }
      if ('error' in outcome) throw new ToolError(outcome.error.message, outcome.error.code)
      return outcome.result
    },
  }
}
