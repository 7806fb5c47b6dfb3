/** A run, a scripted model, tools that count, and a clock that is moved by hand. */
import { runAttempt } from '../../../../src/runs/runner/attempt.ts'
import type {
  AgentContent,
  AgentMeans,
  AssignedAgent,
  RunInput,
} from '../../../../src/runs/runner/protocol/protocol.ts'
import { type RunnerServices, runnerServices } from '../../../../src/runs/runner/services.ts'
import { builtinTools } from '../../../../src/runs/runner/tools/builtins.ts'
import type { ToolContext, ToolExecutor } from '../../../../src/runs/runner/tools/executor.ts'
import { ManualClock } from './clock.ts'
import { type ScriptedModel, scriptedModel, type Turn } from './model.ts'
import { FakeServer, sandbox } from './server.ts'

export interface World {
  clock: ManualClock
  server: FakeServer
  model: ScriptedModel
  services: RunnerServices
  handBack: AbortController
  logged: { level: string; message: string; fields: Record<string, unknown> }[]
  /** Ids of the calls that were executed, by tool. */
  executed: Record<string, string[]>
  run(): ReturnType<typeof runAttempt>
}

export interface WorldOptions {
  turns: Turn[]
  /** What the models of delegates say, by the delegate's instructions. */
  turnsOf?: Record<string, Turn[]>
  content?: Partial<AgentContent>
  input?: RunInput
  means?: Partial<AgentMeans>
  /** Operation tools by name. */
  executors?: Record<string, Partial<ToolExecutor>>
}

export function createWorld({ turns, turnsOf, content, input, means, executors = {} }: WorldOptions): World {
  const clock = new ManualClock()
  const model = scriptedModel(turns, turnsOf)
  const executed: Record<string, string[]> = {}
  const logged: World['logged'] = []
  const log = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void logged.push({ level, message, fields })
  const services = runnerServices({
    clock,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    tools: builtinTools(clock, {
      find({ name }) {
        const given = executors[name]
        if (!given) return undefined
        return {
          idempotent: true,
          description: name,
          inputSchema: { type: 'object' },
          ...given,
          execute(input, context: ToolContext) {
            executed[name] = [...(executed[name] ?? []), context.toolCallId]
            return given.execute ? given.execute(input, context) : { did: name, input }
          },
        }
      },
    }),
  })
  const server = new FakeServer(clock, { instructions: 'Be brief.', ...content }, input, means)
  server.streamStep = model.streamStep
  const handBack = new AbortController()
  return {
    clock,
    server,
    model,
    services,
    handBack,
    logged,
    executed,
    run: () => runAttempt(server.lease(), services, handBack.signal),
  }
}

export const call = (toolCallId: string, toolName: string, input: unknown = {}) => ({ toolCallId, toolName, input })
export const operation = (name: string) => ({ kind: 'operation' as const, name, operation: `tools.${name}` })
/** What an assignment says of an operation. */
export const operationTool = (idempotent: boolean, inputSchema: Record<string, unknown> = { type: 'object' }) => ({
  description: 'Does something.',
  inputSchema,
  idempotent,
})
/** An agent that works below another; its instructions are its name. */
export const agent = (
  name: string,
  content: Partial<AgentContent> = {},
  means: Partial<AgentMeans> = {},
): AssignedAgent => ({
  agentId: `agt_${name}`,
  agentRevisionId: `agr_${name}`,
  name,
  content: { instructions: name, ...content },
  model: sandbox,
  operations: {},
  delegates: {},
  ...means,
})
/** A delegate within the server, as the content of the agent above names it. */
export const internal = ({ name, agentId }: AssignedAgent) => ({ name, description: `Works as ${name}.`, agentId })
export const interactive = (name: string) => ({
  kind: 'interactive' as const,
  name,
  description: `Asks for ${name}.`,
  inputSchema: { type: 'object' },
})
export const external = (name: string) => ({ name, description: `Works on ${name}.`, external: true as const })
