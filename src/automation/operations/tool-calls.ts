/** Operations and workflows that a run's model calls as tools. Source: contract 3, `Tool`; contract 5; contract 14. */
import type { RunRow } from '../../../storage/tables.ts'
import type { Operation } from '../../authoring/definitions/source.ts'
import type { Bundles } from '../../delivery/deployments/bundles.ts'
import type { OperationCaller } from '../../runs/attempts/gateway/operations.ts'
import type { CallAnswer } from '../../runs/runner/protocol/protocol.ts'
import type { By } from '../../runtime/kind.ts'
import type { WorkflowCalls } from '../tools/workflow-calls.ts'
import { OperationFailure } from './failure.ts'
import type { InvocationProgress } from './invocations/invocation.ts'
import type { InvocationWork } from './invocations/invocation-work.ts'
import { callOutcomeOf } from './invocations/outcome.ts'
import { takesLong } from './operations.ts'

export class ToolCalls implements OperationCaller {
  constructor(
    private readonly parts: { bundles: Bundles; invocations: InvocationWork; workflows: Pick<WorkflowCalls, 'call'> },
  ) {}

  async call(
    run: RunRow,
    {
      agentId,
      toolName,
      toolCallId,
      input,
      chain,
      fencingToken,
      signal,
      trace,
    }: Parameters<OperationCaller['call']>[1],
  ): Promise<CallAnswer> {
    const { bundles, invocations, workflows } = this.parts
    const bundle = run.deployment_id === null ? undefined : await bundles.find(run.deployment_id)
    const agent = bundle?.agent(agentId)
    const tool = agent?.content.tools?.find(({ name }) => name === toolName)
    const workflow = tool?.kind === 'workflow' ? bundle?.workflow(tool.workflow) : undefined
    if (workflow) return workflows.call(run, { workflow, agentId, toolCallId, input, chain, fencingToken, trace })
    if (!bundle || !agent || tool?.kind !== 'operation')
      return failed('tool_error', `There is no operation ${toolName}.`)
    try {
      const begun = await invocations.begin(
        {
          bundle,
          agent,
          operation: tool.operation,
          input,
          by: { type: run.created_by_type as By['type'], id: run.created_by_id },
          origin: { type: 'run', agentRunId: run.id, toolCallId },
          above: trace,
        },
        { run: { chain, fencingToken, createdById: run.created_by_id } },
      )
      const outcome = callOutcomeOf(begun)
      if (outcome) return outcome
      const operation = bundle.operation(tool.operation)
      // a run that kept its machine while it waits for another run could starve that one
      if (operation && takesLong(operation)) return awaited(begun, operation)
      const progress = await invocations.settled(begun.id, signal)
      return callOutcomeOf(progress) ?? awaited(progress, operation)
    } catch (error) {
      if (error instanceof OperationFailure) return failed(error.code, error.message)
      throw error
    }
  }
}

/** The answer for a call that has not ended: what the run awaits. */
const awaited = ({ id: invocationId, approvalId, state }: InvocationProgress, operation?: Operation): CallAnswer => {
  // an earlier attempt may have made the call, which was approved since
  if (approvalId !== null && state === 'pending_approval') return { awaiting: 'approval', invocationId, approvalId }
  return { awaiting: operation?.handler.type === 'worker' ? 'worker' : 'agentRun', invocationId }
}

const failed = (code: string, message: string): CallAnswer => ({ error: { code, message } })
