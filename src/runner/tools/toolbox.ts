/** What the model of an attempt may call, and what a call of it means. */
import type { ToolDefinition } from '../../providers/step.ts'
import type { AgentDelegate, AgentTool, Assignment } from '../protocol.ts'
import type { ToolExecutor, ToolExecutors } from './executor.ts'

export type OfferedTool = { stepKind: 'tool' | 'delegate' } & (
  | { executor: ToolExecutor }
  /** The result comes from outside; the run waits for it. */
  | { executor: null; inputSchema: Record<string, unknown> }
)

const delegateInput = {
  type: 'object',
  properties: { query: { type: 'string', minLength: 1, description: 'What the delegate is to do, complete.' } },
  required: ['query'],
}

export class Toolbox {
  readonly definitions: ToolDefinition[] = []
  /** Tools of the agent that nothing here carries out; they are not offered. */
  readonly missing: string[] = []
  readonly #offered = new Map<string, OfferedTool>()

  constructor(assignment: Assignment, executors: ToolExecutors) {
    const { tools = [], delegates = [] } = assignment.agent.content
    for (const tool of tools) {
      if (tool.kind === 'interactive') this.#awaited(tool, 'tool', tool.inputSchema)
      else this.#executed(tool, 'tool', executors.find(tool, assignment))
    }
    for (const delegate of delegates) {
      if ('external' in delegate) this.#awaited(delegate, 'delegate', delegateInput)
      else this.#executed(delegate, 'delegate', executors.find(delegate, assignment))
    }
  }

  find(name: string): OfferedTool | undefined {
    return this.#offered.get(name)
  }

  #awaited(
    { name, description }: { name: string; description: string },
    stepKind: 'tool' | 'delegate',
    inputSchema: Record<string, unknown>,
  ) {
    this.#offer({ name, description, inputSchema }, { stepKind, executor: null, inputSchema })
  }

  #executed(tool: AgentTool | AgentDelegate, stepKind: 'tool' | 'delegate', executor: ToolExecutor | undefined) {
    if (!executor) {
      this.missing.push(tool.name)
      return
    }
    const description = 'description' in tool ? tool.description : executor.description
    this.#offer({ name: tool.name, description, inputSchema: executor.inputSchema }, { stepKind, executor })
  }

  #offer(definition: ToolDefinition, tool: OfferedTool) {
    if (this.#offered.has(definition.name)) return
    this.#offered.set(definition.name, tool)
    this.definitions.push(definition)
  }
}

/** The schema that the input of a call must match. */
export const inputSchemaOf = (tool: OfferedTool) => (tool.executor ? tool.executor.inputSchema : tool.inputSchema)
