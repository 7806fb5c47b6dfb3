/** Starting a workflow: permissions, targets, and once for each request key. Source: requirement 4.4; contract 6. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ownerEmail, ownerPassword } from '../../support/troupe.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type Run, type Served, type World } from './world.ts'

let world: World
let served: Served
const params = { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] }
const steps = [{ id: 'find', operation: 'shop.echo', input: { order: '{{params.order}}' } }]
const waiting = [{ id: 'ask', operation: 'shop.approved' }]

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    refund: { params, steps },
    waiting: { params: {}, steps: waiting },
    plain: { params: {}, steps },
  })
})
afterAll(() => world?.stop())

const start = (body: object, ...more: [World['owner']?]) =>
  world.start(served, 'refund', { params: { order: 7 }, ...body }, ...more)
const counted = () => world.rows<{ count: number }>('select count(*) as count from workflow_runs')[0]!.count

/** A key of the owner with these changes. */
async function keyWith(changes: object) {
  const { secret } = await data<{ secret: string }>(
    world.owner.post('/api/v1/api-keys', { name: 'key', operations: ['*'], ...changes }),
  )
  return world.as(secret)
}

describe('a start', () => {
  test('returns 202 with the run, which proceeds on its own', async () => {
    const { status, body } = await start({})
    expect(status).toBe(202)
    const { workflowRunId: id, createdBy, ...run } = body.data
    expect(run).toMatchObject({
      environmentId: served.place.environmentId,
      agentId: served.agent.agentId,
      state: 'running',
      params: { order: 7 },
      output: null,
      steps: [{ stepId: 'find', operation: 'shop.echo', state: 'running', attempts: 1, output: null, error: null }],
      requestKey: null,
      actorUserId: null,
      endedAt: null,
    })
    expect(createdBy.type).toBe('apiKey')
    const ended = await world.until(served, id)
    expect(ended).toMatchObject({ state: 'completed', workflowRunId: id, definitionId: run.definitionId })
  })

  test('accepts the workflow by its id or its name', async () => {
    const named = await data<Run>(world.start(served, 'plain'))
    const byId = await data<Run>(world.start(served, served.definitionId))
    expect(byId.definitionId).toBe(named.definitionId)
  })

  test('without params has none', async () => {
    expect((await data<Run>(world.start(served, 'plain'))).params).toEqual({})
  })

  test('records a line in the audit log that names the run', async () => {
    const { workflowRunId } = await data<Run>(start({}))
    const { items } = await data<{ items: object[] }>(
      world.owner.get(`/api/v1/organizations/${world.ours}/audit-events`, { query: { limit: 1 } }),
    )
    expect(items[0]).toMatchObject({
      operation: 'startWorkflowRun',
      resource: { type: 'workflowRun', id: workflowRunId },
      outcome: 'allowed',
    })
  })

  test('keeps the Deployment that was active when it was made', async () => {
    const other = await world.serving({ held: { params: {}, steps: waiting } })
    const run = await data<Run>(world.start(other, 'held'))
    await world.serve(other.place, [other.agent], [other.shop])
    expect(await world.get(other, run.workflowRunId)).toMatchObject({ deploymentId: run.deploymentId })
    expect((await world.start(other, 'held')).status).toBe(404)
  })
})

describe('a request key', () => {
  test('finds the run again: 202 while it runs, 200 when it has ended', async () => {
    const body = { params: { order: 1 }, requestKey: 'once' }
    const { workflowRunId } = await data<Run>(start(body))
    await world.until(served, workflowRunId)
    const again = await start(body)
    expect([again.status, again.body.data.workflowRunId, again.body.data.state]).toEqual([
      200,
      workflowRunId,
      'completed',
    ])

    const held = await data<Run>(world.start(served, 'waiting', { requestKey: 'held' }))
    await world.until(served, held.workflowRunId)
    const second = await world.start(served, 'waiting', { requestKey: 'held' })
    expect([second.status, second.body.data.workflowRunId]).toEqual([202, held.workflowRunId])
  })

  test('is bound to the definition and the params, in any order of their names', async () => {
    const body = { params: { order: 2, b: { c: 1, d: 2 } }, requestKey: 'bound' }
    const { workflowRunId, definitionId } = await data<Run>(start(body))
    const same = { definitionIdOrName: definitionId, params: { b: { d: 2, c: 1 }, order: 2 }, requestKey: 'bound' }
    expect((await data<Run>(start(same))).workflowRunId).toBe(workflowRunId)
    const others = [
      { ...body, params: { order: 3 } },
      { ...body, definitionIdOrName: 'plain' },
    ]
    for (const other of others) {
      const { status, body: answer } = await start(other)
      expect([status, answer.error.code]).toEqual([409, 'request_key_mismatch'])
      expect(answer.error.message).toContain('use a new one')
    }
  })

  test('is scoped to its Environment', async () => {
    const other = await world.serving({ plain: { params: {}, steps } })
    const { workflowRunId } = await data<Run>(world.start(served, 'plain', { requestKey: 'everywhere' }))
    const there = await data<Run>(world.start(other, 'plain', { requestKey: 'everywhere' }))
    expect(there.workflowRunId).not.toBe(workflowRunId)
  })

  test('starts one run, however many requests are concurrent', async () => {
    const before = counted()
    const replies = await Promise.all(Array.from({ length: 8 }, () => start({ requestKey: 'crowd' })))
    expect(replies.map(({ status }) => status).filter((status) => status !== 200 && status !== 202)).toEqual([])
    expect(new Set(replies.map(({ body }) => body.data.workflowRunId)).size).toBe(1)
    expect(counted()).toBe(before + 1)
  })

  test('with different params concurrently: one request succeeds, the others return 409', async () => {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, order) => start({ params: { order }, requestKey: 'rivals' })),
    )
    const statuses = replies.map(({ status }) => status)
    expect(statuses.filter((status) => status === 202)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(7)
  })
})

describe('a run for a user', () => {
  let member: string
  beforeAll(async () => {
    const { items } = await data<{ items: { userId: string }[] }>(
      world.owner.get(`/api/v1/organizations/${world.ours}/members`),
    )
    member = items[0]!.userId
  })

  test('is visible only to requests that name that user', async () => {
    const { workflowRunId, actorUserId } = await data<Run>(start({ actorUserId: member }))
    expect(actorUserId).toBe(member)
    const path = `${served.path}/${workflowRunId}`
    const query = { actorUserId: member }
    expect((await world.owner.get(path)).status).toBe(404)
    expect((await world.owner.get(path, { query })).status).toBe(200)
    for (const [method, command, body] of [
      ['POST', '/cancel', undefined],
      ['POST', '/resume', undefined],
      ['GET', '/transitions', undefined],
      ['POST', '/resolve-unknown', { stepId: 'find', outcome: 'retry' }],
    ] as const) {
      expect([command, (await world.owner.call(method, path + command, body)).status]).toEqual([command, 404])
      const { status } = await world.owner.call(method, path + command, body, { query })
      expect([command, [200, 409].includes(status)]).toEqual([command, true])
    }
    expect((await world.owner.get(`/api/v1/actors/workflow-run/${workflowRunId}`)).status).toBe(404)
    const ids = async (asked: object) => {
      const { items } = await data<{ items: Run[] }>(world.owner.get(served.path, { query: { limit: 100, ...asked } }))
      return items.map((run) => run.workflowRunId)
    }
    expect(await ids({})).not.toContain(workflowRunId)
    expect(await ids(query)).toEqual([workflowRunId])
  })

  test('requires an API key that may personalize', async () => {
    const plain = await keyWith({ operations: ['agents:manage-workflows'] })
    const { status, body } = await start({ actorUserId: member }, plain)
    expect([status, body.error.details.permission]).toEqual([403, 'agent-runs:personalize'])
    const able = await keyWith({ operations: ['agents:manage-workflows', 'agent-runs:personalize'] })
    expect((await start({ actorUserId: member }, able)).status).toBe(202)

    const nobody = world.as(null)
    const signedIn = await nobody.post('/api/auth/sessions', { email: ownerEmail, password: ownerPassword })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const headers = { cookie, 'x-csrf-token': signedIn.body.data.csrfToken }
    const bySession = (changes: object) =>
      nobody.post(served.path, { agentId: served.agent.agentId, definitionIdOrName: 'plain', ...changes }, { headers })
    const refused = await bySession({ actorUserId: member })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_subject'])
    expect((await bySession({})).status).toBe(202)
  })

  test('and a run for no user are different requests under one key', async () => {
    await data(start({ requestKey: 'personal', actorUserId: member }))
    expect((await start({ requestKey: 'personal' })).status).toBe(409)
  })
})

describe('a credential', () => {
  test('without the permission returns 403', async () => {
    const reader = await keyWith({ operations: ['agents:get'] })
    const { status, body } = await start({}, reader)
    expect([status, body.error.details.permission]).toEqual([403, 'agents:manage-workflows'])
  })

  test('of another Environment returns 404', async () => {
    const elsewhere = await world.place()
    const { projectId, environmentId } = elsewhere
    expect((await start({}, await keyWith({ projectId, environmentId }))).status).toBe(404)
  })

  test("of an Agent sees that Agent's runs alone, and is told why it starts none", async () => {
    const { projectId } = served.place
    const { workflowRunId } = await data<Run>(start({}))
    const other = await world.agent(served.place)
    const list = async (agentId: string, query: object = {}) => {
      const bound = await keyWith({ projectId, agentId })
      const refused = await start({}, bound)
      expect([refused.status, refused.body.error]).toMatchObject([
        403,
        {
          code: 'permission_denied',
          message: expect.stringContaining('bound to an Agent cannot do this'),
          details: { permission: 'agents:manage-workflows', boundTo: 'Agent' },
        },
      ])
      const { items } = await data<{ items: Run[] }>(bound.get(served.path, { query: { limit: 100, ...query } }))
      return { count: items.length, get: (await bound.get(`${served.path}/${workflowRunId}`)).status }
    }
    expect(await list(other.agentId)).toEqual({ count: 0, get: 404 })
    expect(await list(other.agentId, { agentId: served.agent.agentId })).toEqual({ count: 0, get: 404 })
    const { count, get } = await list(served.agent.agentId)
    expect([count > 0, get]).toEqual([true, 200])
  })
})
