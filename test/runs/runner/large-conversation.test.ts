/** A conversation that grows beyond its limit within a turn. Source: contract 5. */
import { expect, test } from 'bun:test'
import { call, createWorld, operation } from './support/world.ts'

const mebibyte = 1024 * 1024
const calls = Array.from({ length: 20 }, (_, index) => call(`c${index}`, 'read'))
const tooLarge = {
  outcome: 'failed',
  error: { code: 'provider_error', message: expect.stringContaining('conversation_too_large'), retryable: false },
}

test('results of calls end the attempt once they exceed it, and further calls are not made', async () => {
  const { server, run, model, executed } = createWorld({
    turns: [{ text: 'Reading.', calls }, { text: 'Done.' }],
    content: { tools: [operation('read')] },
    executors: { read: { execute: () => ({ text: 'x'.repeat(3 * mebibyte) }) } },
  })
  expect(await run()).toBe('failed')
  expect(server.completions).toMatchObject([tooLarge])
  expect(executed.read).toHaveLength(10)
  expect(model.requests).toHaveLength(1)
})

test.each([
  ['bytes', 'x', 28 * mebibyte, true],
  ['bytes, one too many', 'x', 28 * mebibyte + 1, false],
  ['bytes in UTF-8', 'é', 14 * mebibyte + 1, false],
] as const)('the message of a turn has %s', async (_, letter, count, fits) => {
  const { server, run, model } = createWorld({
    turns: [{ text: 'Done.' }],
    // besides the name of its role and of its part
    input: {
      query: null,
      contents: [{ type: 'text', text: letter.repeat(count - (letter === 'x' ? 'user'.length + 'text'.length : 4)) }],
    },
  })
  expect(await run()).toBe(fits ? 'completed' : 'failed')
  expect(server.completions[0]).toMatchObject(fits ? { outcome: 'completed' } : tooLarge)
  expect(model.requests).toHaveLength(fits ? 1 : 0)
})
