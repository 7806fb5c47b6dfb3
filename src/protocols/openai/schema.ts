/** The shapes of requests of OpenAI's clients; `chat.ts` and `responses.ts` parse their content. */
import { type TSchema, Type } from '@sinclair/typebox'

const open = { additionalProperties: true }
const Model = Type.String({ minLength: 1, maxLength: 300 })
const type = Type.Literal('function')
const named = { name: Type.String({ minLength: 1, maxLength: 64 }) }
const toolsOf = <Tool extends TSchema>(tool: Tool) =>
  Type.Optional(Type.Union([Type.Array(tool, { maxItems: 128 }), Type.Null()]))
const Flag = Type.Optional(Type.Union([Type.Boolean(), Type.Null()]))

export const ChatBody = Type.Object(
  {
    model: Model,
    messages: Type.Array(Type.Object({ role: Type.String({ maxLength: 20 }) }, open), { minItems: 1, maxItems: 1_000 }),
    stream: Flag,
    stream_options: Type.Optional(
      Type.Union([Type.Object({ include_usage: Type.Optional(Type.Boolean()) }, open), Type.Null()]),
    ),
    tools: toolsOf(Type.Object({ type, function: Type.Object(named, open) }, open)),
    reasoning_effort: Type.Optional(Type.Unknown()),
    response_format: Type.Optional(Type.Unknown()),
    metadata: Type.Optional(Type.Unknown()),
  },
  open,
)

export const ResponseBody = Type.Object(
  {
    model: Model,
    input: Type.Union([Type.String(), Type.Array(Type.Object({}, open), { minItems: 1, maxItems: 1_000 })]),
    stream: Flag,
    stream_options: Type.Optional(Type.Unknown()),
    background: Flag,
    previous_response_id: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
    tools: toolsOf(Type.Object({ type: Type.String(), name: Type.Optional(named.name) }, open)),
    text: Type.Optional(Type.Unknown()),
    reasoning: Type.Optional(Type.Union([Type.Object({ effort: Type.Optional(Type.Unknown()) }, open), Type.Null()])),
    metadata: Type.Optional(Type.Unknown()),
  },
  open,
)

export const ResponsePath = Type.Object({ responseId: Type.String({ maxLength: 100 }) })
export const ResponseQuery = Type.Object({
  stream: Type.Optional(Type.Boolean()),
  starting_after: Type.Optional(Type.Integer({ minimum: 0 })),
  include_obfuscation: Type.Optional(Type.Boolean()),
})
export const ModelPath = Type.Object({ model: Type.String({ maxLength: 300 }) })
