/** The tools of deployed Agents, and single calls without a model. Source: contract 3, `Tool`. */
import type { AgentTool } from '../../authoring/agents/content.ts'
import type { BundledAgent } from '../../delivery/deployments/bundle.ts'
import type { DeployedBundle } from '../../delivery/deployments/bundles.ts'
import { invalid, notFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { assertMatches } from '../../platform/http/validation/values.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { workflowTool } from '../../runs/admission/operation-tools.ts'
import { builtinExecutors } from '../../runs/runner/tools/builtins.ts'
import { toolError } from '../../runs/runner/tools/call.ts'
import { ToolError } from '../../runs/runner/tools/executor.ts'
import type { PageReader } from '../../runs/runner/tools/fetch.ts'
import { type DeployedParts, deployedAgent } from '../operations/invocations/deployed.ts'
import type { DeployedTool, ToolCall, ToolPath } from './schema.ts'

export interface ToolParts extends DeployedParts {
  clock: Clock
  /** Reads pages for `fetch`, as the built-in runner does. */
  outbound: PageReader
}

type AgentPath = Omit<ToolPath, 'tool'>
type Found = { agent: BundledAgent; bundle: DeployedBundle; tool: AgentTool }

const inputPath = '/body/input'

export class Tools {
  readonly #builtins

  constructor(private readonly parts: ToolParts) {
    this.#builtins = builtinExecutors(parts.clock, parts.outbound)
  }

  /** In the order of the Agent. Throws `notFound` and the conflicts of an Agent that is not deployed. */
  async list({ organizationId }: Caller, path: AgentPath): Promise<DeployedTool[]> {
    const { agent, bundle } = await deployedAgent(this.parts, organizationId, path)
    const { tools = [] } = agent.content
    return tools.flatMap((tool) => this.#present(tool, bundle) ?? [])
  }

  /** Throws as `list` does, and `notFound` for a tool that the Agent does not have. */
  async assertThere(caller: Caller, path: ToolPath): Promise<void> {
    await this.#find(caller, path)
  }

  /**
   * Calls a builtin tool; only checks the input of an interactive tool. Throws as `assertThere` does, and 422 for
   * invalid input, for an operation, which must be invoked, and for a workflow, which must be started.
   */
  async call(caller: Caller, path: ToolPath, input: unknown, signal: AbortSignal): Promise<ToolCall> {
    const { tool } = await this.#find(caller, path)
    if (tool.kind === 'operation') {
      throw invalid([{ path: '/params/tool', message: `Calls the operation ${tool.operation}: invoke that.` }])
    }
    if (tool.kind === 'workflow') {
      throw invalid([{ path: '/params/tool', message: `Runs the workflow ${tool.workflow}: start that.` }])
    }
    const { inputSchema } = tool.kind === 'builtin' ? this.#builtins[tool.name] : tool
    await assertFits(inputSchema, input, caller.organizationId)
    if (tool.kind === 'interactive') return { outcome: 'awaits_answer', output: null, error: null }
    try {
      const context = { signal, toolCallId: 'alone', runId: 'none' }
      const output = await this.#builtins[tool.name].execute(input as Record<string, unknown>, context)
      return { outcome: 'output', output: output ?? null, error: null }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      const failure = toolError(error.message, error.code)
      return { outcome: 'error', output: null, error: 'error' in failure ? failure.error : null }
    }
  }

  async #find({ organizationId }: Caller, { tool: name, ...path }: ToolPath): Promise<Found> {
    const { agent, bundle } = await deployedAgent(this.parts, organizationId, path)
    const tool = agent.content.tools?.find((each) => each.name === name)
    if (!tool) throw notFound()
    return { agent, bundle, tool }
  }

  /** Undefined for an operation or a workflow that the Deployment does not have. */
  #present(tool: AgentTool, bundle: DeployedBundle): DeployedTool | undefined {
    const { name, kind } = tool
    if (kind === 'interactive') {
      return { name, kind, description: tool.description, inputSchema: tool.inputSchema, ...noTarget }
    }
    if (kind === 'builtin') {
      const { description, inputSchema } = this.#builtins[name]
      return { name, kind, description, inputSchema, ...noTarget }
    }
    if (kind === 'workflow') {
      const workflow = bundle.workflow(tool.workflow)
      if (!workflow) return undefined
      const { description, inputSchema } = workflowTool(workflow)
      return { name, kind, description, inputSchema, operation: null, workflow: tool.workflow }
    }
    const operation = bundle.operation(tool.operation)
    const { description, inputSchema } = operation ?? {}
    return description === undefined || inputSchema === undefined
      ? undefined
      : { name, kind, description, inputSchema, operation: tool.operation, workflow: null }
  }
}

const noTarget = { operation: null, workflow: null }

async function assertFits(schema: Record<string, unknown>, input: unknown, organizationId: string): Promise<void> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid([{ path: inputPath, message: 'Must be an object.' }])
  }
  await assertMatches({ schema, value: input, organizationId, at: inputPath })
}
