import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checksum, hashSecret } from '../../../src/platform/secrets/tokens.ts'
import { isWellFormed, newSecret, visiblePrefix } from '../../../src/tenancy/api-keys/secret.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

test('a new secret has the documented form', () => {
  for (let index = 0; index < 1_000; index += 1) expect(newSecret()).toMatch(/^trp_[0-9A-Za-z]{49}$/)
})

test('new secrets are well-formed and unique', () => {
  const secrets = Array.from({ length: 1_000 }, newSecret)
  expect(secrets.filter((secret) => !isWellFormed(secret))).toEqual([])
  expect(new Set(secrets).size).toBe(1_000)
})

test('every character is about equally likely in the random part', () => {
  const counts = new Map<string, number>()
  const secrets = 2_000
  for (let index = 0; index < secrets; index += 1) {
    for (const character of newSecret().slice(4, 47)) counts.set(character, (counts.get(character) ?? 0) + 1)
  }
  const expected = (secrets * 43) / 62
  const chiSquare = [...alphabet].reduce(
    (sum, character) => sum + ((counts.get(character) ?? 0) - expected) ** 2 / expected,
    0,
  )
  // 61 degrees of freedom: above 140 comes once in ten million; without rejection it would be about 600
  expect(chiSquare).toBeLessThan(140)
})

/** Base62, independent of the program. */
const value = (digits: string) => [...digits].reduce((sum, digit) => sum * 62 + alphabet.indexOf(digit), 0)

test('the checksum is the CRC-32 (IEEE), the highest digit first: its known answer for 123456789 is cbf43926', () => {
  expect(value(checksum('123456789'))).toBe(0xcbf43926)
})

test.each([
  { text: '', digits: '000000' },
  { text: 'a', digits: '4GEHKN' },
  { text: 'k781655', digits: '0000DQ' },
])('the checksum of "$text" is $digits, padded with zeros', ({ text, digits }) => {
  expect(checksum(text)).toBe(digits)
})

test('any change of one character is detected', () => {
  fc.assert(
    fc.property(
      fc.nat(52),
      fc.constantFrom(...alphabet, '_', '-', ' ', 'é', '\n'),
      fc.constant(0).map(newSecret),
      (position, character, secret) => {
        fc.pre(secret[position] !== character)
        return !isWellFormed(secret.slice(0, position) + character + secret.slice(position + 1))
      },
    ),
    { numRuns: 5_000 },
  )
})

const good = newSecret()
test.each([
  { name: 'nothing', secret: '' },
  { name: 'only the prefix', secret: 'trp_' },
  { name: 'one character fewer', secret: good.slice(0, -1) },
  { name: 'one character more', secret: `${good}0` },
  { name: 'another prefix', secret: `sk__${good.slice(4)}` },
  { name: 'an uppercase prefix', secret: `TRP_${good.slice(4)}` },
  { name: 'a leading space', secret: ` ${good}` },
  { name: 'a trailing line break', secret: `${good}\n` },
  { name: 'a full-width digit', secret: `${good.slice(0, -1)}５` },
])('$name is not well-formed', ({ secret }) => {
  expect(isWellFormed(secret)).toBe(false)
})

test('the hash is the SHA-256 of the whole secret, hexadecimal', () => {
  expect(hashSecret('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('users see the prefix and four characters', () => {
  expect(visiblePrefix(good)).toBe(good.slice(0, 8))
})
