/** Values that would block the thread for seconds: their own outcome, and that of the next checks. */
import { afterAll, expect, test } from 'bun:test'
import { SchemaFailure } from '../../../src/platform/json-schemas/check-result.ts'
import { checkValue, schemaIssues, schemaWorkers } from '../../../src/platform/json-schemas/checks.ts'

afterAll(() => schemaWorkers.close())

type Schema = Record<string, unknown>

const range = <Item>(count: number, item: (index: number) => Item) => Array.from({ length: count }, (_, at) => item(at))
const nested = (levels: number): unknown => (levels === 0 ? {} : { a: nested(levels - 1) })
const looking = (at: string) => ({ properties: { a: { $ref: at } } })
const branches = {
  $ref: '#/$defs/n',
  $defs: { n: { oneOf: [1, 2].map((kind) => ({ ...looking('#/$defs/n'), kind })) } },
}

/** Counts turns of the event loop until the work is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  const counter = setInterval(() => {
    turns += 1
  }, 1)
  await work.catch(() => {})
  clearInterval(counter)
  return turns
}

/** The result, or the reason why there is none. */
async function saidOf(checking: Promise<{ problem: string | null }>): Promise<string | null> {
  try {
    return (await checking).problem
  } catch (error) {
    if (!(error instanceof SchemaFailure)) throw error
    return error.code
  }
}

test.each<[string, Schema, unknown]>([
  ['uniqueItems over objects', { uniqueItems: true }, range(60_000, (i) => ({ i }))],
  ['allOf of two references', { allOf: [looking('#'), looking('#')] }, nested(31)],
  ['branches that double with each level', branches, nested(31)],
  [
    'a large enum of objects',
    { items: { enum: range(2_000, (i) => ({ a: i })) } },
    range(20_000, () => ({ a: 1_999 })),
  ],
])('%s: aborted, while the thread continues', async (_, schema, value) => {
  const checking = checkValue(schema, value, 'org_a')
  const turns = turnsDuring(checking)
  expect(await saidOf(checking)).toBe('schema_too_costly')
  // the check takes at least 100 ms: a blocked thread would have counted none
  expect(await turns).toBeGreaterThan(5)
})

test.each<[string, Schema, unknown, RegExp]>([
  ['a pattern that backtracks', { pattern: '^(a+)+$' }, `${'a'.repeat(50_000)}!`, /must match pattern/],
  [
    'items with such a pattern',
    { items: { pattern: '^(a|a)*$' } },
    range(500, () => `${'a'.repeat(500)}!`),
    /^\/0 must match/,
  ],
  [
    'names with such a pattern',
    { patternProperties: { '^(a+)+$': false } },
    { [`${'a'.repeat(9_000)}!`]: 1, aaa: 1 },
    /^\/aaa boolean schema is false/,
  ],
])('%s: matched in linear time', async (_, schema, value, problem) => {
  expect(await saidOf(checkValue(schema, value, 'org_a'))).toMatch(problem)
})

test('the thread and a worker have the same outcome for the same value', async () => {
  const schema = {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'integer' } } },
    required: ['id'],
  }
  const [small, large] = [{ list: [1, 'a'] }, { list: [...range(60_000, (at) => at), 'a'] }]
  expect(await saidOf(checkValue(schema, { ...small, id: 1 }, 'org_a'))).toBe('/list/1 must be integer')
  expect(await saidOf(checkValue(schema, { ...large, id: 1 }, 'org_a'))).toBe('/list/60000 must be integer')
  for (const value of [small, large]) {
    const { faults } = await checkValue(schema, value, 'org_a')
    expect(faults).toEqual([{ path: '/id', message: "must have required property 'id'" }])
  }
})

test('a schema that is no longer accepted fails the check with a message for its author, and no other check', async () => {
  const large = {
    properties: Object.fromEntries(range(300, (at) => [`name${at}`, { type: 'string' }])),
    pattern: '(?=a)',
  }
  for (const schema of [{ pattern: '(?=a)' }, { pattern: '(?=a)' }, large, { ...large }]) {
    const checking = checkValue(schema, 'a', 'org_a')
    expect(await saidOf(checking)).toBe('schema_not_supported')
    await expect(checking).rejects.toThrow(/publish a new one.*Looks ahead/)
  }
  expect(await saidOf(checkValue({ pattern: 'a' }, 'a', 'org_a'))).toBeNull()
})

test.each<[string, unknown]>([
  ['too deep', range(1_000, (at) => at).reduce<unknown>((inner) => [inner], 1)],
  ['too long', 'x'.repeat(5_000_000)],
  ['of too many values', range(600_000, () => 0)],
])('a value that is %s is not checked', async (_, value) => {
  expect(await saidOf(checkValue({ pattern: 'a', uniqueItems: true }, value, 'org_a'))).toBe('schema_too_costly')
})

test('a schema that takes too long to compile is refused at publication', async () => {
  const wide = (count: number) => ({ anyOf: range(count, (at) => ({ const: `value ${at}` })) })
  expect(await schemaIssues({ items: range(6, () => wide(150)) }, '/at', 'org_a')).toEqual([
    { path: '/at/items', message: expect.any(String) },
  ])
  expect(await schemaIssues(wide(300), '/at', 'org_a')).toEqual([])
})
