/** Operations that the model of a run has called as tools. Source: contract 3, `Tool`; contract 5. */
import type { RunRow } from '../../storage/tables.ts'
import type { Bundles } from '../deployments/bundles.ts'
import { digestOf } from '../http/digest.ts'
import type { CallOutcome, OperationCall } from '../runner/protocol.ts'
import type { OperationCaller } from '../runs/attempts/operations.ts'
import { OperationFailure } from './failure.ts'
import type { Operations } from './operations.ts'

export class ToolCalls implements OperationCaller {
  constructor(private readonly parts: { bundles: Bundles; operations: Operations }) {}

  async call(
    { id: runId, deployment_id: deploymentId }: RunRow,
    { agentId, toolName, toolCallId, input, signal }: OperationCall & { signal: AbortSignal },
  ): Promise<CallOutcome> {
    const bundle = deploymentId === null ? undefined : await this.parts.bundles.find(deploymentId)
    const agent = bundle?.agent(agentId)
    const tool = agent?.content.tools?.find(({ name }) => name === toolName)
    if (!bundle || !agent || tool?.kind !== 'operation')
      return failed('tool_error', `There is no operation ${toolName}.`)
    const callKey = digestOf({ runId, toolCallId }).replace('sha256:', 'troupe-')
    try {
      return {
        result: await this.parts.operations.perform({ bundle, agent, name: tool.operation, input, callKey, signal }),
      }
    } catch (error) {
      if (error instanceof OperationFailure) return failed(error.code, error.message)
      throw error
    }
  }
}

const failed = (code: string, message: string): CallOutcome => ({ error: { code, message } })
