import { expect, test } from 'bun:test'
import { fansOut, isFoldedTightly, issuesWith } from '../../../src/platform/json-schemas/acceptance.ts'
import { compile } from '../../../src/platform/json-schemas/compiler.ts'

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
  ['that is empty', {}],
  ['of draft 2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'integer' }] }],
  ['of draft 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema#', type: 'object' }],
  ['of draft-07', { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'integer' }] }],
  ['with a name', { $id: 'https://example.com/order', type: 'object' }],
  ['with custom keywords', { type: 'string', 'x-hint': { $ref: 5 } }],
  ['with an unknown format', { type: 'string', format: 'colour' }],
  ['with a name and parts that refer to it', { $id: 'https://example.com/tree', properties: { a: { $ref: '#' } } }],
  ['with a tree', { $defs: { node: { properties: { next: { $ref: '#/$defs/node' } } } }, $ref: '#/$defs/node' }],
  ['that is itself a tree', { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } }],
  ['with an anchor', { $defs: { a: { $anchor: 'text', type: 'string' } }, properties: { b: { $ref: '#text' } } }],
  [
    'with properties named like keywords',
    { properties: { $ref: { type: 'string' }, enum: { pattern: 'a' }, type: {} } },
  ],
  ['with references as data', { const: { $ref: 'https://example.com' }, examples: [{ pattern: '(' }] }],
  ['with a long chain of references', chain(200, ($ref) => ({ $ref }))],
  ['with an escaped reference', { $defs: { 'a/b~c d': {} }, $ref: '#/$defs/a~1b~0c%20d' }],
])('a schema %s is accepted, and the runner compiles it', async (_, schema) => {
  expect(await issuesWith(schema, '')).toEqual([])
  expect(await compile(schema)).toBeFunction()
})

test.each<[string, Record<string, unknown>, boolean]>([
  ['a chain that doubles 5 times', chain(5, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), true],
  ['a chain that doubles 20 times', chain(20, ($ref) => ({ allOf: [{ $ref }, { $ref }] })), false],
  ['the same level of the value repeated', chain(20, ($ref) => ({ properties: { a: { $ref }, b: { $ref } } })), true],
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
])('the cost of %s', (_, schema, tight) => {
  expect(isFoldedTightly(schema)).toBe(tight)
})

test('a schema with the $id of a metaschema is refused, and does not affect the next one', async () => {
  const metaschema = 'https://json-schema.org/draft/2020-12/schema'
  expect(await issuesWith({ $id: metaschema, type: 'string' }, '')).toHaveLength(1)
  expect(await issuesWith({ type: 'text' }, '/a')).toEqual([{ path: '/a/type', message: expect.any(String) }])
  expect(await issuesWith({ type: 'string' }, '')).toEqual([])
})

const self = { $ref: '#' }
const draft07 = (schema: object) => ({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema })
const twice = (schema: object) => ({ allOf: [schema, schema] })

test.each<[string, Record<string, unknown>, boolean]>([
  ['a list of itself', { properties: { next: self } }, false],
  ['a tree', { properties: { left: self, right: self }, items: self }, false],
  ['a tree whose other properties are trees', { properties: { left: self }, additionalProperties: self }, false],
  ['a map of itself', { additionalProperties: self, patternProperties: { '^x-': self } }, false],
  ['an expression of one of many kinds', { anyOf: ['and', 'or'].map((kind) => operator(kind)) }, false],
  [
    'two halves that name different parts',
    { allOf: [{ properties: { a: self } }, { properties: { b: self } }] },
    false,
  ],
  ['a property that is checked twice', twice({ properties: { next: self } }), true],
  ['items that are checked twice', twice({ items: self }), true],
  ['a map that is checked twice', { allOf: [{ additionalProperties: self }, { properties: { next: self } }] }, true],
  [
    'twice by a reference to a part',
    { $ref: '#/$defs/n', $defs: { n: twice({ items: { $ref: '#/$defs/n' } }) } },
    true,
  ],
  ['twice by if and beside it', { if: { items: self }, items: self }, true],
  ['items that are also searched', { items: self, contains: self }, true],
  ['the first item, which is also searched', { prefixItems: [self], contains: self }, true],
  ['items of which one contains something else', { items: self, contains: { type: 'string' } }, false],
  [
    'a property that matches a pattern',
    { properties: { a: self }, additionalProperties: self, patternProperties: { '^a': self } },
    true,
  ],
  ['a property beside a pattern', { properties: { b: self }, patternProperties: { '^a': self } }, false],
  ['two patterns', { patternProperties: { '^a': self, a$: self } }, true],
  ['two patterns, one of texts', { patternProperties: { '^a': self, a$: { type: 'string' } } }, false],
  [
    'a property that depends on its own presence',
    { properties: { a: self }, dependentSchemas: { a: { properties: { a: self } } } },
    true,
  ],
  ['the same in draft-07', draft07({ items: self, dependencies: { a: { items: self } } }), true],
  [
    'a property that another one depends on',
    { properties: { a: self }, dependentSchemas: { a: { properties: { b: self } } } },
    false,
  ],
  [
    'patterns that do not recur',
    chain(20, ($ref) => ({ patternProperties: { '^a': { $ref }, a$: { $ref } }, contains: { $ref } })),
    false,
  ],
  ['many patterns', { patternProperties: Object.fromEntries(many(1_500).map((name) => [name, {}])) }, false],
])('whether the cost multiplies from level to level for %s', async (_, schema, fans) => {
  expect(fansOut(schema)).toBe(fans)
  expect(await issuesWith(schema, '/at')).toHaveLength(fans ? 1 : 0)
})

function operator(kind: string) {
  return { properties: { kind: { const: kind }, of: { items: self } }, required: ['kind'] }
}

test.each<[string, Record<string, unknown>, string, RegExp]>([
  ['enum of more than 1,000 values', { enum: many(1_001) }, '/enum', /at most 1,000 values/],
  ['uniqueItems of any values', { uniqueItems: true }, '/uniqueItems', /maxItems of at most 1,000/],
  [
    'uniqueItems of objects',
    { type: 'array', uniqueItems: true, items: { type: 'object' } },
    '/uniqueItems',
    /maxItems/,
  ],
  ['uniqueItems of too many', { uniqueItems: true, maxItems: 1_001 }, '/uniqueItems', /maxItems/],
  ['uniqueItems after a tuple', { uniqueItems: true, prefixItems: [{}] }, '/uniqueItems', /maxItems/],
  ['a pattern with a lookahead', { pattern: 'a(?=b)' }, '/pattern', /Looks ahead or behind.*not supported/],
  ['a pattern with a lookbehind', { pattern: '(?<!a)b' }, '/pattern', /Looks ahead or behind/],
  ['a pattern with a backreference', { pattern: '(a)\\1' }, '/pattern', /Refers back/],
  ['a pattern with a named backreference', { pattern: '(?<n>a)\\k<n>' }, '/pattern', /Refers back/],
  ['a pattern with too many repetitions', { pattern: 'a{1001}' }, '/pattern', /more than 1,000 times/],
  ['an invalid pattern', { pattern: '(' }, '/pattern', /not a valid regular expression/],
  ['a pattern for names', { patternProperties: { '(?=a)/': {} } }, '/patternProperties/(?=a)~1', /Looks ahead/],
  [
    'any of these in a subschema',
    { properties: { a: { items: { pattern: '\\1' } } } },
    '/properties/a/items/pattern',
    /regular/,
  ],
])('%s is refused with place and reason', async (_, schema, path, message) => {
  expect(await issuesWith(schema, '/at')).toEqual([{ path: `/at${path}`, message: expect.stringMatching(message) }])
})

test.each<[string, Record<string, unknown>]>([
  ['enum of 1,000 values', { enum: many(1_000) }],
  ['uniqueItems of texts', { type: 'array', uniqueItems: true, items: { type: ['string', 'null'] } }],
  [
    'uniqueItems of texts by reference',
    { uniqueItems: true, items: { $ref: '#/$defs/t' }, $defs: { t: { type: 'string' } } },
  ],
  ['uniqueItems of choices', { uniqueItems: true, items: { enum: ['a', 1, null] } }],
  ['uniqueItems of at most 1,000 objects', { uniqueItems: true, maxItems: 1_000, items: { type: 'object' } }],
  ['uniqueItems of a closed tuple', { uniqueItems: true, prefixItems: [{}, {}], items: false }],
  ['uniqueItems on a value that is no list', { type: 'object', uniqueItems: true }],
])('%s is accepted', async (_, schema) => {
  expect(await issuesWith(schema, '/at')).toEqual([])
})

function many(count: number) {
  return Array.from({ length: count }, (_, index) => `value ${index}`)
}
