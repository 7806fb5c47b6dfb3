/** Schemas and values that blocked the whole server for seconds. Source: contract 4, "Schemas of tenants". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { call } from '../../../runs/project/serving.ts'
import { data } from '../../../support/world/replies.ts'
import { openSchemas, range, type Schemas } from './world.ts'

let world: Schemas
let stored: Awaited<ReturnType<Schemas['servingStored']>>

const list = (schema: object) => ({ type: 'object', properties: { list: schema } })
const again = { properties: { a: { $ref: '#' } } }
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })

const schemas = {
  backtracking: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
  items: list({ items: { pattern: '^(a|a)*$' } }),
  names: { type: 'object', patternProperties: { '^(a+)+$': false } },
  unique: list({ type: 'array', uniqueItems: true }),
  doubling: { type: 'object', allOf: [again, again] },
  branching: { type: 'object', oneOf: [again, again] },
  choices: list({ items: { enum: range(2_000, (at) => ({ at })) } }),
  ahead: { type: 'object', properties: { s: { pattern: '^(?=a)' } } },
  harmless: { type: 'object', properties: { s: { pattern: '^[a-z]{1,20}$', maxLength: 20 } } },
}

beforeAll(async () => {
  world = await openSchemas()
  stored = await world.servingStored(schemas)
})
afterAll(() => world?.stop())

test.each<[keyof typeof schemas, object]>([
  ['unique', { list: range(30_000, (at) => ({ at })) }],
  ['doubling', nested(28)],
  ['branching', nested(28)],
  ['choices', { list: range(20_000, () => ({ at: 1_999 })) }],
])('%s: other requests are answered during the check, which is aborted', async (name, input) => {
  const calling = stored.call(name, input)
  const [{ status, body }, answers] = await Promise.all([calling, world.answersDuring(calling)])
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'schema_too_costly' })
  expect(body.error.details.issues).toEqual([{ path: '/body/input', message: expect.stringMatching(/too long/) }])
  expect(answers).toBeGreaterThan(1)
})

test.each<[keyof typeof schemas, object, string]>([
  ['backtracking', { s: `${'a'.repeat(200_000)}!` }, '/body/input/s'],
  ['items', { list: range(400, () => `${'a'.repeat(1_000)}!`) }, '/body/input/list/0'],
  ['names', { [`${'a'.repeat(100_000)}!`]: 1, aaa: 1 }, '/body/input'],
])('%s: a pattern is matched in linear time', async (name, input, path) => {
  const { status, body } = await stored.call(name, input)
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'validation_failed' })
  expect(body.error.details.issues[0].path).toStartWith(path)
})

test('the call of a run fails because its input costs too much, and the run continues', async () => {
  const { id, state } = await stored.run('branching', nested(28))
  expect(state).toBe('completed')
  expect(await world.called(id)).toMatchObject({ output: null, error: { code: 'schema_too_costly' } })
})

test('a revision with a pattern that is no longer supported fails its calls, with a message for its author', async () => {
  const { status, body } = await stored.call('ahead', { s: 'a' })
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'schema_not_supported' })
  expect(body.error.details.issues[0].message).toMatch(/publish a new one.*Looks ahead/)
  const { id, state } = await stored.run('ahead', { s: 'a' })
  expect(state).toBe('completed')
  expect((await world.called(id)).error).toMatchObject({ code: 'schema_not_supported' })
})

test('harmless calls work as ever after all that', async () => {
  expect(await data(stored.call('harmless', { s: 'abc' }))).toMatchObject({ state: 'succeeded' })
  expect((await stored.call('harmless', { s: 'ABC' })).body.error.code).toBe('validation_failed')
})

test('the input of an interactive tool is checked within the same limits', async () => {
  const place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: schemas.branching }
  const agent = await world.agent(place, { tools: [ask] })
  await world.serve(place, [agent])
  const { id, state } = await world.run(place, agent.agentId, call('ask', nested(28)))
  expect(state).toBe('completed')
  expect((await world.called(id)).error).toMatchObject({ code: 'schema_too_costly' })
})

test('the params of a workflow are checked within the same limits', async () => {
  const { place, agent } = stored
  const definitions = `${place.project}/definitions`
  const { id: definitionId } = await data(world.owner.post(definitions, { name: 'flow', kind: 'workflow' }))
  const source = { params: schemas.branching, steps: [{ id: 'one', operation: 'shop.harmless' }] }
  const { id } = await data(world.owner.post(`${definitions}/${definitionId}/revisions`, { source }))
  const { items } = await data<{ items: { definitions: object[] }[] }>(world.owner.get(`${place.project}/releases`))
  await world.serve(place, [agent], [...items[0]!.definitions, { definitionId, definitionRevisionId: id }])
  const start = { agentId: agent.agentId, definitionIdOrName: 'flow', params: nested(28) }
  const { status, body } = await world.owner.post(`${place.path}/workflows`, start)
  expect({ status, code: body.error.code }).toEqual({ status: 422, code: 'schema_too_costly' })
  expect(body.error.details.issues[0].path).toBe('/body/params')
})
