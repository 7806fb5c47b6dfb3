import { expect, test } from 'bun:test'
import { isProven, profileOf } from '../../../src/platform/json-schemas/proof.ts'

type Schema = Record<string, unknown>

const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) })
const self = { $ref: '#' }

test.each<[string, Schema, unknown]>([
  ['an object of texts', { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { a: 'text' }],
  ['a long text without a bound', { type: 'object' }, { a: 'x'.repeat(1_000_000) }],
  ['a long text with a bound', { properties: { a: { maxLength: 9 } } }, { a: 'x'.repeat(40_000) }],
  ['a short text by a pattern', { pattern: '^(a+)+$' }, 'a'.repeat(200)],
  ['a format', { properties: { a: { format: 'email' } } }, { a: 'someone@example.com' }],
  ['a few different items', { uniqueItems: true }, [{ a: 1 }, { a: 2 }]],
  ['a list of itself', { properties: { next: self } }, nested(20)],
  ['descriptions of any length', { description: 'x'.repeat(20_000), type: 'string' }, 'a'],
])('%s is proven to be fast', (_, schema, value) => {
  const profile = profileOf(schema)
  expect(profile && isProven(profile, value)).toBe(true)
})

test.each<[string, Schema, unknown]>([
  ['a pattern and a long text', { pattern: '^(a+)+$' }, 'a'.repeat(50_000)],
  ['names by a pattern, and a long name', { patternProperties: { '^(a+)+$': {} } }, { ['a'.repeat(50_000)]: 1 }],
  ['a format and a long text', { format: 'url' }, `http://${':'.repeat(4_000)}`],
  ['many different items', { uniqueItems: true }, Array.from({ length: 1_000 }, (_, index) => ({ index }))],
  ['a large enum and many items', { items: { enum: range(100) } }, range(10_000)],
  ['branches that multiply with each level', { anyOf: [1, 2, 3].map(branch) }, nested(20)],
  ['a deep value that is checked twice', { allOf: [{ items: self }, { items: self }] }, deepList(20)],
  ['a value above the maximum depth', { type: 'object' }, nested(40)],
])('%s is not proven', (_, schema, value) => {
  const profile = profileOf(schema)
  expect(profile && isProven(profile, value)).toBe(false)
})

test.each<[string, Schema]>([
  ['unevaluatedProperties', { unevaluatedProperties: false }],
  ['a dynamic reference', { $dynamicRef: '#a' }],
  ['a name', { $id: 'https://example.com/a' }],
  ['an anchor', { properties: { a: { $anchor: 'a' } } }],
  ['an unknown keyword with a schema', { 'x-of': {} }],
  ['a reference to another document', { $ref: 'https://example.com/a' }],
  ['a reference to itself at the same value', { anyOf: [self] }],
  ['too much to compile quickly', { properties: Object.fromEntries(range(200).map((n) => [n, { type: 'string' }])) }],
  ['a pattern with a large program', { pattern: '(?:[a-z]{30}x{30}){30}' }],
])('a schema with %s is not simple', (_, schema) => {
  expect(profileOf(schema)).toBeNull()
})

function branch(kind: number) {
  return { properties: { a: self, kind: { const: kind } } }
}
function range(count: number) {
  return Array.from({ length: count }, (_, index) => `value-${index}`)
}
function deepList(levels: number): unknown {
  return levels === 0 ? [] : [deepList(levels - 1)]
}
