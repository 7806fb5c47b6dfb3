/** Canonical JSON equals that of the reference implementation of RFC 8785. */
import { expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import fc from 'fast-check'
import { canonical } from '../../../src/platform/http/canonical.ts'
import { digestOf, digestOfLarge } from '../../../src/platform/http/digest.ts'

test("it equals the reference's, for any JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), (value) => {
      expect(canonical(value)).toBe(canonicalize(value) as string)
    }),
    { numRuns: 500 },
  )
})

const values: [string, unknown, string][] = [
  ['names that look like numbers', { 10: 'a', 9: 'b', '-1': 'c' }, '{"-1":"c","10":"a","9":"b"}'],
  ['names by their UTF-16 units', { '\u{1f600}': 1, '\ufb33': 2 }, '{"\u{1f600}":1,"\ufb33":2}'],
  ['numbers', [333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0], '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]'],
  ['texts', ['€$\u000f\nA\'B"\\\\"/'], '["€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"]'],
  ['undefined values', { a: undefined, b: [undefined] }, '{"b":[null]}'],
  ['nothing', null, 'null'],
]
test.each(values)('%s', (_, value, expected) => {
  expect(canonical(value)).toBe(expected)
})

test.each([['\ud800'], [{ '\udc00': 1 }], [Number.NaN], [[Number.POSITIVE_INFINITY]]])('%p is refused', (value) => {
  expect(() => canonical(value)).toThrow(RangeError)
})

test('the digest of a large value, computed in pieces, is that of its canonical text', async () => {
  for (const text of ['small', 'x'.repeat(3_000_000), '😀'.repeat(700_001), `a${'😀'.repeat(700_001)}`]) {
    expect(await digestOfLarge({ text })).toBe(digestOf({ text }))
  }
})
