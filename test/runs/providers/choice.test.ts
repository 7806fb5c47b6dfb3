import { describe, expect, test } from 'bun:test'
import { isModelName, isVendor, type Vendor, vendorIds, vendors } from '../../../src/platform/models/vendors.ts'
import { type PlatformSettings, platformDefault } from '../../../src/runs/providers/platform.ts'
import { resolveModel } from '../../../src/runs/providers/resolve.ts'
import { collect, stepRequest, streaming } from './vendor-server.ts'
import { frames } from './wire.ts'

test('there are eight vendors, without the sandbox', () => {
  expect([...vendorIds]).toEqual(['anthropic', 'openai', 'google', 'mistral', 'xai', 'groq', 'deepseek', 'cohere'])
  expect(vendorIds.every(isVendor)).toBe(true)
  for (const other of ['sandbox', 'OpenAI', 'toString', '__proto__', '', ' openai', null, undefined, 7, ['openai']]) {
    expect(isVendor(other)).toBe(false)
  }
})

const models: Record<Vendor, string[]> = {
  anthropic: ['claude-3-haiku-20240307', 'claude-opus-4-1-20250805', 'claude-sonnet-5-5', 'claude-9'],
  openai: [
    'gpt-4o',
    'gpt-3.5-turbo',
    'gpt-5.4-mini-2026-03-17',
    'gpt-6.1-terra',
    'o1',
    'o3-mini',
    'o4-mini-2025-04-16',
    'chatgpt-4o-latest',
    'ft:gpt-4o-mini-2024-07-18:acme::AbC123',
    'gpt-9',
  ],
  google: [
    'gemini-2.5-pro',
    'gemini-3-flash-preview',
    'gemini-flash-latest',
    'models/gemini-2.5-flash',
    'gemma-3-27b-it',
    'gemini-9',
  ],
  mistral: [
    'mistral-large-latest',
    'ministral-8b-latest',
    'magistral-medium-2509',
    'codestral-2508',
    'devstral-medium-latest',
    'pixtral-large-latest',
    'open-mistral-nemo',
    'open-mixtral-8x22b',
    'ft:open-mistral-7b:abc:20240101:1',
  ],
  xai: ['grok-4.7', 'grok-4.20-0309-reasoning', 'grok-build-0.1', 'grok-code-fast-1', 'grok-9'],
  groq: [
    'llama-3.3-70b-versatile',
    'llama3-8b-8192',
    'meta-llama/llama-4-scout-17b-16e-instruct',
    'openai/gpt-oss-120b',
    'moonshotai/kimi-k2-instruct-0905',
    'qwen/qwen3-32b',
    'qwen-2.5-32b',
    'gemma2-9b-it',
    'mixtral-8x7b-32768',
    'deepseek-r1-distill-llama-70b',
    'groq/compound',
  ],
  deepseek: ['deepseek-chat', 'deepseek-reasoner', 'deepseek-v4-pro', 'deepseek-v9'],
  cohere: ['command', 'command-a-03-2025', 'command-r-plus-04-2024', 'command-r7b-12-2024', 'c4ai-aya-expanse-32b'],
}

const malformed = ['', ' ', 'a b', 'ümlaut', '-a', '/a', '../a', 'a\n', 'a?b=c', 'a#b', 'a%2f', `a${'a'.repeat(200)}`]

describe.each(vendorIds)('models of %s', (vendor) => {
  test.each(models[vendor])('%s', (model) => expect(isModelName(vendor, model)).toBe(true))

  test('the default model is a valid one', () => expect(isModelName(vendor, vendors[vendor].defaultModel)).toBe(true))

  test('those of others are not valid', () => {
    const others = vendorIds.filter((other) => other !== vendor).map((other) => vendors[other].defaultModel)
    for (const model of [...others, 'sandbox', 'nonsense', ...malformed]) expect(isModelName(vendor, model)).toBe(false)
  })

  test('with an override any well-formed name is valid', () => {
    const url = 'http://127.0.0.1:11434/v1'
    for (const model of ['nonsense', 'my/model:8b@q4', 'A.b_c-1', 'a'.repeat(200)]) {
      expect(isModelName(vendor, model, url)).toBe(true)
      expect(isModelName(vendor, model, null)).toBe(false)
    }
    for (const model of malformed) expect(isModelName(vendor, model, url)).toBe(false)
  })
})

test.each([
  { vendor: 'openai', model: 'gpt-image-1' },
  { vendor: 'openai', model: 'gpt-4o-mini-tts' },
  { vendor: 'openai', model: 'gpt-4o-transcribe' },
  { vendor: 'openai', model: 'text-embedding-3-small' },
  { vendor: 'google', model: 'gemini-embedding-001' },
  { vendor: 'mistral', model: 'mistral-embed' },
  { vendor: 'xai', model: 'grok-imagine-video' },
  { vendor: 'groq', model: 'whisper-large-v3' },
  { vendor: 'cohere', model: 'rerank-v3.5' },
] as const)('$model of $vendor is not a conversation model', ({ vendor, model }) => {
  expect(isModelName(vendor, model)).toBe(false)
})

test('the sandbox has one model', () => {
  expect(isModelName('sandbox', 'sandbox')).toBe(true)
  expect(isModelName('sandbox', 'gpt-4o')).toBe(false)
})

test('no environment variable provides a key or an address', async () => {
  const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN']
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = 'http://foreign.example/v1'
  try {
    for (const vendor of ['openai', 'anthropic'] as const) {
      const sent: { url: string; headers: string }[] = []
      const send = (async (url: string, { headers }: RequestInit) => {
        sent.push({ url, headers: JSON.stringify([...new Headers(headers)]) })
        return streaming(frames[vendor]({ text: ['Yes'], finish: 'stop' }))()
      }) as unknown as typeof fetch
      await collect(stepRequest(vendor, '', { baseUrl: null, fetch: send }))
      expect(sent[0]!.url).toStartWith(vendors[vendor].baseUrl)
      expect(sent[0]!.headers).not.toContain('foreign')
      await expect(resolveModel({ provider: vendor, model: vendors[vendor].defaultModel })).rejects.toThrow(
        'no API key',
      )
    }
  } finally {
    names.forEach((name, at) => {
      if (before[at] === undefined) delete process.env[name]
      else process.env[name] = before[at]
    })
  }
})

const sandbox = { provider: 'sandbox', model: 'sandbox', apiKey: null } as const
test.each<{ given: PlatformSettings; gives: object | null | string }>([
  { given: { production: false }, gives: sandbox },
  { given: { provider: '', model: '', apiKey: '', production: false }, gives: sandbox },
  { given: { production: true }, gives: null },
  { given: { provider: 'sandbox', production: true }, gives: sandbox },
  {
    given: { provider: 'openai', model: 'gpt-4o', apiKey: 'k', production: true },
    gives: { provider: 'openai', model: 'gpt-4o', apiKey: 'k' },
  },
  {
    given: { provider: 'mistral', apiKey: 'k', production: false },
    gives: { provider: 'mistral', model: vendors.mistral.defaultModel, apiKey: 'k' },
  },
  { given: { provider: 'openai', model: 'gpt-4o', production: false }, gives: null },
  {
    given: { provider: 'openai', model: 'local:8b', baseUrls: { openai: 'http://l/v1' }, production: false },
    gives: { provider: 'openai', model: 'local:8b', apiKey: null },
  },
  {
    given: { provider: 'openai', model: 'local:8b', apiKey: 'k', baseUrls: { xai: 'http://l/v1' }, production: false },
    gives: 'TROUPE_PLATFORM_MODEL',
  },
  { given: { provider: 'nobody', apiKey: 'k', production: false }, gives: 'TROUPE_PLATFORM_PROVIDER' },
  { given: { model: 'gpt-4o', production: false }, gives: 'TROUPE_PLATFORM_MODEL' },
])('platform default of $given', ({ given, gives }) => {
  if (typeof gives === 'string') expect(() => platformDefault(given)).toThrow(gives)
  else expect(platformDefault(given)).toEqual(gives as never)
})
