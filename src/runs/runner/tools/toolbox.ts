/** The tools and delegates that an agent's model may call, and their executors. */
import type { ToolDefinition } from '../../providers/step.ts'
import { type AgentDelegate, type AgentTool, type AssignedAgent, delegateLevelsMax } from '../protocol/protocol.ts'
import type { ToolExecutor, ToolExecutors } from './executor.ts'
import { type CallOperation, operationExecutor } from './operations.ts'

export type OfferedTool = { stepKind: 'tool' | 'delegate'; inputSchema: Record<string, unknown> } & (
  | { by: 'executor'; executor: ToolExecutor }
  /** A delegate in the same attempt. */
  | { by: 'agent'; agent: AssignedAgent }
  /** The result comes from outside, and the run waits for it. */
  | { by: 'outside' }
)

interface ToolboxParts {
  agent: AssignedAgent
  /** Levels below the run's agent. */
  level: number
  executors: ToolExecutors
  callOperation: CallOperation
}

/** The input of delegates. Source: contract 3, "a delegate's input is `{query}`". */
const delegateInput = {
  type: 'object',
  properties: { query: { type: 'string', minLength: 1, description: 'The complete task for the delegate.' } },
  required: ['query'],
}

export class Toolbox {
  readonly definitions: ToolDefinition[] = []
  /** The agent's tools and delegates without an executor; they are not offered. */
  readonly missing: string[] = []
  readonly #offered = new Map<string, OfferedTool>()

  constructor(private readonly parts: ToolboxParts) {
    const { tools = [], delegates = [] } = parts.agent.content
    for (const tool of tools) {
      if (tool.kind === 'interactive') this.#awaited(tool, 'tool', tool.inputSchema)
      else this.#executed(tool, 'tool', this.#executorOf(tool))
    }
    for (const delegate of delegates) this.#delegate(delegate)
  }

  find(name: string): OfferedTool | undefined {
    return this.#offered.get(name)
  }

  #executorOf(tool: AgentTool): ToolExecutor | undefined {
    const { agent, executors, callOperation } = this.parts
    const executor = executors.find(tool, agent)
    const isOfServer = tool.kind === 'operation' || tool.kind === 'workflow'
    if (executor || !isOfServer || !Object.hasOwn(agent.operations, tool.name)) return executor
    return operationExecutor(agent, tool.name, callOperation)
  }

  #delegate(delegate: AgentDelegate) {
    if ('external' in delegate) return this.#awaited(delegate, 'delegate', delegateInput)
    const { agent, executors, level } = this.parts
    const { name, description } = delegate
    const own = level < delegateLevelsMax && Object.hasOwn(agent.delegates, name) ? agent.delegates[name] : undefined
    if (!own) return this.#executed(delegate, 'delegate', executors.find(delegate, agent))
    const tool = { stepKind: 'delegate', inputSchema: delegateInput, by: 'agent', agent: own } as const
    this.#offer({ name, description, inputSchema: delegateInput }, tool)
  }

  #awaited(
    { name, description }: { name: string; description: string },
    stepKind: 'tool' | 'delegate',
    inputSchema: Record<string, unknown>,
  ) {
    this.#offer({ name, description, inputSchema }, { stepKind, inputSchema, by: 'outside' })
  }

  #executed(tool: AgentTool | AgentDelegate, stepKind: 'tool' | 'delegate', executor: ToolExecutor | undefined) {
    if (!executor) {
      this.missing.push(tool.name)
      return
    }
    const { inputSchema } = executor
    const description = 'description' in tool ? tool.description : executor.description
    this.#offer({ name: tool.name, description, inputSchema }, { stepKind, inputSchema, by: 'executor', executor })
  }

  #offer(definition: ToolDefinition, tool: OfferedTool) {
    if (this.#offered.has(definition.name)) return
    this.#offered.set(definition.name, tool)
    this.definitions.push(definition)
  }
}
