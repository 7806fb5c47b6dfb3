/** Schemas of model calls. Source: contract 5, "Runner protocol". */
import { Type as t } from '@sinclair/typebox'
import { oneOf } from '../../../platform/http/schema.ts'
import { TokenUsage } from '../schema.ts'
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
    inputSchema: t.Object(
      {},
      { additionalProperties: true, description: 'The JSON Schema of the input, of type object.' },
    ),
  },
  { additionalProperties: false },
)

export const ModelCallBody = t.Object(
  {
    agentStepId: t.Integer({
      minimum: 1,
      description: 'An open model step, whose agent makes the call.',
    }),
    messages: t.Array(Message, {
      minItems: 1,
      maxItems: 10_000,
      description: 'The conversation as AI SDK messages, as in a checkpoint, without the instructions.',
    }),
    tools: t.Optional(t.Array(Tool, { maxItems: 500, description: 'The tools that the model may call.' })),
  },
  { $id: 'AttemptModelCall', additionalProperties: false, description: 'A model call for one step.' },
)
/** The same with the gateway's types. */
export type ModelCallLines = Omit<GatewayRequest, 'tools'> & Partial<Pick<GatewayRequest, 'tools'>>

const delta = { text: t.String() }
const call = { toolCallId: t.String(), toolName: t.String() }
const failure = {
  code: t.String(),
  message: t.String(),
  retryable: t.Boolean(),
  retryAfterMs: t.Optional(t.Integer({ minimum: 0 })),
}

export const ModelCallLine = t.Union(
  [
    t.Object({ type: t.Literal('text'), ...delta }),
    t.Object({ type: t.Literal('reasoning'), ...delta }),
    t.Object({ type: t.Literal('toolInput'), ...call, ...delta }),
    t.Object({ type: t.Literal('toolCall'), ...call, input: t.Unknown({ description: 'The complete input.' }) }),
    t.Object({
      type: t.Literal('finish'),
      finishReason: oneOf(['stop', 'length', 'content-filter', 'tool-calls', 'other']),
      usage: TokenUsage,
      assistantMessage: Message,
    }),
    t.Object({ type: t.Literal('error'), error: t.Object(failure) }),
    t.Object({ type: t.Literal('stopped'), signal: oneOf(['cancel', 'drain', 'stale']) }),
  ],
  { $id: 'AttemptModelLine', description: 'A line of the answer of a model call; the last three end it.' },
)

export const modelLineDescription =
  'One line of JSON per part: `{type: "text" | "reasoning", text}`, `{type: "toolInput", toolCallId, toolName, text}`, ' +
  '`{type: "toolCall", toolCallId, toolName, input}`. The last line is `{type: "finish", finishReason, usage, ' +
  'assistantMessage}`, `{type: "error", error: {code, message, retryable, retryAfterMs?}}` or `{type: "stopped", signal: ' +
  '"cancel" | "drain" | "stale"}`. Empty lines keep the connection alive. Without a last line the connection has broken.'
