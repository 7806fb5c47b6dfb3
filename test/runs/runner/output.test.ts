import { expect, test } from 'bun:test'
import { readOutput } from '../../../src/runs/runner/conversation/output.ts'

const read = (answer: string, schema: Record<string, unknown> = {}) => readOutput(answer, schema, 'org_a')
const notJson = { problem: 'The answer is not JSON.' }

test.each<[string, unknown]>([
  ['{"a":1}', { a: 1 }],
  [' \n{"a":1}\n ', { a: 1 }],
  ['```json\n{"a":1}\n```', { a: 1 }],
  ['```\n{"a":1}```', { a: 1 }],
  ['```json \n\n [1,\n2]\n\n```', [1, 2]],
  ['"```"', '```'],
])('%j is parsed as %j', async (answer, value) => {
  expect(await read(answer)).toEqual({ value })
})

test.each(['', '```', '```json\n```', '```python\n1\n```', 'The answer is {"a":1}', '```json\n{"a":1}', '``````'])(
  '%j is not an output',
  async (answer) => {
    expect(await read(answer)).toEqual(notJson)
  },
)

test('an answer of only line breaks after a fence is parsed as fast as any other', async () => {
  expect(await read(`\`\`\`${'\n'.repeat(2_000_000)}x`)).toEqual(notJson)
  expect(await read(`\`\`\`${' \n'.repeat(1_000_000)}x\`\`\``)).toEqual(notJson)
})

test('an output that does not match the schema, or cannot be checked, is a problem and not an exception', async () => {
  expect(await read('{"a":1}', { required: ['b'] })).toEqual({
    problem: "The answer does not match the output schema: must have required property 'b'",
  })
  const again = { properties: { a: { $ref: '#' } } }
  const deep = `${'{"a":'.repeat(28)}{}${'}'.repeat(28)}`
  const { problem } = (await read(deep, { oneOf: [again, again] })) as { problem: string }
  expect(problem).toMatch(/cannot be validated against the output schema: .* takes too long/)
})
