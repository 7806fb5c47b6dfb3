/** The frames of each vendor's server for one reply, in the vendor's own format. */
import type { Vendor } from '../../../src/platform/models/vendors.ts'

/** One reply of a model, independent of the vendor. */
export interface Reply {
  text?: string[]
  /** Sent before the text, by vendors that stream it. */
  reasoning?: string
  /** `input` is the JSON as the model wrote it, in pieces. */
  calls?: { id: string; name: string; input: string[] }[]
  /** Mistral and Cohere have no `filter`. */
  finish: 'stop' | 'length' | 'filter' | 'calls'
  usage?: { input: number; output: number; cached?: number; reasoning?: number }
}

/** `openai` is the Responses API, `openaiChat` the API of overrides. */
export type Wire = Vendor | 'openaiChat'

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { type: string; [name: string]: unknown }) => `event: ${value.type}\n${data(value)}`

/** The frames of a reply, the closing one last. */
export const frames: Record<Wire, (reply: Reply) => string[]> = {
  anthropic({ text, reasoning, calls = [], finish, usage = noUsage }) {
    const blocks: string[][] = []
    const block = (content_block: object, ...deltas: object[]) => {
      const index = blocks.length
      blocks.push([
        event({ type: 'content_block_start', index, content_block }),
        ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
        event({ type: 'content_block_stop', index }),
      ])
    }
    if (reasoning) {
      const thinking = { type: 'thinking_delta', thinking: reasoning }
      block({ type: 'thinking', thinking: '' }, thinking, { type: 'signature_delta', signature: 'c2lnbmVk' })
    }
    if (text) block({ type: 'text', text: '' }, ...text.map((piece) => ({ type: 'text_delta', text: piece })))
    for (const { id, name, input } of calls) {
      const deltas = input.map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      block({ type: 'tool_use', id, name, input: {} }, ...deltas)
    }
    const stop_reason = { stop: 'end_turn', length: 'max_tokens', filter: 'refusal', calls: 'tool_use' }[finish]
    const input_tokens = usage.input - (usage.cached ?? 0)
    const counted = { input_tokens, cache_read_input_tokens: usage.cached ?? 0, cache_creation_input_tokens: 0 }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], stop_reason: null }
    return [
      event({ type: 'message_start', message: { ...message, usage: { ...counted, output_tokens: 1 } } } as {
        type: string
      }),
      event({ type: 'ping' }),
      ...blocks.flat(),
      event({
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      event({ type: 'message_stop' }),
    ]
  },

  openai({ text, reasoning, calls = [], finish, usage = noUsage }) {
    const sent: string[] = []
    let sequence_number = 0
    const send = (type: string, rest: object) => sent.push(event({ type, sequence_number: sequence_number++, ...rest }))
    const response = { id: 'resp_1', object: 'response', created_at: 1_760_000_000, model: 'gpt-5.5', error: null }
    send('response.created', { response: { ...response, status: 'in_progress', output: [] } })
    let output_index = 0
    if (reasoning) {
      const item = { id: 'rs_1', type: 'reasoning', summary: [] as object[], encrypted_content: null as string | null }
      send('response.output_item.added', { output_index, item })
      const at = { item_id: 'rs_1', output_index, summary_index: 0 }
      send('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } })
      send('response.reasoning_summary_text.delta', { ...at, delta: reasoning })
      send('response.reasoning_summary_part.done', { ...at, part: { type: 'summary_text', text: reasoning } })
      const done = { ...item, summary: [{ type: 'summary_text', text: reasoning }], encrypted_content: 'c2VhbGVk' }
      send('response.output_item.done', { output_index: output_index++, item: done })
    }
    if (text) {
      const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] as object[] }
      send('response.output_item.added', { output_index, item })
      const at = { item_id: 'msg_1', output_index, content_index: 0 }
      send('response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } })
      for (const delta of text) send('response.output_text.delta', { ...at, delta, logprobs: [] })
      const whole = { type: 'output_text', text: text.join(''), annotations: [] }
      send('response.output_text.done', { ...at, text: whole.text, logprobs: [] })
      const done = { ...item, status: 'completed', content: [whole] }
      send('response.output_item.done', { output_index: output_index++, item: done })
    }
    for (const { id, name, input } of calls) {
      const item = { id: `fc_${id}`, type: 'function_call', status: 'in_progress', call_id: id, name, arguments: '' }
      send('response.output_item.added', { output_index, item })
      for (const delta of input)
        send('response.function_call_arguments.delta', { item_id: item.id, output_index, delta })
      send('response.function_call_arguments.done', { item_id: item.id, output_index, arguments: input.join('') })
      const done = { ...item, status: 'completed', arguments: input.join('') }
      send('response.output_item.done', { output_index: output_index++, item: done })
    }
    const cut = finish === 'length' ? 'max_output_tokens' : finish === 'filter' ? 'content_filter' : null
    send(cut ? 'response.incomplete' : 'response.completed', {
      response: {
        ...response,
        status: cut ? 'incomplete' : 'completed',
        incomplete_details: cut ? { reason: cut } : null,
        output: [],
        usage: {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: usage.cached ?? 0 },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
          total_tokens: usage.input + usage.output,
        },
      },
    })
    return sent
  },

  google({ text, reasoning, calls = [], finish, usage = noUsage }) {
    const parts: object[] = []
    if (reasoning) parts.push({ text: reasoning, thought: true })
    for (const piece of text ?? []) parts.push({ text: piece })
    for (const { name, input } of calls) {
      parts.push({ functionCall: { name, args: JSON.parse(input.join('')) }, thoughtSignature: 'dGhvdWdodA==' })
    }
    const common = { modelVersion: 'gemini-2.5-flash', responseId: 'r1' }
    const finishReason = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' }[finish]
    const usageMetadata = {
      promptTokenCount: usage.input,
      candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
      thoughtsTokenCount: usage.reasoning ?? 0,
      cachedContentTokenCount: usage.cached ?? 0,
      totalTokenCount: usage.input + usage.output,
    }
    return [
      ...parts.map((part) =>
        data({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }], ...common }),
      ),
      data({
        candidates: [{ content: { parts: [], role: 'model' }, finishReason, index: 0 }],
        usageMetadata,
        ...common,
      }),
    ]
  },

  openaiChat: (reply) => [...chat(reply), data({ ...chunk, choices: [], usage: chatUsage(reply) }), done],
  // Mistral counts in the finishing chunk, and reasons in content parts.
  mistral: (reply) => [
    ...chat(reply, { usage: chatUsage(reply) }, (text) => ({
      content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }],
    })),
    done,
  ],
  // xAI sends each tool call in one piece.
  xai: (reply) => {
    const calls = reply.calls?.map(({ input, ...call }) => ({ ...call, input: [input.join('')] }))
    return [
      ...chat({ ...reply, calls }, {}, (text) => ({ reasoning_content: text })),
      data({ ...chunk, choices: [], usage: chatUsage(reply) }),
      done,
    ]
  },
  groq: (reply) => [
    ...chat(reply, { x_groq: { id: 'req_1', usage: chatUsage(reply) } }, (text) => ({ reasoning: text })),
    done,
  ],
  deepseek: (reply) => {
    const cached = reply.usage?.cached ?? 0
    const cache = { prompt_cache_hit_tokens: cached, prompt_cache_miss_tokens: (reply.usage?.input ?? 0) - cached }
    return [...chat(reply, { usage: { ...chatUsage(reply), ...cache } }, (text) => ({ reasoning_content: text })), done]
  },

  cohere({ text, reasoning, calls = [], finish, usage = noUsage }) {
    const sent = [event({ type: 'message-start', id: 'm1', delta: { message: { role: 'assistant' } } })]
    let index = 0
    const send = (type: string, message?: object) =>
      sent.push(event({ type, index, ...(message ? { delta: { message } } : {}) }))
    const content = (kind: 'text' | 'thinking', pieces: string[]) => {
      send('content-start', { content: { type: kind, [kind]: '' } })
      for (const piece of pieces) send('content-delta', { content: { [kind]: piece } })
      send('content-end')
      index++
    }
    if (reasoning) content('thinking', [reasoning])
    if (text) content('text', text)
    if (calls.length > 0) send('tool-plan-delta', { tool_plan: 'I will look.' })
    for (const { id, name, input } of calls) {
      send('tool-call-start', { tool_calls: { id, type: 'function', function: { name, arguments: '' } } })
      for (const piece of input) send('tool-call-delta', { tool_calls: { function: { arguments: piece } } })
      send('tool-call-end')
      index++
    }
    const finish_reason = { stop: 'COMPLETE', length: 'MAX_TOKENS', filter: 'ERROR', calls: 'TOOL_CALL' }[finish]
    const tokens = { input_tokens: usage.input, output_tokens: usage.output }
    sent.push(
      event({
        type: 'message-end',
        delta: { finish_reason, usage: { billed_units: tokens, tokens, cached_tokens: usage.cached ?? 0 } },
      }),
    )
    return sent
  },
}

const noUsage: NonNullable<Reply['usage']> = { input: 0, output: 0 }
const done = 'data: [DONE]\n\n'
const chunk = { id: 'c1', object: 'chat.completion.chunk', created: 1_760_000_000, model: 'm' }

function chat(
  { text, reasoning, calls = [], finish }: Reply,
  last: object = {},
  thinking?: (text: string) => object,
): string[] {
  const choice = (delta: object, finish_reason: string | null = null, rest: object = {}) =>
    data({ ...chunk, choices: [{ index: 0, delta, finish_reason, logprobs: null }], ...rest })
  return [
    choice({ role: 'assistant', content: '' }),
    ...(reasoning && thinking ? [choice(thinking(reasoning))] : []),
    ...(text ?? []).map((content) => choice({ content })),
    ...calls.flatMap(({ id, name, input: [first = '', ...more] }, index) => [
      choice({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: first } }] }),
      ...more.map((piece) => choice({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    choice({}, { stop: 'stop', length: 'length', filter: 'content_filter', calls: 'tool_calls' }[finish], last),
  ]
}

const chatUsage = ({ usage = noUsage }: Reply) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
  completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
})

/** How each vendor reports overload, once its stream has begun with 200. */
export const overloadedInStream: Record<Wire, string> = {
  anthropic: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
  openai: event({
    type: 'error',
    sequence_number: 1,
    error: { type: 'server_error', code: 'server_error', message: 'Overloaded', param: null },
  }),
  google: data({ error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } }),
  openaiChat: data({ error: { message: 'Overloaded', type: 'server_error', code: null, param: null } }),
  mistral: data({ error: { object: 'error', message: 'Overloaded', type: 'service_unavailable', code: '3505' } }),
  xai: data({ code: 'The service is currently unavailable', error: 'Overloaded' }),
  groq: data({ error: { message: 'Overloaded', type: 'internal_server_error' } }),
  deepseek: data({ error: { message: 'Overloaded', type: 'service_unavailable_error' } }),
  cohere: event({ type: 'error', error: 'Overloaded' }),
}

/** The body of an error status, in the vendor's format. */
export const errorBody: Record<Wire, (message: string) => unknown> = {
  anthropic: (message) => ({ type: 'error', error: { type: 'api_error', message } }),
  openai: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  google: (message) => ({ error: { code: 500, message, status: 'INTERNAL' } }),
  openaiChat: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  mistral: (message) => ({ object: 'error', message, type: 'api_error', param: null, code: null }),
  xai: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  groq: (message) => ({ error: { message, type: 'api_error' } }),
  deepseek: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
  cohere: (message) => ({ message }),
}
