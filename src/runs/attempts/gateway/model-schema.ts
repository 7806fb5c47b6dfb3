/** What a runner says of a call of a model. Source: contract 5, "Runner protocol". */
import { Type as t } from '@sinclair/typebox'
import { oneOf } from '../../../platform/http/schema.ts'
import type { GatewayRequest } from './model-calls.ts'

const Part = t.Object({ type: t.String({ minLength: 1, maxLength: 40 }) }, { additionalProperties: true })

const Message = t.Object(
  {
    role: oneOf(['user', 'assistant', 'tool']),
    content: t.Union([t.String(), t.Array(Part, { maxItems: 10_000 })]),
  },
  { additionalProperties: true },
)

const Tool = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 200 }),
    description: t.Optional(t.String({ maxLength: 20_000 })),
    inputSchema: t.Object({}, { additionalProperties: true, description: 'JSON Schema of an object.' }),
  },
  { additionalProperties: false },
)

export const ModelCallBody = t.Object(
  {
    agentStepId: t.Integer({
      minimum: 1,
      description: 'The model step, started and not ended; its agent is who calls.',
    }),
    messages: t.Array(Message, {
      minItems: 1,
      maxItems: 10_000,
      description:
        'The conversation, as a checkpoint holds it: messages of the AI SDK. The instructions are not among them.',
    }),
    tools: t.Optional(t.Array(Tool, { maxItems: 500, description: 'What the model may call.' })),
  },
  { $id: 'AttemptModelCall', additionalProperties: false, description: 'One step of a model.' },
)
/** The same, in the types of those who handle it. */
export type ModelCallLines = Omit<GatewayRequest, 'tools'> & Partial<Pick<GatewayRequest, 'tools'>>

export const modelLineDescription =
  'A line of JSON for each part: `{type: "text" | "reasoning", text}`, `{type: "toolInput", toolCallId, toolName, text}`, ' +
  '`{type: "toolCall", toolCallId, toolName, input}`. The last line is `{type: "finish", finishReason, usage, ' +
  'assistantMessage}`, `{type: "error", error: {code, message, retryable, retryAfterMs?}}` or `{type: "stopped", signal: ' +
  '"cancel" | "drain" | "stale"}`. Empty lines keep the connection alive. Without a last line the connection has broken.'
