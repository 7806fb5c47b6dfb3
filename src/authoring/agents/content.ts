/**
 * The immutable content of an Agent Revision: its shape, in one place for the API, the API document and the runner. What
 * a shape cannot say is in `rules.ts`. Source: contract 3, `AgentContent`, `Tool`, `Delegate`.
 */
import { Kind, type Static, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { Description, Id, oneOf, Slug } from '../../platform/http/schema.ts'
import { modelSettings } from '../../platform/models/model-settings.ts'
import { RunLimits } from '../../platform/models/prices/schema.ts'
import { vendorIds } from '../../platform/models/vendors.ts'

export const connectionKinds = ['http', 'database', 'object_storage', 'messaging', 'custom'] as const
/** The tools that every runner has; `runner/tools/builtins.ts` carries them out. */
export const builtinNames = ['clock', 'calculator', 'echo', 'fetch', 'json', 'time'] as const

const word = '[a-zA-Z0-9_-]{1,64}'

interface TextSchema extends TSchema {
  minLength: number
  maxLength: number
}

// JSON Schema counts characters, TypeBox counts UTF-16 units
TypeRegistry.Set<TextSchema>('Text', (schema, value) => {
  if (typeof value !== 'string' || value.length > schema.maxLength * 2) return false
  const length = value.length > schema.maxLength ? [...value].length : value.length
  return length >= schema.minLength && length <= schema.maxLength
})

const text = (minLength: number, maxLength: number, description: string) =>
  Type.Unsafe<string>({
    [Kind]: 'Text',
    type: 'string',
    minLength,
    maxLength,
    description,
    fault: `Must be text of ${minLength} to ${maxLength.toLocaleString('en')} characters.`,
  })

/** An object that may hold anything. */
const freeForm = (description: string) =>
  Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, description }))

const jsonSchema = (description: string) =>
  freeForm(`${description} JSON Schema, draft 2020-12 unless \`$schema\` says.`)

const toolName = Type.String({
  pattern: `^${word}$`,
  description: "The model's name for it. Unique among the tools and delegates of the Agent.",
  examples: ['look_up_order'],
})

/** `<definition>.<operation>` */
export const operationPattern = new RegExp(`^${word}\\.${word}$`)

const OperationName = Type.String({
  pattern: operationPattern.source,
  description: '`<definition>.<operation>`',
  examples: ['orders.find'],
})

export const AgentTool = Type.Union(
  [
    Type.Object({ kind: Type.Literal('operation'), name: toolName, operation: OperationName }),
    Type.Object({
      kind: Type.Literal('workflow'),
      name: toolName,
      workflow: Type.String({
        pattern: `^${word}$`,
        description:
          'The name of a workflow of the Release. The input of the tool are its params, its output is the result, and the run waits for it.',
        examples: ['refund-order'],
      }),
    }),
    Type.Object({
      kind: Type.Literal('interactive'),
      name: toolName,
      description: Description('The purpose of the tool, for the model.'),
      inputSchema: jsonSchema('The input that the model must give.'),
    }),
    Type.Object({
      kind: Type.Literal('builtin'),
      name: oneOf(builtinNames, { description: 'A tool that every runner has.' }),
    }),
  ],
  {
    $id: 'AgentTool',
    description: 'An operation, a workflow, a question to the starter of the run, or a tool of the runner.',
  },
)

const delegate = {
  name: toolName,
  description: Description('The kind of work for this delegate, for the model.'),
}

export const AgentDelegate = Type.Union(
  [
    Type.Object({ ...delegate, agentId: Id('agt', 'An Agent of the same Project.') }),
    Type.Object({
      ...delegate,
      agent: Slug('The slug of an Agent of the same Project, in place of its id.'),
    }),
    Type.Object({ ...delegate, external: Type.Literal(true) }),
  ],
  { $id: 'AgentDelegate', description: 'Another Agent, or an external party, that takes on a part of the work.' },
)

export const ReasoningBudget = Type.Union(
  [Type.Integer({ minimum: 0, maximum: 100_000 }), oneOf(['low', 'medium', 'high'])],
  {
    description: "The limit of the model's reasoning: tokens, or a level.",
    fault: 'Must be an integer from 0 to 100,000, or one of: low, medium, high.',
  },
)

const ModelChoice = Type.Object(
  {
    provider: Type.Optional(oneOf(vendorIds, { description: 'Default: the platform default.' })),
    model: Type.Optional(
      Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}$', description: 'A model of the provider.' }),
    ),
    reasoningBudget: Type.Optional(ReasoningBudget),
    settings: Type.Optional(Type.Object(modelSettings, { description: 'Additional text for the model.' })),
  },
  { description: 'The model that the author has in mind; a run and a provider setting go before it.' },
)

const Presentation = Type.Object(
  {
    displayName: Type.Optional(text(1, 200, 'The name of the Agent for its users.')),
    greeting: Type.Optional(text(0, 2000, 'What it says first.')),
    suggestedQueries: Type.Optional(
      Type.Array(text(1, 500, 'Something to ask.'), { maxItems: 20, description: 'Suggested queries.' }),
    ),
  },
  { description: 'The presentation of the Agent for its users.' },
)

const Binding = Type.Object(
  {
    bindingKey: Type.String({
      pattern: '^[a-zA-Z0-9_.-]{1,64}$',
      description: "The Agent's name for it. Unique among its bindings.",
      examples: ['shop'],
    }),
    kind: oneOf(['connection', 'variable'], { description: 'What is to be bound.' }),
    connectionKind: Type.Optional(oneOf(connectionKinds, { description: 'With `kind: connection` only.' })),
    required: Type.Boolean({ description: 'Whether a Deployment without it fails.' }),
  },
  { description: 'Something that each Environment has to provide.' },
)

export const AgentContent = Type.Object(
  {
    instructions: text(1, 100_000, 'The instructions of the Agent.'),
    model: Type.Optional(ModelChoice),
    tools: Type.Optional(Type.Array(AgentTool, { maxItems: 64, description: 'The tools of the model.' })),
    delegates: Type.Optional(Type.Array(AgentDelegate, { maxItems: 16, description: 'The delegates of the model.' })),
    outputSchema: Type.Optional(jsonSchema("What the run's output must match.")),
    maxSteps: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: 'The maximum number of model steps of a run. Default: 20.',
      }),
    ),
    limits: Type.Optional(RunLimits),
    presentation: Type.Optional(Presentation),
    bindings: Type.Optional(
      Type.Array(Binding, { maxItems: 64, description: 'Connections and variables that it needs.' }),
    ),
    metadata: Type.Optional(freeForm('Notes of the author.')),
  },
  {
    $id: 'AgentContent',
    description: 'The content of an Agent: instructions, model, tools, delegates. It contains no secrets.',
  },
)

export type AgentTool = Static<typeof AgentTool>
export type AgentDelegate = Static<typeof AgentDelegate>
export type AgentContent = Static<typeof AgentContent>
