import { describe, expect, test } from 'bun:test'
import { vendorIds } from '../../../src/platform/models/vendors.ts'
import { streamStep } from '../../../src/runs/providers/call.ts'
import { ProviderFailure } from '../../../src/runs/providers/errors.ts'
import type { StepPart } from '../../../src/runs/providers/step.ts'
import { collect, startVendor, stepRequest, streaming, thrownBy } from './vendor-server.ts'
import { frames, type Reply, type Wire } from './wire.ts'

const wires: Wire[] = [...vendorIds, 'openaiChat']
const reply: Reply = { text: ['Hel', 'lo ', 'there'], finish: 'stop', usage: { input: 3, output: 3 } }

describe('errors in a stream are classified', () => {
  test.each<{ wire: Wire; error: object; code: string; retryable: boolean }>([
    {
      wire: 'anthropic',
      error: { type: 'rate_limit_error', message: 'Slow' },
      code: 'provider_rate_limited',
      retryable: true,
    },
    {
      wire: 'anthropic',
      error: { type: 'invalid_request_error', message: 'No' },
      code: 'provider_error',
      retryable: false,
    },
    {
      wire: 'openaiChat',
      error: { type: 'rate_limit_error', message: 'Slow' },
      code: 'provider_rate_limited',
      retryable: true,
    },
    {
      wire: 'openaiChat',
      error: { code: 'context_length_exceeded', message: 'No' },
      code: 'provider_error',
      retryable: false,
    },
    {
      wire: 'google',
      error: { code: 429, message: 'Slow', status: 'RESOURCE_EXHAUSTED' },
      code: 'provider_rate_limited',
      retryable: true,
    },
    {
      wire: 'google',
      error: { code: 400, message: 'No', status: 'INVALID_ARGUMENT' },
      code: 'provider_error',
      retryable: false,
    },
    {
      wire: 'groq',
      error: { type: 'rate_limit_exceeded', message: 'Slow' },
      code: 'provider_rate_limited',
      retryable: true,
    },
    {
      wire: 'mistral',
      error: { type: 'rate_limited', message: 'Slow' },
      code: 'provider_rate_limited',
      retryable: true,
    },
    { wire: 'mistral', error: { type: 'invalid_request', message: 'No' }, code: 'provider_error', retryable: false },
  ])('$wire $error.message: $code, retryable: $retryable', async ({ wire, error, code, retryable }) => {
    for (const good of [0, 2]) {
      const frame = `event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`
      const vendor = startVendor(streaming([...frames[wire](reply).slice(0, good), frame]))
      const thrown = await thrownBy(stepRequest(wire, vendor.url))
      expect(thrown).toMatchObject({ name: 'ProviderFailure', code, retryable })
    }
  })
})

test('a failed step returns no tool calls', async () => {
  const calls = [{ id: 'call-a', name: 'clock', input: ['{"zone":"UTC"}'] }]
  for (const wire of wires) {
    const sent = frames[wire]({ calls, finish: 'calls' })
    const until = sent.findLastIndex((frame) => /"finish_?reason":"|message_stop|response\.completed/i.test(frame))
    const parts: StepPart[] = []
    const read = async () => {
      for await (const part of streamStep(stepRequest(wire, startVendor(streaming(sent.slice(0, until))).url))) {
        parts.push(part)
      }
    }
    expect(await read().catch((thrown) => thrown)).toBeInstanceOf(ProviderFailure)
    expect(parts.filter(({ type }) => type === 'toolCall' || type === 'finish')).toEqual([])
  }
})

test('a connection that breaks after the finish has no effect', async () => {
  const send = (async () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(frames.anthropic(reply).join('')))
          // Sent data reaches the reader before the next turns of the event loop.
          for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
          controller.error(new Error('ECONNRESET'))
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )) as unknown as typeof fetch
  const request = stepRequest('anthropic', 'http://127.0.0.1/v1', { fetch: send })
  expect((await collect(request)).text).toBe('Hello there')
})

test('a chunk that a package cannot parse is invalid', async () => {
  const stumble = `data: ${JSON.stringify({ id: 'c1', choices: [] })}\n\n`
  const vendor = startVendor(streaming([...frames.mistral(reply).slice(0, 2), stumble]))
  const thrown = await thrownBy(stepRequest('mistral', vendor.url))
  expect(thrown).toMatchObject({ name: 'ProviderFailure', code: 'provider_error', retryable: true })
  expect((thrown as Error).message).toContain('not in its format')
})

test('a reply that Google calls a malformed function call is invalid_model_output', async () => {
  const frame = `data: ${JSON.stringify({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', index: 0 }] })}\n\n`
  const thrown = await thrownBy(stepRequest('google', startVendor(streaming([frame])).url))
  expect(thrown).toMatchObject({ code: 'invalid_model_output', retryable: true })
})

test.each(['ERROR', 'TIMEOUT'])('a reply that Cohere ends with %s is a failure', async (finish_reason) => {
  const end = {
    type: 'message-end',
    delta: { finish_reason, usage: { tokens: { input_tokens: 1, output_tokens: 1 } } },
  }
  const vendor = startVendor(streaming([...frames.cohere(reply).slice(0, -1), `data: ${JSON.stringify(end)}\n\n`]))
  expect(await thrownBy(stepRequest('cohere', vendor.url))).toMatchObject({ code: 'provider_error', retryable: true })
})
