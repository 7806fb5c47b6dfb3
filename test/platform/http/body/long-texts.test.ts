/** JSON with long texts: parsed in pieces, with the result of `JSON.parse`. */
import { expect, test } from 'bun:test'
import { parseJson } from '../../../../src/platform/http/body/json.ts'
import { parseStored, stretch } from '../../../../src/platform/http/body/long-texts.ts'

/** Each unit has a different length, so that the pieces end in every part of an escape. */
const units: [string, string][] = [
  ['plain letters', 'abcdefg'],
  ['quotes', '\\"'],
  ['backslashes', '\\\\'],
  ['backslashes and a letter', '\\\\\\\\u'],
  ['escaped letters', '\\u0041b'],
  ['an escaped backslash before an apparent escape', '\\\\u0041'],
  ['surrogate pairs', 'a\\ud83d\\ude00'],
  ['characters beyond the basic plane', 'é😀\\n'],
]
const lengthOf = (unit: string) => Math.ceil((2.5 * stretch) / unit.length)
const texts = units.flatMap(([what, unit]) =>
  ['', 'x', 'xy', 'xyz', 'xyzx', 'xyzxy'].map((before): [string, number, string] => [
    what,
    before.length,
    `"${before}${unit.repeat(lengthOf(unit))}"`,
  ]),
)

test.each(texts)('%s, %d characters later: the text itself', async (_, __, literal) => {
  const text = `{"a":[1,${literal},{"b":${literal},"__proto__":${literal}}],"c":"short","d":null}`
  const expected = JSON.parse(text)
  expect(await parseStored(text)).toEqual(expected)
  expect(await parseJson(Buffer.from(text))).toEqual(expected)
  expect(await parseStored(literal)).toBe(JSON.parse(literal))
})

const long = 'x'.repeat(2 * stretch)
const broken: [string, string][] = [
  ['an invalid escape', `{"a":"${long}\\x${long}"}`],
  ['a control character', `{"a":"${long}\n${long}"}`],
  ['a truncated escape at the end', `{"a":"${long}\\u00"}`],
  ['a text after a text', `{"a":"${long}""${long}"}`],
  ['an unterminated text', `{"a":"${long}`],
  ['trailing text', `"${long}" 1`],
]
test.each(broken)('400: %s', async (_, text) => {
  expect(() => JSON.parse(text)).toThrow()
  await expect(parseJson(Buffer.from(text))).rejects.toMatchObject({ status: 400, code: 'malformed_request' })
})

test('400: a very long key', async () => {
  await expect(parseJson(Buffer.from(`{"${'k'.repeat(300_000)}":1}`))).rejects.toThrow(
    'has a key of more than 262,144 characters',
  )
})

test('422: a lone surrogate in a long text, and U+0000', async () => {
  for (const half of ['\\ud83d', '\\u0000']) {
    const text = `{"a":"${'x'.repeat(stretch - 3)}${half}${long}"}`
    await expect(parseJson(Buffer.from(text))).rejects.toMatchObject({ status: 422, code: 'validation_failed' })
  }
})

test('several at once are parsed correctly, also beside a malformed one', async () => {
  const bodies = ['a', 'b', 'c'].map((letter) => Buffer.from(`"${letter.repeat(2 * stretch)}"`))
  const read = await Promise.allSettled([...bodies, Buffer.from(long), ...bodies].map((body) => parseJson(body)))
  expect(read.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
  const values = read.flatMap((each) => (each.status === 'fulfilled' ? [String(each.value)[0]] : []))
  expect(values).toEqual(['a', 'b', 'c', 'a', 'b', 'c'])
})
