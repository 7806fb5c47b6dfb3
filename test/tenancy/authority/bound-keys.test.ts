/** What is not split by Agent, or belongs to the organization as a whole, is refused to bound keys by that reason. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { permissions } from '../../../src/platform/http/guard/permissions.ts'
import type { Client } from '../../support/client.ts'
import { openWorld, type World } from '../../support/world/world.ts'

let world: World
let ofAgent: Client
let ofProject: Client
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
  const { tenancy, ours, ownerId } = world
  const project = tenancy.project(ours)
  const keyOf = (scope: object) => world.as(tenancy.key(ours, ownerId, permissions, scope).secret)
  ofProject = keyOf({ project_id: project })
  ofAgent = keyOf({ project_id: project, agent_id: tenancy.agent(ours, project) })
})
afterAll(() => world?.stop())

test.each([
  ['/api/v1/inbox', 'agent-runs:get'],
  ['/api/v1/actors?kind=run', 'agent-runs:get'],
  ['/api/v1/machines/run/population', 'agent-runs:get'],
  ['/api/v1/agent-runs/statistics', 'analytics:read'],
  ['/api/v1/webhook-deliveries/statistics', 'analytics:read'],
])('a key of an Agent is told that its binding excludes %s', async (path, permission) => {
  const { status, body } = await ofAgent.get(path)
  expect([status, body.error.code, body.error.details]).toEqual([
    403,
    'permission_denied',
    { permission, boundTo: 'Agent' },
  ])
  expect(body.error.message).toContain('bound to an Agent')
})

test('a key of a Project is told that its binding excludes what belongs to the organization', async () => {
  const condition = { type: 'budget', percent: 80 }
  const rule = await ofProject.post('/api/v1/alert-rules', { name: 'Budget', condition })
  expect([rule.status, rule.body.error.details]).toEqual([403, { permission: 'alerts:manage', boundTo: 'Project' }])
  const population = await ofProject.get('/api/v1/machines/integration/population')
  expect([population.status, population.body.error.details.boundTo]).toEqual([403, 'Project'])
})
