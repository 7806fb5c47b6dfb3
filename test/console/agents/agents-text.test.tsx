/** JSON as text: parsed with lines, compared, and changed by a form. */
import { describe, expect, test } from 'bun:test'
import { draftIn, withBuiltin, withGrants, withModel } from '../../../src/console/pages/agents/draft.ts'
import { lineOf, textOf } from '../../../src/console/ui/text/json-text.ts'
import { diffLines, linesOf, nearChanges } from '../../../src/console/ui/text/line-diff.ts'
import { readJson } from '../../../src/platform/http/body/json-lines.ts'

describe('JSON is parsed with its lines', () => {
  const text = '{\n  "a": {\n    "b/c": [\n      1,\n      {"d": "x\\"y"}\n    ]\n  },\n  "e": -1.5e3\n}'
  test.each([
    ['', 1],
    ['/a', 2],
    ['/a/b~1c', 3],
    ['/a/b~1c/0', 4],
    ['/a/b~1c/1/d', 5],
    ['/e', 8],
    // a missing token is reported where it should be
    ['/a/z', 2],
    ['/a/b~1c/7/x', 3],
  ])('%j is on line %i', (pointer, line) => expect(lineOf(readJson(text), pointer)).toBe(line))

  test('its value is that of JSON.parse', () => expect(readJson(text).value).toEqual(JSON.parse(text)))
})

test.each([
  ['', 1, 1, 'The text ends too early.'],
  ['{\n"a": 1,\n}', 3, 1, 'Expected a name in double quotes.'],
  ['{"a" 1}', 1, 6, 'Expected a colon.'],
  ['[1\n2]', 2, 1, 'Expected a comma or ].'],
  ['{"a": 1} x', 1, 10, 'Unexpected text after the value.'],
  ["{'a': 1}", 1, 2, 'Expected a name in double quotes.'],
  ['[01]', 1, 3, 'Expected a comma or ].'],
  ['"a\nb"', 1, 1, 'A string does not end, or has a line break, a tab or an unknown escape.'],
])('%j is not JSON: line %i, column %i, %s', (text, line, column, message) => {
  expect(readJson(text).fault).toEqual({ line, column, message })
})

test('too deep nesting is reported', () => {
  expect(readJson('['.repeat(200_000)).fault).toBeDefined()
})

test('a diff is the shortest edit script', () => {
  const signs = { same: ' ', added: '+', removed: '-' }
  const shown = (before: string, after: string) =>
    diffLines([...before], [...after])
      .map(({ is, text }) => signs[is] + text)
      .join('')
  expect(shown('abcd', 'abcd')).toBe(' a b c d')
  expect(shown('abcd', 'abxd')).toBe(' a b-c+x d')
  expect(shown('', 'ab')).toBe('+a+b')
  expect(shown('ab', '')).toBe('-a-b')
  expect(shown('abcabba', 'cbabac')).toHaveLength(18)
})

test('very long texts are replaced, not compared', () => {
  const lines = (sign: string) => Array.from({ length: 3_000 }, (_, place) => `${sign}${place}`)
  expect(diffLines(lines('a'), lines('b'))).toHaveLength(6_000)
  // lines in another order count as well
  expect(diffLines([...'abcdef'], [...'fedcba'], 10)).toHaveLength(11)
  expect(diffLines([...'abcdef'], [...'fedcba'], 9)).toHaveLength(12)
})

test('the order of names makes no difference, and long texts differ by their lines', () => {
  expect(linesOf({ b: 1, a: [] })).toEqual(linesOf({ a: [], b: 1 }))
  expect(linesOf({ text: 'one\ntwo' })).toEqual(['{', '  "text": """', '    one', '    two', '  """', '}'])
})

test('lines far from any change are omitted', () => {
  const lines = diffLines([...'abcdefghij'], [...'abcdefghiX'])
  expect(nearChanges(lines, 2)[0]).toEqual({ is: 'gap', count: 7 })
})

const draft = { content: { instructions: 'Sell.', metadata: { x: 1 } }, grantedOperations: ['a.b'] }

test.each([
  ['no JSON', '{'],
  ['no object', '[]'],
  ['no content', '{"content": 1}'],
  ['grants that are not strings', '{"content": {}, "grantedOperations": [1]}'],
  ['tools that are not a list', '{"content": {"tools": {}}}'],
])('%s is omitted from the form', (_, text) => expect(draftIn(text)).toBeUndefined())

test('a draft is its text', () => expect(draftIn(textOf(draft))).toEqual(draft))

test('an empty choice of a model is none', () => {
  const chosen = withModel(draft, 'provider', 'openai')
  expect(chosen.content.model).toEqual({ provider: 'openai' })
  expect(withModel(chosen, 'provider', '').content).toEqual(draft.content)
})

test("the runner's tools can be added and removed, the others stay", () => {
  const asked = { ...draft, content: { tools: [{ kind: 'operation' as const, name: 'clock', operation: 'a.b' }] } }
  const added = withBuiltin(asked, 'clock', true)
  expect(added.content.tools).toHaveLength(2)
  expect(withBuiltin(added, 'clock', false).content.tools).toEqual(asked.content.tools)
})

test('grants are lines', () => expect(withGrants(draft, ' a.b \n\nc:d\n').grantedOperations).toEqual(['a.b', 'c:d']))
