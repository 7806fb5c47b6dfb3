import { expect, test } from 'bun:test'
import { jsonSchemaIssues } from '../../src/agents/json-schema.ts'
import { foldedTightly } from '../../src/agents/json-schema-structure.ts'
import { checkOf } from '../../src/runner/schemas.ts'

const chain = (length: number, of: (next: string) => object) => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: length + 1 }, (_, at) => [
      `d${at}`,
      at === length ? { type: 'string' } : of(`#/$defs/d${at + 1}`),
    ]),
  ),
})

test.each<[string, Record<string, unknown>]>([
  ['that says nothing', {}],
  ['of draft 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'integer' }] }],
  ['of draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema#', type: 'object' }],
  ['of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }] }],
  ['with a name', { $id: 'https://example.com/order', type: 'object' }],
  ['with words of its own', { type: 'string', 'x-hint': { $ref: 5 } }],
  ['with an unknown format', { type: 'string', format: 'colour' }],
  ['with a name and parts that refer to it', { $id: 'https://example.com/tree', properties: { a: { $ref: '#' } } }],
  ['with a tree', { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' }],
  ['that is a tree itself', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  ['with an anchor', { $defs: { a: { $anchor: 'text', type: 'string' } }, properties: { b: { $ref: '#text' } } }],
  ['with properties called like words', { properties: { $ref: { type: 'string' }, enum: { pattern: 'a' }, type: {} } }],
  ['with references as data', { const: { $ref: 'https://example.com' }, examples: [{ pattern: '(' }] }],
  ['with a long chain of references', chain(200, ($ref) => ({ $ref }))],
  ['with a reference that is escaped', { $defs: { 'a/b~c d': {} }, $ref: '#/$defs/a~1b~0c%20d' }],
])('a schema %s can be used, and the runner compiles it', async (_, schema) => {
  expect(await jsonSchemaIssues(schema, '')).toEqual([])
  expect(await checkOf(schema)).toBeFunction()
})

test.each<[string, Record<string, unknown>, boolean]>([
  ['a chain that doubles 5 times', chain(5, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), true],
  ['a chain that doubles 20 times', chain(20, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), false],
  [
    'the same one level of the value after the other',
    chain(20, ($ref) => ({ properties: { a: { $ref }, b: { $ref } } })),
    true,
  ],
  ['a chain that doubles by not and if', chain(20, ($ref) => ({ not: { $ref }, if: { $ref } })), false],
  [
    'a chain that doubles by anchors',
    {
      $ref: '#a0',
      $defs: Object.fromEntries(
        Array.from({ length: 20 }, (_, at) => [
          `d${at}`,
          { $anchor: `a${at}`, anyOf: [{ $ref: `#a${at + 1}` }, { $ref: `#a${at + 1}` }] },
        ]),
      ),
    },
    false,
  ],
  ['a circle', { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }, false],
  ['a circle through the value', { $defs: { a: { items: { $ref: '#/$defs/a' } } } }, true],
])('the work for %s', (_, schema, tight) => {
  expect(foldedTightly(schema)).toBe(tight)
})

test('a schema that names itself like a metaschema is refused, and does no harm to the next one', async () => {
  const metaschema = 'https://json-schema.org/draft/2020-12/schema'
  expect(await jsonSchemaIssues({ $id: metaschema, type: 'string' }, '')).toHaveLength(1)
  expect(await jsonSchemaIssues({ type: 'text' }, '/a')).toEqual([{ path: '/a/type', message: expect.any(String) }])
  expect(await jsonSchemaIssues({ type: 'string' }, '')).toEqual([])
})
