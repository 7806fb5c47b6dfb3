/** Bodies of megabytes: others do not wait while they are checked. Source: contract 0, "Strings". */
import { expect, test } from 'bun:test'
import { jsonValuesMax, StructureScan, structuralFault } from '../../../../src/platform/http/body/duplicates.ts'
import { parseJson } from '../../../../src/platform/http/body/json.ts'
import { api } from '../../../support/client.ts'
import { allKey, testApp } from '../fixture.ts'

const { app } = testApp()
const client = api(app, allKey)
const headers = { 'content-type': 'application/json' }
const listOf = (unit: string, count: number) => `{"name":"x","metadata":{"a":[${Array(count).fill(unit).join(',')}]}}`

const tooMany: [string, string][] = [
  ['numbers', listOf('0', jsonValuesMax)],
  ['empty lists', listOf('[]', jsonValuesMax / 2)],
  ['objects', listOf('{"a":0}', jsonValuesMax / 2)],
  [
    'keys',
    `{"name":"x","metadata":{${Array.from({ length: jsonValuesMax }, (_, i) => `"${i.toString(36)}":0`).join()}}}`,
  ],
]
test.each(tooMany)('400: too many values: %s', async (_, body) => {
  const { status, body: answer } = await client.post('/api/v1/things', body, { headers })
  expect(status).toBe(400)
  expect(answer.error.message).toBe('The JSON body has more than 100,000 values and names. Send less of it at a time.')
})

test('the maximum number of values is accepted', async () => {
  const { status } = await client.post('/api/v1/things', listOf('0', jsonValuesMax - 7), { headers })
  expect(status).toBe(201)
})

const texts: [string, string, string | undefined][] = [
  ['a key twice', '{"abc":1,"d":[{"abc":2}],"abc":3}', 'An object of the JSON body has the same key twice.'],
  ['a key twice, once escaped', '{"a\\u0062c":1,"abc":3}', 'An object of the JSON body has the same key twice.'],
  ['quotes and backslashes', '{"a\\"":"\\\\\\"","b\\\\":"\\\\"}', undefined],
  ['brackets in strings', '{"[{":"}]","a":["[[[["]}', undefined],
  ['an unterminated string', '{"a":"b', undefined],
  ['depth 33', '['.repeat(33), 'The JSON body is nested deeper than 32 levels.'],
]
test.each(texts)('the result is the same however the text is split: %s', (_, text, expected) => {
  expect(structuralFault(text)).toBe(expected)
  for (const characters of [1, 2, 3, 5]) {
    const scan = new StructureScan(text)
    while (scan.advance(characters));
    expect(scan.fault).toBe(expected)
  }
})

test('other requests are served while a large body is checked', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await parseJson(Buffer.from(`{"a":"${'\\"'.repeat(4 * 1024 * 1024)}"}`))
  isOver = true
  expect(turns).toBeGreaterThan(20)
})
