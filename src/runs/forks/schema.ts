/** The request of a fork. Source: contract 14, "Fork". */
import { Type } from '@sinclair/typebox'
import { oneOf } from '../../platform/http/schema.ts'
import { ContentItem } from '../admission/request-schema.ts'

const options = {
  providerOptions: Type.Optional(
    Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      description: 'What a vendor needs back, as it is.',
    }),
  ),
}
const base64 = Type.String({ minLength: 1, description: 'Base64.' })
const mediaType = Type.String({ minLength: 1, maxLength: 100 })
const CallId = Type.String({ minLength: 1, maxLength: 200, description: 'The id of the call.' })
const ToolName = Type.String({ minLength: 1, maxLength: 200, description: 'The tool.' })

const Text = Type.Object({ type: Type.Literal('text'), text: Type.String(), ...options })
const Image = Type.Object({
  type: Type.Literal('image'),
  image: base64,
  mediaType: Type.Optional(mediaType),
  ...options,
})
const File = Type.Object({
  type: Type.Literal('file'),
  data: base64,
  mediaType,
  filename: Type.Optional(Type.String({ maxLength: 255 })),
  ...options,
})
const Reasoning = Type.Object({ type: Type.Literal('reasoning'), text: Type.String(), ...options })
const ToolCall = Type.Object({
  type: Type.Literal('tool-call'),
  toolCallId: CallId,
  toolName: ToolName,
  input: Type.Any({ description: 'The arguments of the call.' }),
  ...options,
})
const Output = Type.Union([
  Type.Object({ type: oneOf(['text', 'error-text']), value: Type.String() }),
  Type.Object({ type: oneOf(['json', 'error-json']), value: Type.Any({ description: 'JSON.' }) }),
  Type.Object({
    type: Type.Literal('content'),
    value: Type.Array(
      Type.Union([
        Type.Object({ type: Type.Literal('text'), text: Type.String() }),
        Type.Object({ type: Type.Literal('image-data'), data: base64, mediaType }),
      ]),
    ),
  }),
])
const ToolResult = Type.Object({
  type: Type.Literal('tool-result'),
  toolCallId: CallId,
  toolName: ToolName,
  output: Output,
  ...options,
})

const ConversationMessage = Type.Union(
  [
    Type.Object({
      role: Type.Literal('user'),
      content: Type.Union([Type.String(), Type.Array(Type.Union([Text, Image, File]), { minItems: 1 })]),
      ...options,
    }),
    Type.Object({
      role: Type.Literal('assistant'),
      content: Type.Union([Type.String(), Type.Array(Type.Union([Text, Reasoning, File, ToolCall]))]),
      ...options,
    }),
    Type.Object({ role: Type.Literal('tool'), content: Type.Array(ToolResult, { minItems: 1 }), ...options }),
  ],
  { $id: 'ConversationMessage', description: 'A message of a conversation, as in checkpoints.' },
)

export const ForkBody = Type.Object(
  {
    checkpointId: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'The checkpoint of the run that the fork begins from; 0, the default, is its input.',
      }),
    ),
    query: Type.Optional(
      Type.String({
        description:
          'The message of the user: in place of the input at checkpoint 0, otherwise after the conversation. At a ' +
          '`suspended` checkpoint it is the result of the call that the run waited for, as in a continue.',
        examples: ['And in 200 days?'],
      }),
    ),
    contents: Type.Optional(
      Type.Array(ContentItem, { maxItems: 1000, description: 'The attachments of that message; at most 10 MiB.' }),
    ),
    messages: Type.Optional(
      Type.Array(ConversationMessage, {
        minItems: 1,
        maxItems: 2000,
        description:
          'A conversation in place of the one at the checkpoint, in the form of checkpoints. The fork makes the calls of ' +
          'the last message that have no result.',
      }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "Another model of the same provider; by default the run's.",
      }),
    ),
  },
  { $id: 'NewAgentRunFork', description: 'Where a fork begins, and with what.' },
)
export type ForkRequest = typeof ForkBody.static
export type ConversationMessage = typeof ConversationMessage.static
