/** Filters by id: a malformed one is refused, since an empty list would look like an answer. Source: contract 0, "Paging". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { placesOf } from '../support/world/places.ts'
import { openWorld, type World } from '../support/world/world.ts'

let world: World
let environment: string

beforeAll(async () => {
  world = await openWorld()
  environment = (await placesOf(world).place()).path
})
afterAll(() => world?.stop())

/** What each list filters by; a slug, a name or the id of something else is what people try. */
const lists: { what: string; path: () => string; filters: string[] }[] = [
  {
    what: 'runs',
    path: () => '/api/v1/agent-runs?',
    filters: ['projectId', 'environmentId', 'agentId', 'agentJobId', 'forkedFrom'],
  },
  { what: 'runs that changed', path: () => '/api/v1/agent-runs/changes?', filters: ['projectId', 'agentId'] },
  { what: 'run statistics', path: () => '/api/v1/agent-runs/statistics?', filters: ['projectId', 'environmentId'] },
  { what: 'delivery statistics', path: () => '/api/v1/webhook-deliveries/statistics?', filters: ['projectId'] },
  { what: 'the inbox', path: () => '/api/v1/inbox?', filters: ['projectId', 'environmentId'] },
  { what: 'actors', path: () => '/api/v1/actors?kind=run&', filters: ['projectId', 'environmentId'] },
  { what: 'populations', path: () => '/api/v1/machines/run/population?', filters: ['projectId', 'environmentId'] },
  { what: 'approvals', path: () => `${environment}/operation-approvals?`, filters: ['agentId'] },
]
const examples: Record<string, string> = {
  projectId: 'prj_01h455vb4pex5vsknk084sn02q',
  environmentId: 'env_01h455vb4pex5vsknk084sn02q',
  agentId: 'agt_01h455vb4pex5vsknk084sn02q',
  agentJobId: 'job_01h455vb4pex5vsknk084sn02q',
  forkedFrom: 'run_01h455vb4pex5vsknk084sn02q',
}

describe.each(lists)('$what', ({ path, filters }) => {
  test.each(filters)('%s', async (filter) => {
    for (const value of ['support-desk', 'usr_01h455vb4pex5vsknk084sn02q', 'prj_', `${examples[filter]}0`]) {
      const { status, body } = await world.owner.get(`${path()}${filter}=${value}`)
      expect({ value, status, issues: body.error?.details.issues }).toEqual({
        value,
        status: 422,
        issues: [{ path: `/query/${filter}`, message: expect.stringContaining(examples[filter] as string) }],
      })
    }
  })
})

test.each(['agt_system_assistant', examples.agentId])('runs and approvals take the Agent %s', async (agentId) => {
  for (const path of ['/api/v1/agent-runs', `${environment}/operation-approvals`]) {
    expect((await world.owner.get(path, { query: { agentId } })).status).toBe(200)
  }
})

test('a bulk action', async () => {
  const filter = { agentId: 'support-desk' }
  const { status, body } = await world.owner.post('/api/v1/bulk-actions', { action: 'cancel', filter })
  expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/filter/agentId'])
})
