import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { insert, tracesOffTheBill } from './rows.ts'
import { openWorld, plantProject, settled, stateOf, type Tree, type World } from './world.ts'

const minute = 60_000
const day = 24 * 60 * minute

const slug = 'secret-plans'
const clock = new HandClock()
let world: World
let tree: Tree
beforeAll(async () => {
  world = await openWorld({ clock, environment: { TROUPE_RATE_LIMIT_PER_MINUTE: '0' } })
  tree = await plantProject(world, slug)
  expect((await world.owner.delete(`/api/v1/projects/${tree.projectId}`)).status).toBe(202)
  await settled(world, tree.projectId)
})
afterAll(() => world?.stop())

const path = () => `/api/v1/actors/deletion/${tree.projectId}`

test('a minute after the removal, leftovers of concurrent requests are removed', async () => {
  clock.advance(minute - 1)
  expect(stateOf(world, tree.projectId)).toBe('settling')
  const late = 'run_01h455vb4pex5vsknk084sn02q'
  insert(world.database, 'runs', {
    ...{ id: late, organization_id: world.organizationId, project_id: tree.projectId, agent_id: tree.agentId },
    ...{
      agent_revision_id: tree.agentRevisionId,
      created_by_type: 'apiKey',
      created_by_id: 'key_1',
      state: 'canceled',
    },
    ...{ version: 1, machine_version: '1', context: '{}', binding: '{}', input_digest: '', runtime_version: '' },
    ...{ retention_expires_at: 1, available_at: 1, last_activity_kind: 'start', last_activity_at: 1 },
    ...{ created_at: 1, updated_at: 1 },
  })
  await eventually('the end of the removal', () => {
    clock.advance(1)
    return stateOf(world, tree.projectId) === 'deleted'
  })
  await eventually('a swept floor', () => Object.keys(tracesOffTheBill(world.database, [late])).length === 0)
})

test('the receipt contains no names', async () => {
  const { body } = await world.owner.get(path())
  expect(body.data).toMatchObject({ state: 'deleted', context: { target: 'project' }, timers: [], nextEvents: [] })
  expect(body.data.journal.map(({ to }: { to: string }) => to)).toEqual(['draining', 'removing', 'settling', 'deleted'])
  const row = world.database.query('select * from deletions where id = ?').get(tree.projectId)
  expect(JSON.stringify(row)).not.toContain(slug)
})

test('and is kept for 30 days', async () => {
  clock.advance(29 * day)
  await Bun.sleep(0)
  expect((await world.owner.get(path())).status).toBe(200)
  clock.advance(day)
  await eventually('no receipt', async () => {
    clock.advance(11 * minute)
    return (await world.owner.get(path())).status === 404
  })
  const { 'audit_events.resource_id': _, ...left } = tracesOffTheBill(world.database, tree.ids)
  expect(left).toEqual({})
})
