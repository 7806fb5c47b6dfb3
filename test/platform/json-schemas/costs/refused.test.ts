/** JSON Schemas that can no longer be published. Source: contract 4, "publication refuses". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openSchemas, range, type Schemas } from './world.ts'

let world: Schemas
beforeAll(async () => {
  world = await openSchemas()
})
afterAll(() => world?.stop())

const again = { properties: { a: { $ref: '#' } } }
const at = '/body/source/operations/0/inputSchema'

test.each<[string, Record<string, unknown>, string, RegExp]>([
  ['uniqueItems over objects', { properties: { l: { uniqueItems: true } } }, '/properties/l/uniqueItems', /maxItems/],
  ['an enum of 1,001 values', { properties: { a: { enum: range(1_001, (n) => n) } } }, '/properties/a/enum', /1,000/],
  ['recursion that fans out', { allOf: [again, again] }, '', /multiplies the work at each level/],
  ['a pattern with a lookahead', { properties: { a: { pattern: '(?=a)' } } }, '/properties/a/pattern', /not supported/],
  ['a named backreference', { patternProperties: { '(a)\\1': {} } }, '/patternProperties/(a)\\1', /Refers back/],
  [
    'a pattern with a large program',
    { properties: { a: { pattern: '(.{900})'.repeat(2_000) } } },
    '/properties/a/pattern',
    /too large/,
  ],
])('%s is refused with its place and its reason, and nothing is stored', async (_, schema, path, message) => {
  const { status, body } = await world.publish({ type: 'object', ...schema })
  expect(status).toBe(422)
  expect(body.error.details.issues).toEqual([{ path: at + path, message: expect.stringMatching(message) }])
})

test('other requests are answered while large schemas are compiled', async () => {
  const properties = Object.fromEntries(range(700, (n) => [`p${n}`, { type: 'string', pattern: `^a${n}` }]))
  const attempt = async (): Promise<[number, number]> => {
    const publishing = world.publish({ type: 'object', properties })
    const [{ status }, answers] = await Promise.all([publishing, world.answersDuring(publishing)])
    // the worker got no processor time: the request may be repeated
    return status === 503 ? attempt() : [status, answers]
  }
  const [status, answers] = await attempt()
  expect(status).toBe(201)
  expect(answers).toBeGreaterThan(1)
})
