import { expect, test } from 'bun:test'
import { LinearPattern, UnsupportedPattern } from '../../../src/platform/json-schemas/patterns.ts'

/** Patterns that JavaScript and RE2 interpret differently. */
const patterns = [
  ...[
    '^a.b$',
    '.',
    '[.]',
    '\\s+',
    '[\\s]',
    '[^\\s]',
    '\\S',
    '[\\S]',
    '[\\b]',
    'a\\b',
    '\\w\\W',
    '\\d\\D',
    '\\t\\n\\v\\f\\r',
  ],
  ...['\\u{1F600}', '[\\u{1F600}-\\u{1F64F}]', '\\ud83d\\ude00', '^\\ud83d$', '\\cA', '\\x41', '\\0', '\\u0041'],
  ...['[^]', 'a|[]', '[[a]', '[a[^]', '[\\[\\]]', '[a-z-9]', '[\\w-]', '[\\-]', '[^\\u0000-\\u007F]'],
  ...['(?<name>a)b', '(?:a|b)*?', '^(?:)$', '\\/\\.\\$', '^.{1,1000}$', 'x{0}', '^[a-z0-9]+(?:-[a-z0-9]+)*$'],
  ...[
    '\\p{Letter}',
    '[\\p{Script=Greek}a]',
    '\\p{gc=Lu}',
    '\\P{L}',
    '\\p{General_Category=Decimal_Number}',
    '\\p{ASCII}',
  ],
]
const texts = [
  ...[
    '',
    'a',
    'ab',
    'aXb',
    'a\nb',
    'a\rb',
    'a\u2028b',
    'x-1',
    '-x',
    '+491234',
    '[',
    ']',
    '^',
    '.',
    'a^',
    'z9-',
    'name',
  ],
  ...[
    '\u00a0',
    '\u0085',
    '\u180e',
    ' ',
    '\t',
    '\v',
    '\ufeff',
    '\u2009',
    '\u0001',
    '\0',
    '\b',
    '\u{1F600}',
    '\u{1F64F}',
  ],
  ...['A', 'é', 'α', 'Ä', '٣', '\ud83d', 'a\u{1F600}b'],
]

test.each(patterns)('%s matches what it matches in JavaScript', (source) => {
  const linear = new LinearPattern(source)
  const own = new RegExp(source, 'u')
  expect(texts.filter((text) => linear.test(text))).toEqual(texts.filter((text) => own.test(text)))
})

test.each(['(?=a)', '(?!a)', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', 'a{1001}', '(?i:a)', '\\p{scx=Greek}'])(
  '%s is not supported, and the message says so',
  (source) => {
    expect(() => new LinearPattern(source)).toThrow(UnsupportedPattern)
  },
)

test.each(['(', '[b-a]', '\\u{110000}', '{'])('%s is invalid', (source) => {
  expect(() => new LinearPattern(source)).toThrow(SyntaxError)
})

test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*)*x', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
  '%s ends quickly with a text that takes others years',
  (source) => {
    expect(new LinearPattern(source).test(`${'a'.repeat(100_000)}!`)).toBe(false)
  },
)
