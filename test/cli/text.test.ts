/** Text for a terminal: wide characters take two columns, and none is cut in two. */
import { expect, test } from 'bun:test'
import { cut, table } from '../../cli/terminal/text.ts'

test('columns are aligned beside wide characters', () => {
  const rows = [
    ['日本語', 'active'],
    ['👩‍👩‍👧 e\u0301', 'revoked'],
    ['plain', 'active'],
  ]
  expect(table(['name', 'status'], rows).split('\n')).toEqual([
    'name    status',
    '日本語  active',
    '👩‍👩‍👧 e\u0301    revoked',
    'plain   active',
  ])
})

test.each([
  ['🦊🦊🦊', 3, '🦊🦊🦊'],
  ['🦊🦊🦊🦊', 3, '🦊🦊…'],
  ['a🦊b🦊', 2, 'a…'],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
])('%p, cut to %p characters, is %p', (text, charactersMax, expected) => {
  expect(cut(text, charactersMax)).toBe(expected)
})
