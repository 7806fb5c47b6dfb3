/** Documents that the command line reads: what JSON cannot hold is refused, never changed silently. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDocument, yamlOf } from '../../cli/documents.ts'
import { documentIn } from '../../src/platform/documents.ts'

const read = (text: string) => documentIn(text, 'troupe.yaml')

describe('a document', () => {
  test.each([
    ['an unknown tag', 'a: !secret b\n', 'Unresolved tag'],
    ['code in a tag', 'a: !!js/function "function () {}"\n', 'Unresolved tag'],
    ['a set, which would become an empty object', 'a: !!set {x, y}\n', 'Unresolved tag'],
    ['bytes', 'a: !!binary aGVsbG8=\n', 'Unresolved tag'],
    ['an infinite number', 'a: [1, .inf]\n', 'Infinity'],
    ['what is no number', 'a: {b: .nan}\n', 'NaN'],
    ['a number that is too large', 'a: 1e400\n', 'Infinity'],
    ['such a number in JSON', '{"a": 1e400}', 'Infinity'],
    ['aliases of itself', 'a: &a\n  b: *a\n', 'levels deep'],
    [
      'aliases that multiply',
      'a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c]',
      'Excessive alias count',
    ],
    ['a list in place of the object', '- 1', 'is not an object'],
    ['a key twice', 'b:\n  a: 1\n  c: 1\n  a: 2\n', '"a" twice in one object, again in line 4'],
    ['a key twice in braces', 'b: [{a: 1, "a": 2}]\n', '"a" twice in one object, again in line 1'],
    [
      'a key twice in JSON',
      '{"b": [{"a": 1}],\n "a": "\\"a\\": {",\n "\\u0061": 2}',
      '"a" twice in one object, again in line 3',
    ],
    ['a key twice in JSON, within lists', '{"b": [[{"c": {}, "a": 1, "a": 1}]]}', '"a" twice'],
    ['a key twice, as a value and as a text', 'true: 1\n"true": 2\n', '"true" twice in one object, again in line 2'],
    ['a key that is a list', '? [a, b]\n: 1\n', 'A key must be a text'],
    ['several documents', 'a: 1\n---\nb: 2\n', 'several YAML documents'],
  ])('with %s is refused', async (_, text, said) => {
    await expect(read(text)).rejects.toThrow(said)
  })

  test.each<[string, string, object]>([
    ['a byte order mark', '\ufeffa: 1\n', { a: 1 }],
    ['a byte order mark before JSON', '\ufeff{"a": 1}', { a: 1 }],
    ['line ends of Windows', 'a: |\r\n  x\r\n  y\r\nb: 2\r\n', { a: 'x\ny\n', b: 2 }],
    [
      'words that older YAML took for values',
      'a: no\nb: 12:30\nc: 2026-01-01\n',
      { a: 'no', b: '12:30', c: '2026-01-01' },
    ],
    [
      'a key in several objects',
      '{"a": [{"a": 1}, {"a": 2}], "b": {"a": "a"}}',
      { a: [{ a: 1 }, { a: 2 }], b: { a: 'a' } },
    ],
    ['keys that look like other values', '007: a\n1e3: b\nnull: c\n', { '007': 'a', '1e3': 'b', null: 'c' }],
    ['anchors', 'a: &a {x: 1}\nb: *a\n', { a: { x: 1 }, b: { x: 1 } }],
  ])('may have %s', async (_, text, value) => {
    expect(await read(text)).toEqual(value as never)
  })

  test('may have an object of seventy thousand keys', async () => {
    const keys = Array.from({ length: 70_000 }, (_, number) => `key${number}`)
    expect(Object.keys(await read(keys.map((key) => `${key}: 1\n`).join('')))).toEqual(keys)
  }, 60_000)

  test('with a key `__proto__` keeps it as a key', async () => {
    const value = (await read('a: {__proto__: {b: 1}}\n')) as { a: object }
    expect(Object.keys(value.a)).toEqual(['__proto__'])
    expect((value.a as { b?: number }).b).toBeUndefined()
  })
})

test.each<[string, Uint8Array]>([
  ['Latin-1', Buffer.from('a: Grüße\n', 'latin1')],
  ['UTF-16, as PowerShell writes it', Buffer.from('\ufeffa: 1\n', 'utf16le')],
])('a file in %s is refused', async (_, bytes) => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-documents-'))
  const file = join(folder, 'troupe.yaml')
  writeFileSync(file, bytes)
  try {
    await expect(readDocument(file)).rejects.toThrow('is not encoded in UTF-8')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('an object that occurs twice is written twice, without an alias', async () => {
  const handler = { type: 'worker' }
  expect(await yamlOf({ a: handler, b: handler })).toBe('a:\n  type: worker\nb:\n  type: worker\n')
})

test.each([
  ['a blank line of spaces beside a control character', `${'x'.repeat(40)}\n \n # y\n\u001b`],
  ['the same at the end of a line', `a \n:\n \n \n${'word '.repeat(20)}\u007f`],
  ['spaces and line ends only', ' \n\n'],
  ['a byte order mark', '\ufeff- x'],
  ['line ends of Windows', 'a \r\n\r\n  b\r\n'],
  ['lines that end with spaces', 'a  \n\n  b \n\n\n'],
  ['what looks like another value', '1e3'],
])('a text with %s is read as it was written', async (_, text) => {
  const value = { [text]: { nested: [text, { text }] }, last: 1 }
  expect(await read(await yamlOf(value))).toEqual(value)
})
