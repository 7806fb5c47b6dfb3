import { describe, expect, test } from 'bun:test'
import { vendorIds, vendors } from '../../../src/platform/models/vendors.ts'
import type { StepPart } from '../../../src/runs/providers/step.ts'
import { apiKey, collect, rerouted, startVendor, stepRequest, streaming, thrownBy } from './vendor-server.ts'
import { frames, type Reply, type Wire } from './wire.ts'

const wires: Wire[] = [...vendorIds, 'openaiChat']

const clock = {
  name: 'clock',
  description: 'Tells the time.',
  inputSchema: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
}

const usage = { input: 12, output: 7, cached: 4 }

const answer = (wire: Wire, reply: Reply) => startVendor(streaming(frames[wire](reply)))

test.each([
  ['negative numbers', -5, 0],
  ['fractions', 1.5, 2],
  ['more than possible', 1e300, 1_000_000_000],
])('a gateway that counts %s: the step has whole tokens, within its limits', async (_, said, tokens) => {
  const vendor = answer('openaiChat', { text: ['Hello'], finish: 'stop', usage: { input: said, output: said } })
  const { finish } = await collect(stepRequest('openaiChat', vendor.url))
  expect(finish.usage).toMatchObject({ inputTokens: tokens, outputTokens: tokens, totalTokens: 2 * tokens })
})

describe.each(wires)('%s', (wire) => {
  test('streams text as it arrives and ends with usage and the message', async () => {
    const vendor = answer(wire, { text: ['Hel', 'lo ', 'there'], finish: 'stop', usage })
    const { parts, finish } = await collect(stepRequest(wire, vendor.url))
    expect(parts.slice(0, -1)).toEqual(['Hel', 'lo ', 'there'].map((text): StepPart => ({ type: 'text', text })))
    expect(finish.finishReason).toBe('stop')
    expect(finish.usage).toEqual({
      inputTokens: 12,
      outputTokens: 7,
      totalTokens: 19,
      cachedInputTokens: wire === 'cohere' ? 0 : 4, // Cohere's package doesn't read it
      reasoningTokens: 0,
    })
    expect(finish.assistantMessage).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello there' }],
    })
    expect(JSON.parse(JSON.stringify(finish.assistantMessage))).toEqual(finish.assistantMessage)
  })

  test('streams the input of tool calls and returns the calls completely, at the end', async () => {
    const vendor = answer(wire, {
      text: ['Let me see.'],
      calls: [
        { id: 'call-a', name: 'clock', input: ['{"zone":', '"UTC"}'] },
        { id: 'call-b', name: 'clock', input: ['{"zone":"CET"}'] },
      ],
      finish: 'calls',
      usage,
    })
    const { parts, finish } = await collect(stepRequest(wire, vendor.url, { tools: [clock] }))
    const calls = parts.filter((part) => part.type === 'toolCall')
    expect(calls.map(({ toolName, input }) => ({ toolName, input }))).toEqual([
      { toolName: 'clock', input: { zone: 'UTC' } },
      { toolName: 'clock', input: { zone: 'CET' } },
    ])
    expect(parts.slice(-3)).toEqual([...calls, finish])
    for (const { toolCallId, input } of calls) {
      const pieces = parts.flatMap((part) =>
        part.type === 'toolInput' && part.toolCallId === toolCallId ? [part.text] : [],
      )
      expect(JSON.parse(pieces.join(''))).toEqual(input)
    }
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
    expect(finish.finishReason).toBe('tool-calls')
    const kept = (finish.assistantMessage.content as { type: string }[]).map(({ type }) => type)
    expect(kept).toEqual(['text', 'tool-call', 'tool-call'])
  })

  test('a tool without parameters can be called with an empty input', async () => {
    const input = wire === 'google' ? ['{}'] : ['']
    const vendor = answer(wire, { calls: [{ id: 'call-a', name: 'clock', input }], finish: 'calls' })
    const { parts } = await collect(stepRequest(wire, vendor.url, { tools: [clock] }))
    expect(parts.filter((part) => part.type === 'toolCall').map((part) => part.input)).toEqual([{}])
  })

  test('an answer at the token limit finishes with length', async () => {
    const vendor = answer(wire, { text: ['So'], finish: 'length' })
    expect((await collect(stepRequest(wire, vendor.url))).finish.finishReason).toBe('length')
  })

  test('an answer filtered by the vendor finishes with content-filter', async () => {
    if (wire === 'mistral' || wire === 'cohere') return // they have no such finish reason
    const vendor = answer(wire, { text: ['So'], finish: 'filter' })
    expect((await collect(stepRequest(wire, vendor.url))).finish.finishReason).toBe('content-filter')
  })

  test('a truncated answer calls no tools', async () => {
    if (wire === 'google' || wire === 'cohere') return // they never send a partial input
    const vendor = answer(wire, {
      text: ['So'],
      calls: [{ id: 'call-a', name: 'clock', input: ['{"zone":"U'] }],
      finish: 'length',
    })
    const { parts, finish } = await collect(stepRequest(wire, vendor.url, { tools: [clock] }))
    expect(parts.filter((part) => part.type === 'toolCall')).toEqual([])
    expect(finish.finishReason).toBe('length')
    expect(finish.assistantMessage).toMatchObject({ content: [{ type: 'text', text: 'So' }] })
  })

  test('an input that is not a JSON object, or nested too deeply, is invalid_model_output', async () => {
    if (wire === 'google') return // sends objects only
    const deep = `${'{"zone":'.repeat(30_000)}1${'}'.repeat(30_000)}`
    for (const input of ['{"zone":', '"UTC"', '[1]', 'null', deep]) {
      const vendor = answer(wire, { calls: [{ id: 'call-a', name: 'clock', input: [input] }], finish: 'calls' })
      const thrown = await thrownBy(stepRequest(wire, vendor.url, { tools: [clock] }))
      expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'invalid_model_output', retryable: true })
    }
  })

  test('an empty answer is valid, and is not sent to the vendor again', async () => {
    const vendor = startVendor(
      streaming(frames[wire]({ finish: 'stop' })),
      streaming(frames[wire]({ text: ['Yes'], finish: 'stop' })),
    )
    const { finish } = await collect(stepRequest(wire, vendor.url))
    expect(finish).toMatchObject({ finishReason: 'stop', assistantMessage: { role: 'assistant', content: [] } })
    const messages = [
      { role: 'user' as const, content: 'Hello?' },
      finish.assistantMessage,
      { role: 'user' as const, content: 'Anyone?' },
    ]
    expect((await collect(stepRequest(wire, vendor.url, { messages }))).text).toBe('Yes')
    expect(JSON.stringify(vendor.asked[1]!.body)).not.toMatch(/"role":"(assistant|model)"/)
  })

  test('the conversation continues after a tool call with everything the vendor requires', async () => {
    const reply: Reply = {
      text: ['Wait.'],
      calls: [{ id: 'call-a', name: 'clock', input: ['{"zone":"UTC"}'] }],
      finish: 'calls',
    }
    const vendor = startVendor(
      streaming(frames[wire]({ ...reply, reasoning: 'They want the time.' })),
      streaming(frames[wire]({ text: ['Noon'], finish: 'stop' })),
    )
    const first = await collect(stepRequest(wire, vendor.url, { tools: [clock] }))
    if (wire !== 'openaiChat') expect(first.reasoning).toBe('They want the time.')
    const call = first.parts.find((part) => part.type === 'toolCall')!
    const second = await collect(
      stepRequest(wire, vendor.url, {
        tools: [clock],
        messages: [
          { role: 'user', content: 'Hello?' },
          // As restored from a checkpoint.
          JSON.parse(JSON.stringify(first.finish.assistantMessage)),
          {
            role: 'tool',
            content: [
              {
                type: 'tool-result',
                toolCallId: call.toolCallId,
                toolName: 'clock',
                output: { type: 'json', value: { time: '12:00:07' } },
              },
            ],
          },
        ],
      }),
    )
    expect(second.text).toBe('Noon')
    const asked = JSON.stringify(vendor.asked[1]!.body)
    expect(asked).toContain('12:00:07')
    if (wire !== 'cohere') expect(asked).toContain('Wait.') // accepts no text beside tool calls
    if (wire === 'anthropic') expect(asked).toContain('"signature":"c2lnbmVk"')
    if (wire === 'openai') expect(asked).toContain('"encrypted_content":"c2VhbGVk"')
    if (wire === 'google') expect(asked).toContain('"thoughtSignature":"dGhvdWdodA=="')
  })

  test('is called with key, instructions, messages and tools', async () => {
    const vendor = answer(wire, { text: ['Yes'], finish: 'stop' })
    await collect(
      stepRequest(wire, vendor.url, {
        tools: [clock],
        maxOutputTokens: 321,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'What time is it?' }] }],
      }),
    )
    expect(vendor.asked).toHaveLength(1)
    const { method, path, headers, body } = vendor.asked[0]!
    expect(method).toBe('POST')
    expect(path).toBe(paths[wire])
    if (wire === 'anthropic') expect(headers.get('x-api-key')).toBe(apiKey)
    else if (wire === 'google') expect(headers.get('x-goog-api-key')).toBe(apiKey)
    else expect(headers.get('authorization')).toBe(`Bearer ${apiKey}`)
    const text = JSON.stringify(body)
    for (const piece of ['Be brief.', 'What time is it?', '"clock"', 'Tells the time.', '"zone"', '321']) {
      expect(text).toContain(piece)
    }
    if (wire !== 'google')
      expect(body).toMatchObject({ stream: true, model: vendors[wire === 'openaiChat' ? 'openai' : wire].defaultModel })
    if (wire === 'openai') expect(body.store).toBe(false)
    if (wire === 'openaiChat') expect(body.store).toBeUndefined()
  })
})

const paths: Record<Wire, string> = {
  anthropic: '/v1/messages',
  openai: '/v1/responses',
  google: '/v1/models/gemini-flash-latest:streamGenerateContent?alt=sse',
  openaiChat: '/v1/chat/completions',
  mistral: '/v1/chat/completions',
  xai: '/v1/chat/completions',
  groq: '/v1/chat/completions',
  deepseek: '/v1/chat/completions',
  cohere: '/v1/chat',
}

test.each([
  { vendor: 'anthropic', address: 'api.anthropic.com/v1/messages' },
  { vendor: 'openai', address: 'api.openai.com/v1/responses' },
  {
    vendor: 'google',
    address: 'generativelanguage.googleapis.com/v1beta/models/gemini-flash-latest:streamGenerateContent?alt=sse',
  },
  { vendor: 'mistral', address: 'api.mistral.ai/v1/chat/completions' },
  { vendor: 'xai', address: 'api.x.ai/v1/chat/completions' },
  { vendor: 'groq', address: 'api.groq.com/openai/v1/chat/completions' },
  { vendor: 'deepseek', address: 'api.deepseek.com/chat/completions' },
  { vendor: 'cohere', address: 'api.cohere.com/v2/chat' },
] as const)('without an override $vendor is called at its own address', async ({ vendor, address }) => {
  const server = answer(vendor, { text: ['Yes'], finish: 'stop' })
  const request = stepRequest(vendor, server.url, { baseUrl: null, fetch: rerouted(server.url) })
  expect((await collect(request)).text).toBe('Yes')
  const { headers, path } = server.asked[0]!
  expect(headers.get('x-vendor-host') + path).toBe(address)
})

test.each(vendorIds.flatMap((from) => wires.map((to) => ({ from, to }))))(
  'a conversation of $from can be continued with $to',
  async ({ from, to }) => {
    const reply: Reply = {
      text: ['Wait.'],
      reasoning: 'They want the time.',
      calls: [{ id: 'call-a', name: 'clock', input: ['{"zone":"UTC"}'] }],
      finish: 'calls',
    }
    const first = await collect(stepRequest(from, answer(from, reply).url, { tools: [clock] }))
    const call = first.parts.find((part) => part.type === 'toolCall')!
    const output = { type: 'text' as const, value: '12:00:07' }
    const result = { type: 'tool-result' as const, toolCallId: call.toolCallId, toolName: 'clock', output }
    const vendor = answer(to, { text: ['Noon'], finish: 'stop' })
    const messages = [
      { role: 'user' as const, content: 'Hello?' },
      first.finish.assistantMessage,
      { role: 'tool' as const, content: [result] },
      { role: 'user' as const, content: 'And?' },
    ]
    expect((await collect(stepRequest(to, vendor.url, { tools: [clock], messages }))).text).toBe('Noon')
    expect(JSON.stringify(vendor.asked[0]!.body)).toContain('12:00:07')
  },
)

test.each(wires)('%s: an override without a key is called, since a local server may need none', async (wire) => {
  if (wire === 'openai') return
  const vendor = answer(wire, { text: ['Yes'], finish: 'stop' })
  expect((await collect(stepRequest(wire, vendor.url, { apiKey: null }))).text).toBe('Yes')
})
