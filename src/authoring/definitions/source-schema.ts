/**
 * What a Definition Revision holds: the shape of each kind, for the API, the API document and the check of a new one. What
 * a shape cannot say is in the rules beside. Source: contract 3, `DefinitionSource`.
 */
import { type TSchema, Type } from '@sinclair/typebox'
import { Description, oneOf } from '../../platform/http/schema.ts'
import { dayMs } from '../../platform/time/durations.ts'
import { jsonSchema, Word } from './shapes.ts'
import { type DefinitionSource, parameterStyles } from './source.ts'
import { WorkflowSource } from './workflows/schema.ts'

export const definitionKinds = ['operations', 'workflow', 'entity'] as const
export type DefinitionKind = (typeof definitionKinds)[number]

export const operationsMax = 100
export const operationTimeoutMsMax = 120_000
/** The limit of a `worker` handler: a day. */
const workerTimeoutMsMax = dayMs
/** The name of a queue that workers serve. */
export const QueueName = (description: string) =>
  Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,64}$', description, examples: ['billing'] })
const texts = (description: string) =>
  Type.Record(Type.String(), Type.String({ maxLength: 8192 }), { maxProperties: 64, description })

const BindingKey = Type.String({
  pattern: '^[a-zA-Z0-9_.-]{1,64}$',
  description: 'The bindingKey of a Connection.',
  examples: ['shop'],
})

const OperationHandler = Type.Union(
  [
    Type.Object({
      type: Type.Literal('http'),
      connection: BindingKey,
      method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'], { description: 'Method' }),
      path: Type.String({
        maxLength: 2048,
        description: 'Goes behind the base URL of the Connection; begins with `/`.',
        examples: ['/orders/{{input.orderId}}'],
      }),
      query: Type.Optional(texts('Parameters of the query. A list repeats its parameter.')),
      styles: Type.Optional(
        Type.Record(
          Type.String(),
          Type.Object({
            style: oneOf(parameterStyles, { description: "The style of lists and objects, in OpenAPI's terms." }),
            explode: Type.Boolean({ description: 'Whether each item, or each field, is written apart.' }),
            name: Type.Optional(
              Type.String({
                pattern: '^[a-zA-Z0-9_.$~\\[\\]-]{1,128}$',
                description: 'The name of the parameter, with `matrix`; omitted: that of the value.',
              }),
            ),
          }),
          {
            maxProperties: 64,
            description:
              'By placeholder: how its list or object is written where it stands alone, in the path, a parameter of the ' +
              'query, a header, or a field of a form. Default: a list repeats its parameter in query and form, everything else is JSON.',
            examples: [{ 'input.ids': { style: 'form', explode: false } }],
          },
        ),
      ),
      headers: Type.Optional(texts('Headers; never those that authenticate or frame the request.')),
      body: Type.Optional(
        Type.Unknown({
          description:
            'Written as the header `Content-Type` says: JSON (also without the header), a form ' +
            '(`application/x-www-form-urlencoded`: an object, whose lists repeat their field), or else text. A text that is ' +
            'one placeholder alone takes its JSON value.',
        }),
      ),
    }),
    Type.Object({
      type: Type.Literal('mcp'),
      connection: BindingKey,
      tool: Type.String({
        pattern: '^[a-zA-Z0-9_./ -]{1,128}$',
        description: "The MCP server's name for the tool.",
        examples: ['search'],
      }),
      digest: Type.Optional(
        Type.String({
          pattern: '^sha256:[0-9a-f]{64}$',
          description:
            "The digest of the tool's schemas at the server when it was imported: a call fails if they differ now. Omitted: they must equal the operation's.",
        }),
      ),
    }),
    Type.Object({
      type: Type.Literal('agent'),
      agent: Type.String({
        pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
        description: 'The slug of an Agent of the Project.',
        examples: ['support-desk'],
      }),
      query: Type.String({ minLength: 1, maxLength: 100_000, description: 'What it is asked.' }),
    }),
    Type.Object({
      type: Type.Literal('entity'),
      entity: Word('The name of an entity Definition.', 'order'),
      action: oneOf(['create', 'update', 'transition', 'delete'], { description: 'The action on the entity.' }),
    }),
    Type.Object({
      type: Type.Literal('worker'),
      queue: QueueName('Which workers make the call: processes of yours that serve this queue of the Environment.'),
    }),
    Type.Object({ type: Type.Literal('echo') }),
  ],
  {
    $id: 'OperationHandler',
    description:
      'How the operation is carried out: a call over a Connection, a tool of an MCP server behind one, a run of an Agent, a change of an entity, ' +
      'code in a process of yours, or its input as it is. `{{input.x}}` and `{{variables.NAME}}` stand for values in `path`, `query`, `headers` and `body`; ' +
      "in an Agent's query `{{input.x}}` does.",
  },
)

export const Operation = Type.Object(
  {
    name: Word('Unique in the Definition; `<definition>.<operation>` names it elsewhere.', 'find'),
    description: Description('Its description for the model.'),
    inputSchema: jsonSchema('Its input: an object.'),
    outputSchema: Type.Optional(jsonSchema('Its output.')),
    effect: oneOf(['read', 'write'], { description: 'Whether it changes anything.' }),
    idempotent: Type.Boolean({ description: 'Whether repeating it has no further effect.' }),
    approval: oneOf(['never', 'always'], { description: 'Whether a person must approve the call first.' }),
    timeoutMs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: workerTimeoutMsMax,
        description:
          'How long one call of an `http`, `mcp` or `worker` handler may take, including its wait for a worker; default: 30,000. At ' +
          'most 120,000, of a `worker` handler 86,400,000. An `agent` handler has the limits of a run, ' +
          'and what waits for an approval waits as long as that is open.',
      }),
    ),
    handler: OperationHandler,
  },
  { $id: 'Operation', description: 'Something that Agents and workflows can do.' },
)

const OperationsSource = Type.Object(
  { operations: Type.Array(Operation, { minItems: 1, maxItems: operationsMax, description: 'At least one.' }) },
  { $id: 'OperationsSource', description: 'The source of a Definition of kind `operations`.' },
)

const EntitySource = Type.Object(
  {
    schema: jsonSchema('The data of an entity: an object.'),
    states: Type.Object(
      {
        initial: Word('The state that an entity begins in.', 'open'),
        states: Type.Record(
          Type.String(),
          Type.Object({
            on: Type.Optional(
              Type.Record(Type.String(), Type.String(), {
                maxProperties: 100,
                description: 'The next state, by event.',
                examples: [{ pay: 'paid' }],
              }),
            ),
            final: Type.Optional(Type.Boolean({ description: 'Nothing leads out of it.' })),
          }),
          { minProperties: 1, maxProperties: 100, description: 'By name.', examples: [{ open: {} }] },
        ),
      },
      { description: 'The statechart of each entity.' },
    ),
  },
  { $id: 'EntitySource', description: 'The source of a Definition of kind `entity`: data with a lifecycle.' },
)

/** By the kind of the Definition. */
export const sourceSchemas: Record<DefinitionKind, TSchema> = {
  operations: OperationsSource,
  workflow: WorkflowSource,
  entity: EntitySource,
}

export const Source = Type.Unsafe<DefinitionSource>(
  Type.Union([OperationsSource, WorkflowSource, EntitySource], {
    description: "What the Definition says, as the Definition's kind asks for.",
  }),
)
