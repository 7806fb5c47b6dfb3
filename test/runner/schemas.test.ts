import { expect, test } from 'bun:test'
import { checkOf } from '../../src/runner/schemas.ts'

test.each<[string, Record<string, unknown>, unknown, RegExp | null]>([
  ['no draft', { type: 'string' }, 'a', null],
  ['no draft, mismatch', { type: 'string' }, 1, /must be string/],
  [
    'draft 2020-12',
    { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'integer' }] },
    ['a'],
    /integer/,
  ],
  ['draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema', type: 'integer' }, 1, null],
  ['draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }] }, ['a'], /integer/],
  ['a format', { type: 'string', format: 'date' }, 'yesterday', /format/],
  ['an unknown keyword', { type: 'string', 'x-hint': true }, 'a', null],
  [
    'local references',
    { $defs: { n: { type: 'integer' } }, properties: { a: { $ref: '#/$defs/n' } } },
    { a: 'x' },
    /integer/,
  ],
])('a schema with %s', async (_, schema, value, problem) => {
  const found = (await checkOf(schema))(value)
  if (problem) expect(found).toMatch(problem)
  else expect(found).toBeNull()
})

test('equal schemas share a check, and the same $id may come with other schemas', async () => {
  const schema = () => ({ $id: 'https://example.com/a', type: 'string' })
  expect(await checkOf(schema())).toBe(await checkOf(schema()))
  const other = await checkOf({ $id: 'https://example.com/a', type: 'integer' })
  expect(other(1)).toBeNull()
})

test.each<[string, Record<string, unknown>]>([
  ['an unknown type', { type: 'text' }],
  ['a reference to nowhere', { $ref: '#/$defs/none' }],
])('a schema with %s does not compile', async (_, schema) => {
  await expect(checkOf(schema)).rejects.toThrow()
})
