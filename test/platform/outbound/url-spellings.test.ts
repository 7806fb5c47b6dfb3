import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AddressRefused, assertUrlAllowed } from '../../../src/platform/outbound/url.ts'
import { closed } from './receivers.ts'

const octet = fc.integer({ min: 0, max: 255 })
const privateAddress = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127, 224, 240, 255), octet, octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
)
const digits = fc.constantFrom(
  (number: number) => String(number),
  (number: number) => `0x${number.toString(16)}`,
  (number: number) => `0${number.toString(8)}`,
)
const hextets = (numbers: number[]) =>
  [0, 2].map((at) => (numbers[at]! * 256 + numbers[at + 1]!).toString(16)).join(':')

test('a private IPv4 address is refused in any spelling', () => {
  const property = fc.property(
    privateAddress,
    fc.tuple(digits, digits, digits, digits),
    fc.integer({ min: 1, max: 4 }),
    fc.constantFrom('', '.'),
    (numbers, spelling, parts, end) => {
      const rest = numbers.slice(parts - 1).reduce((sum, number) => sum * 256 + number, 0)
      const spelled = [...numbers.slice(0, parts - 1), rest].map((number, at) => spelling[at]!(number)).join('.')
      const inner = ['::', '::ffff:', '::ffff:0:', '64:ff9b::'].map((prefix) => `[${prefix}${hextets(numbers)}]`)
      for (const host of [spelled + end, ...inner, `[2002:${hextets(numbers)}::1]`]) {
        expect(() => assertUrlAllowed(`https://${host}/`, closed)).toThrow(/^The address is not public\./)
      }
    },
  )
  fc.assert(property, { numRuns: 500 })
})

test('any text is either an allowed URL, or refused with a reason', () => {
  const text = fc.oneof(
    fc.webUrl(),
    fc.string(),
    fc.string({ unit: 'binary' }).map((host) => `https://${host}/`),
  )
  const property = fc.property(text, (url) => {
    try {
      expect(assertUrlAllowed(url, closed).protocol).toBe('https:')
    } catch (error) {
      expect(error).toBeInstanceOf(AddressRefused)
    }
  })
  fc.assert(property, { numRuns: 1000 })
})
