/** Cursors of the list of runs, and requests for it that are refused. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { anotherAgent, type ListedRuns, openListedRuns, runId } from './listed-runs.ts'

const path = '/api/v1/agent-runs'
let world: ListedRuns
beforeAll(async () => {
  world = await openListedRuns()
})
afterAll(() => world?.close())

describe('a cursor', () => {
  const cursorOf = async (query: object) =>
    (await world.owner.get(path, { query: { limit: 2, ...query } })).body.pagination.nextCursor
  const follow = (query: object, client = world.owner) => client.get(path, { query: query as never })

  test.each([
    ['other filters', {}, { agentId: anotherAgent }],
    ['fewer filters', { agentId: anotherAgent }, {}],
    ['other states', { states: 'queued' }, { states: 'running' }],
    ['another sort', {}, { sort: 'updatedAt' }],
    ['another order', {}, { order: 'asc' }],
  ])('with %s is 422', async (_what, given, then) => {
    const { status, body } = await follow({ ...then, cursor: await cursorOf(given) })
    expect([status, body.error.code]).toEqual([422, 'invalid_cursor'])
  })

  test('of another organization is 422', async () => {
    expect((await follow({ cursor: await cursorOf({}) }, world.foreigner)).status).toBe(422)
  })

  test('of the list of steps is 422, and vice versa', async () => {
    const steps = await world.owner.get(`${path}/${runId(1)}/steps`, { query: { cursor: await cursorOf({}) } })
    expect(steps.status).toBe(422)
  })

  test.each(['x', 'AAAA', '', '-'.repeat(2000), '{"id":1}'])('like %j is 422', async (cursor) => {
    expect((await follow({ cursor })).status).toBe(422)
  })

  test('accepts another limit, and states in another order', async () => {
    const cursor = await cursorOf({ states: 'queued,running' })
    expect((await follow({ states: ['running', 'queued'], cursor, limit: 5 })).body.agentRuns).toHaveLength(5)
  })
})

test.each([
  ['limit', '0'],
  ['limit', '101'],
  ['limit', 'x'],
  ['limit', '1.5'],
  ['sort', 'state'],
  ['order', 'up'],
  ['states', 'sleeping'],
  ['states', 'queued,'],
  ['states', ''],
  ['agentId', ''],
])('the query %s=%s is 422', async (name, value) => {
  const { status, body } = await world.owner.get(path, { query: { [name]: value } })
  expect([status, body.error.code]).toEqual([422, 'validation_failed'])
})

test('an unknown parameter is refused by name', async () => {
  const { status, body } = await world.owner.get(path, { query: { colour: 'red' } })
  expect([status, body.error.code]).toEqual([422, 'unknown_parameter'])
  expect(body.error.details.issues[0].path).toBe('/query/colour')
})
