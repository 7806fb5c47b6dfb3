/** Agents: instructions, tools, delegates. */
import type { AgentContent, AgentDelegate, AgentTool } from '../generated/schemas.ts'
import type { ToolCall, ToolHandlers } from '../runs/answering.ts'
import { type AnySchema, checked, type Infer, jsonSchemaOf } from '../schemas/schema.ts'
import type { AgentManifest } from './manifest.ts'
import type { OperationReference, OperationsDefinition } from './operations.ts'

/** A tool that the client of the run answers: a question to a person, or an action in the browser. */
export interface InteractiveTool<Input extends AnySchema> {
  /** The description that the model reads. */
  description: string
  /** The model's input. */
  input: Input
  /** Answers a call, for `run.answerWith(agent.answers)`. */
  answer?(input: Infer<Input>, call: ToolCall): unknown
}

/** A delegate of the model: an Agent of the Project, or an external party. */
export type Delegate = { description: string } & (
  | { agent: AgentDefinition | string; external?: undefined }
  | { external: true; agent?: undefined }
)

type BuiltinTool = Extract<AgentTool, { kind: 'builtin' }>['name']

/** A workflow of the Project, by the name of its Definition. Its params are the input of the tool. */
export interface WorkflowTool {
  workflow: string
}

/** A tool of an Agent: an operation, a workflow, or an interactive tool with any input. */
type Tool =
  | OperationReference
  | WorkflowTool
  | { description: string; input: AnySchema; answer?(input: never, call: ToolCall): unknown }

/** An Agent as its author writes it. */
export interface AgentOptions extends Omit<AgentContent, 'tools' | 'delegates' | 'outputSchema'> {
  name?: string
  description?: string
  /** By the name that the model calls: operations, workflows, and tools that the client of the run answers. */
  tools?: Record<string, Tool>
  /** Tools that every runner has. */
  builtins?: readonly BuiltinTool[]
  /** By the name that the model calls. */
  delegates?: Record<string, Delegate>
  /** The schema of the run's output. */
  output?: AnySchema
  /** Default: the grants that its tools need. */
  grantedOperations?: string[]
}

/** An Agent, ready for a Project. */
export interface AgentDefinition<Slug extends string = string> extends AgentManifest {
  readonly slug: Slug
  /** The Definitions of its operations. */
  readonly definitions: readonly OperationsDefinition[]
  /** The Agents among its delegates. */
  readonly delegates: readonly AgentDefinition[]
  /** The answers of its interactive tools, for `run.answerWith`. Input is validated before they get it. */
  readonly answers: ToolHandlers
}

const isOperation = (tool: Tool): tool is OperationReference => 'operation' in tool
const isWorkflow = (tool: Tool): tool is WorkflowTool => 'workflow' in tool

function toolOf(name: string, tool: Tool): AgentTool {
  if (isOperation(tool)) return { kind: 'operation', name, operation: tool.operation }
  if (isWorkflow(tool)) return { kind: 'workflow', name, workflow: tool.workflow }
  return { kind: 'interactive', name, description: tool.description, inputSchema: jsonSchemaOf(tool.input) }
}

function delegateOf(name: string, { description, agent }: Delegate): AgentDelegate {
  if (agent === undefined) return { name, description, external: true }
  return { name, description, agent: typeof agent === 'string' ? agent : agent.slug }
}

function answersOf(tools: [string, Tool][]): ToolHandlers {
  const answers: Record<string, (input: unknown, call: ToolCall) => Promise<unknown>> = {}
  for (const [name, tool] of tools) {
    if (isOperation(tool) || isWorkflow(tool) || !tool.answer) continue
    answers[name] = async (input, call) => tool.answer?.((await checked(tool.input, input)) as never, call)
  }
  return answers as ToolHandlers
}

/** An interactive tool. The type of its input is the type of its answer's argument. */
export const interactive = <const Input extends AnySchema>(tool: InteractiveTool<Input>): InteractiveTool<Input> => tool

/**
 * An Agent.
 *
 *     const clerk = defineAgent('clerk', {
 *       instructions: 'Answer questions about orders.',
 *       tools: {
 *         find_order: orders.operations.find,
 *         ask: interactive({
 *           description: 'Asks the customer.',
 *           input: z.object({ question: z.string() }),
 *           answer: ({ question }) => prompt(question),
 *         }),
 *       },
 *     })
 */
export function defineAgent<const Slug extends string>(slug: Slug, options: AgentOptions): AgentDefinition<Slug> {
  const {
    name,
    description,
    tools = {},
    builtins = [],
    delegates = {},
    output,
    grantedOperations,
    ...content
  } = options
  const named = Object.entries(tools)
  const all: AgentTool[] = [
    ...named.map(([each, tool]) => toolOf(each, tool)),
    ...builtins.map((builtin) => ({ kind: 'builtin' as const, name: builtin })),
  ]
  const others = Object.entries(delegates)
  return {
    slug,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    content: {
      ...content,
      ...(all.length > 0 && { tools: all }),
      ...(others.length > 0 && { delegates: others.map(([each, delegate]) => delegateOf(each, delegate)) }),
      ...(output && { outputSchema: jsonSchemaOf(output) }),
    },
    ...(grantedOperations && { grantedOperations }),
    definitions: named.flatMap(([, tool]) => (isOperation(tool) ? [tool.definition] : [])),
    delegates: others.flatMap(([, { agent }]) => (agent === undefined || typeof agent === 'string' ? [] : [agent])),
    answers: answersOf(named),
  }
}
