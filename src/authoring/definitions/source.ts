/** The content of a Definition Revision, by kind. Source: contract 3, `DefinitionSource`. */
export type JsonSchema = Record<string, unknown>

/** OpenAPI's styles of lists and objects as text; `json` is that of a parameter with a media type. */
export const parameterStyles = [
  'simple',
  'label',
  'matrix',
  'form',
  'spaceDelimited',
  'pipeDelimited',
  'deepObject',
  'json',
] as const

export interface ParameterStyle {
  style: (typeof parameterStyles)[number]
  explode: boolean
  /** With `matrix`; default: the last name of the placeholder. */
  name?: string
}

export type Handler =
  | {
      type: 'http'
      /** The bindingKey of a Connection. */
      connection: string
      method: string
      path: string
      query?: Record<string, string>
      headers?: Record<string, string>
      /** By placeholder without its braces. */
      styles?: Record<string, ParameterStyle>
      body?: unknown
    }
  | {
      type: 'mcp'
      /** The bindingKey of a Connection. */
      connection: string
      tool: string
      /** The digest of the server's schemas for the tool; omitted: the operation's. */
      digest?: string
    }
  | { type: 'agent'; agent: string; query: string }
  | { type: 'entity'; entity: string; action: 'create' | 'update' | 'transition' | 'delete' }
  /** Code of the user, in a process of the user that serves the queue. */
  | { type: 'worker'; queue: string }
  | { type: 'echo' }

export interface Operation {
  name: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  effect: 'read' | 'write'
  idempotent: boolean
  approval: 'never' | 'always'
  timeoutMs?: number
  handler: Handler
}

export interface OperationsSource {
  operations: Operation[]
}

export interface WorkflowStep {
  id: string
  /** `<definition>.<operation>`; a step has exactly one of the fields in `stepKinds`. */
  operation?: string
  /** The name of the workflow that it runs. */
  workflow?: string
  /** How long it waits, in milliseconds. */
  sleep?: number
  /** The event that it waits for; `timeoutMs`: how long at most. */
  waitFor?: { event: string; correlation: string; timeoutMs: number }
  /** A placeholder of a list, for each of whose items the step is done. */
  forEach?: string
  /** For how many items at once; default: 10. */
  concurrency?: number
  /** Whether the step is done at all: see `workflows/conditions.ts`. */
  when?: unknown
  input?: Record<string, unknown>
  after?: string[]
  retry?: { maxAttempts: number; backoffMs: number }
  onError?: 'fail' | 'continue'
  /** What takes the step back if the run fails or is canceled. */
  compensate?: { operation: string; input?: Record<string, unknown> }
}

/** What a step does: the names of the fields that say it. */
export const stepKinds = ['operation', 'workflow', 'sleep', 'waitFor'] as const satisfies (keyof WorkflowStep)[]

/** The fields of a step with placeholders of values that exist before it begins. */
export const fieldsWithValues = ['when', 'forEach', 'input', 'waitFor'] as const satisfies (keyof WorkflowStep)[]

export interface WorkflowSource {
  /** For the model of an Agent that has it as a tool. */
  description?: string
  params: JsonSchema
  steps: WorkflowStep[]
  output?: Record<string, unknown>
}

export interface EntitySource {
  schema: JsonSchema
  states: { initial: string; states: Record<string, { on?: Record<string, string>; final?: boolean }> }
}

export type DefinitionSource = OperationsSource | WorkflowSource | EntitySource
