/** The vendors' requests with a model's settings: each in its own terms, if it supports them. */
import { expect, test } from 'bun:test'
import { collect, startVendor, stepRequest, streaming } from './vendor-server.ts'
import { frames, type Wire } from './wire.ts'

const settings = {
  temperature: 0.3,
  topP: 0.8,
  topK: 11,
  maxOutputTokens: 321,
  stopSequences: ['END'],
  seed: 7,
  presencePenalty: 0.4,
  frequencyPenalty: 0.5,
}

const penalties = { presence_penalty: 0.4, frequency_penalty: 0.5 }
const chosen = { temperature: 0.3, top_p: 0.8 }

/** A model that supports such settings while the usual one reasons and does not, and its vendor's request. */
const sent: Record<Wire, { model?: string; body: object }> = {
  anthropic: {
    model: 'claude-3-5-haiku-latest',
    body: { temperature: 0.3, top_k: 11, max_tokens: 321, stop_sequences: ['END'] },
  },
  openai: { model: 'gpt-4o', body: { ...chosen, max_output_tokens: 321 } },
  openaiChat: { model: 'gpt-4o', body: { ...chosen, ...penalties, max_tokens: 321, stop: ['END'], seed: 7 } },
  google: {
    body: {
      generationConfig: {
        temperature: 0.3,
        topP: 0.8,
        topK: 11,
        maxOutputTokens: 321,
        stopSequences: ['END'],
        seed: 7,
        presencePenalty: 0.4,
        frequencyPenalty: 0.5,
      },
    },
  },
  mistral: { body: { ...chosen, ...penalties, max_tokens: 321, stop: ['END'], random_seed: 7 } },
  xai: { body: { ...chosen, max_completion_tokens: 321, seed: 7 } },
  groq: { body: { ...chosen, ...penalties, max_tokens: 321, stop: ['END'], seed: 7 } },
  deepseek: { model: 'deepseek-chat', body: { ...chosen, max_tokens: 321, stop: ['END'] } },
  cohere: {
    body: { ...penalties, temperature: 0.3, p: 0.8, k: 11, max_tokens: 321, stop_sequences: ['END'], seed: 7 },
  },
}

test.each(Object.entries(sent) as [Wire, (typeof sent)[Wire]][])('%s', async (wire, { model, body }) => {
  const vendor = startVendor(streaming(frames[wire]({ text: ['Hi.'], finish: 'stop' })))
  await collect(stepRequest(wire, vendor.url, { ...settings, ...(model && { model }) }))
  expect(vendor.asked[0]!.body).toMatchObject(body)
})
