import { expect, test } from 'bun:test'
import { compile } from '../../../src/platform/json-schemas/compiler.ts'

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
  ['a reference to the whole', { properties: { a: { $ref: '#' } }, required: ['b'] }, { b: 1, a: {} }, /required/],
])('a schema with %s', async (_, schema, value, problem) => {
  const found = (await compile(schema))(value).problem
  if (problem) expect(found).toMatch(problem)
  else expect(found).toBeNull()
})

test('the same $id may come with other schemas', async () => {
  await compile({ $id: 'https://example.com/a', type: 'string' })
  const other = await compile({ $id: 'https://example.com/a', type: 'integer' })
  expect(other(1).problem).toBeNull()
})

test('the names in a schema do not affect the next schema', async () => {
  const metaschema = 'https://json-schema.org/draft/2020-12/schema'
  const inner = {
    $defs: { a: { $id: 'https://example.com/inner', type: 'string' } },
    $ref: 'https://example.com/inner',
  }
  expect((await compile(inner))('text').problem).toBeNull()
  await expect(compile({ $id: metaschema, type: 'string' })).rejects.toThrow()
  await expect(compile({ $id: 'https://example.com/broken', type: 'text' })).rejects.toThrow()

  await expect(compile({ $ref: 'https://example.com/inner' })).rejects.toThrow()
  await expect(compile({ $ref: 'https://example.com/broken' })).rejects.toThrow()
  const other = {
    $defs: { b: { $id: 'https://example.com/inner', type: 'integer' } },
    $ref: 'https://example.com/inner',
  }
  expect((await compile(other))(1).problem).toBeNull()
  expect((await compile({ $ref: metaschema }))({ type: 'nonsense' }).problem).toMatch(/must/)
})

test.each<[string, Record<string, unknown>]>([
  ['an unknown type', { type: 'text' }],
  ['a dangling reference', { $ref: '#/$defs/none' }],
])('a schema with %s does not compile', async (_, schema) => {
  await expect(compile(schema)).rejects.toThrow()
})
