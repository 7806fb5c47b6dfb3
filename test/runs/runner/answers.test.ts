/** How runs end: with an answer of the model, or without one. */
import { expect, test } from 'bun:test'
import { ProviderFailure } from '../../../src/runs/providers/errors.ts'
import { expectWellFormed } from './support/conversations.ts'
import type { Turn } from './support/model.ts'
import { call, createWorld } from './support/world.ts'

test('maxSteps counts model steps; the calls of the last one are still executed', async () => {
  const turns: Turn[] = [1, 2, 3].map((n) => ({ text: `Step ${n}.`, calls: [call(`c${n}`, 'echo', { n })] }))
  const { server, run } = createWorld({ content: { tools: [{ kind: 'builtin', name: 'echo' }], maxSteps: 2 }, turns })
  expect(await run()).toBe('completed')
  expect(server.stepsOf('model')).toHaveLength(2)
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'max_steps', output: 'Step 2.' }])
  expect(server.checkpoints.at(-1)).toMatchObject({
    kind: 'final',
    runtimeCheckpoint: { stepCount: 2, pendingToolCalls: [] },
  })
  expectWellFormed(server.messages)
})

test('without maxSteps the model has 20 steps', async () => {
  const turns: Turn[] = Array.from({ length: 30 }, (_, n) => ({ calls: [call(`c${n}`, 'echo')] }))
  const { server, run } = createWorld({ content: { tools: [{ kind: 'builtin', name: 'echo' }] }, turns })
  await run()
  expect(server.stepsOf('model')).toHaveLength(20)
  expect(server.completions[0]).toMatchObject({ stopReason: 'max_steps' })
})

test.each([
  ['stop', 'end_turn'],
  ['other', 'end_turn'],
  ['length', 'max_output_tokens'],
  ['content-filter', 'content_filter'],
] as const)('an answer that finishes with %s stops the run with %s', async (finishReason, stopReason) => {
  const { server, run } = createWorld({ turns: [{ text: 'So', finishReason }] })
  await run()
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason, output: 'So' }])
})

test('an empty answer completes the run', async () => {
  const { server, run } = createWorld({ turns: [{ text: '' }] })
  await run()
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: '' }])
  expect(server.names).not.toContain('deltas')
})

test('the settings of the model are passed on, except invalid ones', async () => {
  const settings = { maxOutputTokens: 7, temperature: 0.2, stopSequences: ['END'], seed: 3 }
  const { model, run } = createWorld({
    content: { model: { settings: { ...settings, topP: 'high' as unknown as number } } },
    turns: [{ text: 'Hi' }],
  })
  await run()
  expect(model.requests[0]!).toMatchObject(settings)
  expect(model.requests[0]!).not.toHaveProperty('topP')
})

const rateLimited = new ProviderFailure('provider_rate_limited', 'Slow down.', { retryable: true, retryAfterMs: 5_000 })
test.each([
  [
    'a rate limit',
    rateLimited,
    { code: 'provider_rate_limited', message: 'Slow down.', retryable: true, retryAfterMs: 5_000 },
  ],
  [
    'a temporary error',
    new ProviderFailure('provider_error', 'Gone.', { retryable: true }),
    { code: 'provider_error', message: 'Gone.', retryable: true },
  ],
  [
    'a permanent error',
    new ProviderFailure('provider_error', 'No.'),
    { code: 'provider_error', message: 'No.', retryable: false },
  ],
] as const)('%s of the vendor fails the step and the attempt, and keeps the text so far', async (_, fails, error) => {
  const { server, run } = createWorld({ turns: [{ text: 'Half an', fails }] })
  expect(await run()).toBe('failed')
  expect(server.completions).toEqual([{ outcome: 'failed', error }])
  expect(server.steps[0]).toMatchObject({ status: 'failed', update: { error: { code: error.code } } })
  expect(server.messages).toEqual([{ role: 'user', content: 'Hello' }])
  expect(server.deltas.map(({ data }) => data.text).join('')).toBe('Half an')
})

test.each<[string, Turn]>([
  ['ends without finishing', { text: 'Half', unfinished: true }],
  ['announces calls and makes none', { text: 'Wait', finishReason: 'tool-calls' }],
])('a model that %s is an invalid output, which is retried', async (_, turn) => {
  const { server, run } = createWorld({ turns: [turn] })
  await run()
  expect(server.completions).toMatchObject([
    { outcome: 'failed', error: { code: 'invalid_model_output', retryable: true } },
  ])
})

test('an unexpected exception is an internal error without details', async () => {
  const { server, run, logged } = createWorld({ turns: [{ fails: new Error('secret=hunter2') }] })
  expect(await run()).toBe('failed')
  expect(server.completions).toEqual([
    {
      outcome: 'failed',
      error: { code: 'internal_error', message: 'The runner failed unexpectedly.', retryable: false },
    },
  ])
  expect(logged).toMatchObject([{ level: 'error' }])
})

const outputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
test.each([
  ['JSON that matches', '{"n": 1}', { outcome: 'completed', stopReason: 'end_turn', output: { n: 1 } }],
  [
    'fenced JSON that matches',
    '```json\n{"n": 2}\n```',
    { outcome: 'completed', stopReason: 'end_turn', output: { n: 2 } },
  ],
  [
    'JSON that does not match',
    '{"n": "1"}',
    { outcome: 'failed', error: { code: 'invalid_model_output', retryable: true } },
  ],
  ['text', 'The number is 1.', { outcome: 'failed', error: { code: 'invalid_model_output', retryable: true } }],
  ['nothing', '', { outcome: 'failed', error: { code: 'invalid_model_output', retryable: true } }],
])('with an output schema, an answer of %s', async (_, text, report) => {
  const { server, run, model } = createWorld({ content: { outputSchema }, turns: [{ text }] })
  await run()
  expect(server.completions).toMatchObject([report])
  expect(model.requests[0]!.system).toContain(JSON.stringify(outputSchema))
  expect(model.requests[0]!.outputSchema).toEqual(outputSchema)
  // A refused answer must not be the final one of the next attempt.
  expect(server.messages.at(-1)!.role).toBe(report.outcome === 'completed' ? 'assistant' : 'user')
})

test.each<[string, Turn, string, string]>([
  ['does not match', { text: '{"n": "1"}' }, '{"n": "1"}', 'does not match the output schema: /n must be integer'],
  ['is not JSON', { text: 'One.' }, 'One.', 'The answer is not JSON.'],
  ['announces calls and makes none', { text: '', finishReason: 'tool-calls' }, '(nothing', 'made none'],
  ['is very long', { text: 'x'.repeat(100_000) }, 'xxx', 'The answer is not JSON.'],
  [
    'cannot be read',
    { fails: new ProviderFailure('invalid_model_output', `Bad ${'é'.repeat(9_000)}`, { retryable: true }) },
    '(nothing',
    'Bad é',
  ],
])('after an answer that %s the next attempt gets the reason', async (_, turn, shown, correctionText) => {
  const { server, run, model } = createWorld({ content: { outputSchema }, turns: [turn] })
  await run()
  await run()
  const [first, second] = model.requests
  expect(second!.messages.slice(0, first!.messages.length)).toEqual(first!.messages)
  const [answer, correction, ...rest] = second!.messages.slice(first!.messages.length)
  expect(rest).toEqual([])
  expect(answer).toMatchObject({
    role: 'assistant',
    content: expect.stringMatching(new RegExp(`^${RegExp.escape(shown)}`)),
  })
  expect(correction).toMatchObject({ role: 'user', content: expect.stringContaining(correctionText) })
  expect(JSON.stringify([answer, correction]).length).toBeLessThan(6_000)
  expectWellFormed(server.messages)
})

test('a valid second answer completes the run whose first attempt failed', async () => {
  let count = 0
  const { server, run } = createWorld({
    content: { outputSchema },
    turns: [
      {
        get text() {
          return count++ === 0 ? 'One.' : '{"n": 1}'
        },
      },
    ],
  })
  await run()
  await run()
  expect(server.completions.at(-1)).toEqual({ outcome: 'completed', stopReason: 'end_turn', output: { n: 1 } })
})

test('a truncated answer has no output if it does not match the schema', async () => {
  const { server, run } = createWorld({
    content: { outputSchema },
    turns: [{ text: '{"n": ', finishReason: 'length' }],
  })
  await run()
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'max_output_tokens', output: null }])
})
