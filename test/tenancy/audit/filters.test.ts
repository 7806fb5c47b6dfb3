/** The filtered audit log: by kind, actor, operation, target, outcome and time. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { data, expectError, walk } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let path: string
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  path = `/api/v1/organizations/${world.ours}/audit-events`
  await world.project()
  await data(world.owner.post('/api/v1/agent-runs', { agentId: 'agt_system_assistant', query: 'Hello' }))
  await world.owner.post('/api/v1/projects', { slug: 'project-1', name: 'Again' })
  // refusals are recorded after their answers
  await eventually('the line of the refusal', async () => (await list({ outcome: 'failed' })).length > 0)
})
afterAll(() => world?.stop())

type Line = { id: string; operation: string; outcome: string; at: string; resource: { type: string; id: string } }
const list = async (query: Record<string, string | number>) =>
  (await data<{ items: Line[] }>(world.owner.get(path, { query: { limit: 100, ...query } }))).items

test('changes are separate from runs', async () => {
  const [changes, runs, all] = [await list({ kind: 'changes' }), await list({ kind: 'runs' }), await list({})]
  expect(new Set(runs.map(({ resource }) => resource.type))).toEqual(new Set(['agentRun']))
  expect(changes.map(({ resource }) => resource.type)).not.toContain('agentRun')
  expect([...changes, ...runs].map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort())
})

test('each filter applies, and several apply together', async () => {
  const [first] = await list({ operation: 'createProject', outcome: 'allowed' })
  expect(first).toMatchObject({ operation: 'createProject', outcome: 'allowed' })
  expect(await list({ resourceId: first!.resource.id })).toEqual([first!])
  expect(await list({ resourceType: 'project', operation: 'createProject', outcome: 'allowed' })).toEqual([first!])
  expect((await list({ outcome: 'failed' })).every(({ outcome }) => outcome === 'failed')).toBe(true)
  expect(await list({ actorId: world.user('member') })).toEqual([])
  expect(await list({ until: first!.at })).not.toContainEqual(first!)
  expect(
    await list({ since: new Date(Date.parse(first!.at) + 1).toISOString(), operation: 'createProject' }),
  ).not.toContainEqual(first!)
})

test('pages of filtered lines have no gaps and no repeats', async () => {
  const all = (await list({ kind: 'changes' })).map(({ id }) => id)
  const { items } = await walk(
    { get: (at, options) => world.owner.get(at, { query: { ...options?.query, kind: 'changes' } }) },
    path,
    1,
  )
  expect(items.map(({ id }) => id)).toEqual(all)
})

test.each([
  ['kind', 'all'],
  ['outcome', 'lost'],
  ['since', 'yesterday'],
  ['actorId', ''],
])('%s=%s is refused', async (name, value) => {
  expectError(await world.owner.get(path, { query: { [name]: value } }), 422, 'validation_failed')
})

test('a cursor is bound to its filters', async () => {
  const { body } = await world.owner.get(path, { query: { limit: 1 } })
  const query = { cursor: body.pagination.nextCursor, kind: 'changes' }
  expectError(await world.owner.get(path, { query }), 422, 'invalid_cursor')
})
