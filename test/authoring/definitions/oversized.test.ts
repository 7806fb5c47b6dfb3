/** Bodies with thousands of entries where a hundred are allowed: they are rejected for that, without further work. */
import { afterAll, beforeAll, test } from 'bun:test'
import { type Definitions, type Issue, many, openDefinitions } from './refusals.ts'
import { step } from './sources.ts'

let definitions: Definitions
beforeAll(async () => {
  definitions = await openDefinitions()
})
afterAll(() => definitions?.stop())

const named = (count: number, value: unknown) => Object.fromEntries(many(count, (at) => [`n${at}`, value]))
const http = (changes: object) => ({ type: 'http', connection: 'a', method: 'POST', path: '/', ...changes })
const operation = (changes: object) => ({
  operations: [
    { name: 'a', description: 'A.', inputSchema: {}, effect: 'read', idempotent: true, approval: 'never', ...changes },
  ],
})
const states = (all: object) => ({ schema: {}, states: { initial: 'n0', states: all } })

test.each<[string, string, object, Issue[]]>([
  [
    'a chain of 12,000 steps, each depending on the one before it',
    'workflow',
    { params: {}, steps: many(12_000, (at) => step(`s${at}`, { after: at ? [`s${at - 1}`] : [] })) },
    [['/body/source/steps', /100/]],
  ],
  ['30,000 empty steps', 'workflow', { params: {}, steps: many(30_000, () => ({})) }, [['/body/source/steps', /100/]]],
  ['90,000 operations', 'operations', { operations: many(90_000, () => 1) }, [['/body/source/operations', /100/]]],
  [
    'a query of 40,000 parameters',
    'operations',
    operation({ handler: http({ query: named(40_000, 1) }) }),
    [['/body/source/operations/0/handler/query', /64/]],
  ],
  ['40,000 states', 'entity', states(named(20_000, {})), [['/body/source/states/states', /100/]]],
])('%s', async (_, kind, source, expected) => {
  await definitions.refusedAmong(kind, { source }, expected)
})
