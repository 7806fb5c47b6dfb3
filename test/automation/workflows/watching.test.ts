/** Listing and watching workflow runs, and their deletion with their parents. Source: requirement 4.4; contract 2, 6, 9. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { bothAtOnce, brokenOff, data, verdict } from '../../support/world/replies.ts'
import { anyParams, openWorld, type Run, type Served, type World } from './world.ts'

let world: World
let served: Served
const plain = { params: anyParams, steps: [{ id: 'one', operation: 'shop.echo' }] }
const held = { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved' }] }
const charge = { id: 'charge', operation: 'shop.charge', input: { what: 'card' } }
const tell = { id: 'tell', operation: 'shop.echo', input: { charged: '{{steps.charge.output}}' } }
const find = { id: 'find', operation: 'shop.read', input: { what: 'x' } }

beforeAll(async () => {
  world = await openWorld()
  served = await world.serving({
    charge: { params: anyParams, steps: [charge, tell] },
    find: { params: anyParams, steps: [find, { id: 'next', operation: 'shop.echo', after: ['find'] }] },
  })
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = () => Response.json({ ok: true })
})

const count = ({ place }: Served) =>
  world.rows<{ count: number }>('select count(*) as count from workflow_runs where project_id = ?', place.projectId)[0]!
    .count

test('a simulation is refused whose steps would be shown a thousand times larger than they were sent', async () => {
  const plan = [{ id: 'x'.repeat(10_000), operation: null, after: Array(1_000).fill(0) }]
  const context = { plan, steps: [{ state: 'pending', retryAt: null }] }
  const { status, body } = await world.owner.post('/api/v1/machines/workflow-run/simulate', { context, steps: [] })
  expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/context'])
})

describe('the list', () => {
  test('is newest first, page by page, and accepts filters', async () => {
    const other = await world.serving({ plain })
    const made: string[] = []
    for (let count = 0; count < 5; count += 1) made.unshift((await world.run(other, 'plain')).workflowRunId)
    const found: string[] = []
    for (let cursor: string | undefined; ; ) {
      const { body } = await world.owner.get(other.path, { query: { limit: 2, cursor } })
      found.push(...body.data.items.map(({ workflowRunId }: Run) => workflowRunId))
      cursor = body.pagination.nextCursor
      if (!cursor) break
    }
    expect(found).toEqual(made)
    const count = async (query: Record<string, string>) =>
      (await data<{ items: Run[] }>(world.owner.get(other.path, { query }))).items.length
    expect(await count({ state: 'completed' })).toBe(5)
    expect(await count({ state: 'failed' })).toBe(0)
    expect(await count({ agentId: other.agent.agentId })).toBe(5)
    expect(await count({ agentId: served.agent.agentId })).toBe(0)
    const [item] = (await data<{ items: Run[] }>(world.owner.get(other.path))).items
    expect(Object.keys(item!)).not.toContain('steps')
  })

  test.each([
    ['another state', { state: 'done' }],
    ['no agent id', { agentId: 'x' }],
    ['an invalid cursor', { cursor: 'x' }],
  ])('with %s returns 422', async (_what, query) => {
    expect((await world.owner.get(served.path, { query })).status).toBe(422)
  })
})

describe('views of a run', () => {
  test('the journal of a run contains each transition with its reason', async () => {
    world.shop.answer = () => new Response(null, { status: 404 })
    const { workflowRunId: id } = await world.run(served, 'find')
    const { items } = await data<{
      items: { from: string | null; to: string; event: string; reason: object | null }[]
    }>(world.owner.get(`${served.path}/${id}/transitions`))
    expect(items.map(({ from, event, to }) => [from, event, to])).toEqual([
      [null, 'start', 'running'],
      ['running', 'reported', 'failed'],
    ])
    expect(items[1]!.reason).toMatchObject({ code: 'step_failed' })
  })

  test('its statechart is shown with its steps, without their outputs', async () => {
    const { workflowRunId: id } = await world.run(served, 'charge')
    const actor = await data<{ state: string; context: { steps: object[] } }>(
      world.owner.get(`/api/v1/actors/workflow-run/${id}`),
    )
    expect(actor.state).toBe('completed')
    expect(actor.context.steps).toEqual([
      { stepId: 'charge', operation: 'shop.charge', after: [], state: 'succeeded', attempts: 1, retryAt: null },
      { stepId: 'tell', operation: 'shop.echo', after: ['charge'], state: 'succeeded', attempts: 1, retryAt: null },
    ])
    const verified = await data<object>(world.owner.get(`/api/v1/actors/workflow-run/${id}/verify`))
    expect(verified).toMatchObject({ valid: true })
    const preview = await data<object>(
      world.owner.post(`/api/v1/actors/workflow-run/${id}/preview`, { event: 'cancel' }),
    )
    expect(preview).toMatchObject({ accepted: true, state: 'completed' })
  })
})

describe('a webhook subscribed by name receives the ends of workflows, and the runs that need attention', () => {
  const kinds = ['workflow.completed', 'workflow.failed', 'workflow.unknown']
  let asking: Served
  let hook: string
  beforeAll(async () => {
    asking = await world.serving({
      charge: { params: anyParams, steps: [charge, tell] },
      find: { params: anyParams, steps: [find] },
      held: { params: anyParams, steps: [{ id: 'ask', operation: 'shop.approved' }] },
    })
    const endpointUrl = `${world.shop.url}/hook`
    hook = `${asking.place.path}/webhooks`
    await data(world.owner.post(hook, { endpointUrl, eventTypes: kinds }))
  })
  const toldOf = async ({ place }: Served, id: string) => {
    const { body } = await world.owner.get(`${place.path}/events`, { query: { limit: 100 } })
    const events = body.events as { type: string; subject: object; data: Record<string, unknown> }[]
    return events.filter(({ type, data }) => kinds.includes(type) && data.workflowRunId === id)
  }
  const delivered = () =>
    world.shop.asked.filter(({ path }) => path === '/hook').map(({ text }) => JSON.parse(text) as { type: string })
  const send = (id: string, command: string, body?: object) =>
    data(world.owner.post(`${asking.path}/${id}/${command}`, body))
  /** Sets the shop's response for operations, and accepts the webhook's deliveries. */
  const answering = (answer: () => Response | Promise<Response>) => {
    world.shop.answer = ({ path }) => (path === '/hook' ? new Response() : answer())
  }

  test.each([
    ['completes', 'find', ['workflow.completed'], async () => {}],
    [
      'fails, and completes when it is resumed',
      'find',
      ['workflow.failed', 'workflow.completed'],
      async (id: string) => {
        await world.until(asking, id, ['failed'])
        answering(() => Response.json({}))
        await send(id, 'resume')
      },
    ],
    [
      'has a step with an unknown outcome, and is resolved and resumed',
      'charge',
      ['workflow.unknown', 'workflow.completed'],
      async (id: string) => {
        await world.until(asking, id, ['unknown'])
        await send(id, 'resolve-unknown', { stepId: 'charge', outcome: 'succeeded' })
        await send(id, 'resume')
      },
    ],
    [
      'is canceled',
      'held',
      [],
      async (id: string) => {
        await world.until(asking, id, ['waiting'])
        await send(id, 'cancel')
      },
    ],
  ] as const)('a run that %s', async (_what, name, expected, then) => {
    if (expected[0] === 'workflow.failed') answering(() => new Response(null, { status: 404 }))
    if (expected[0] === 'workflow.unknown') answering(brokenOff)
    const { workflowRunId: id } = await data<Run>(world.start(asking, name))
    await then(id)
    await world.until(asking, id, expected.length === 0 ? ['canceled'] : ['completed'])
    const sent = await toldOf(asking, id)
    expect(sent.map(({ type }) => type)).toEqual([...expected])
    for (const { type, subject, data: about } of sent) {
      expect(subject).toEqual({ type: 'workflowRun', id })
      expect(about).toMatchObject({ workflowRunId: id, agentId: asking.agent.agentId, to: type.split('.')[1] })
    }
    const ofRun = () => delivered().filter((event) => JSON.stringify(event).includes(id))
    await eventually('all deliveries', () => ofRun().length === expected.length)
  })

  test('no other webhook: the history of an Environment without such a subscription contains none of the events', async () => {
    const { workflowRunId: id } = await world.run(served, 'find')
    expect(await toldOf(served, id)).toEqual([])
    const { items } = await data<{ items: { id: string }[] }>(world.owner.get(hook))
    await data(world.owner.patch(`${hook}/${items[0]!.id}`, { eventTypes: ['workflow.unknown'] }))
    const { workflowRunId: other } = await world.run(asking, 'find')
    expect(await toldOf(asking, other)).toEqual([])
  })
})

describe('parents of a run', () => {
  test('an Agent used by a live run cannot be deleted: 409 names the run', async () => {
    const other = await world.serving({ held })
    const { workflowRunId: id } = await world.run(other, 'held')
    const { agentId, agentRevisionId } = await world.agent(other.place)
    await world.serve(other.place, [{ agentId, agentRevisionId }])
    const path = `${other.place.project}/agents/${other.agent.agentId}`
    const { status, body } = await world.owner.delete(path)
    expect([status, body.error.details.dependents]).toEqual([409, [{ type: 'workflowRun', id }]])
    await data(world.owner.post(`${other.path}/${id}/cancel`))
    expect((await world.owner.delete(path)).status).toBe(202)
    await eventually('nothing left', () => count(other) === 0)
  })

  test('an Agent with a failed run that is resumed stays; a run of a deleted Agent is not resumed', async () => {
    const place = await world.place()
    const approved = await world.operations(place, 'small', [echoOperation('approved', { approval: 'always' })])
    const steps = [{ id: 'ask', operation: 'small.approved' }]
    const flow = await world.define(place, 'held', 'workflow', { params: anyParams, steps })
    const { definitionId } = flow
    const unrelated = await world.agent(place)
    for (let round = 0; round < 6; round += 1) {
      const agent = await world.agent(place, {}, ['small.approved'])
      const other: Served = { place, agent, path: `${place.path}/workflows`, definitionId, shop: approved }
      await world.serve(place, [agent], [approved, flow])
      const { workflowRunId: id } = await world.run(other, 'held')
      await data(world.decide(other, (await world.approvals(other))[0]!.id, 'reject'))
      await world.until(other, id, ['failed'])
      // no Deployment keeps the Agent
      await world.serve(place, [unrelated])
      const [resumed, deleted] = await bothAtOnce(
        round,
        () => world.owner.post(`${other.path}/${id}/resume`),
        () => world.owner.delete(agent.path),
      )
      if (resumed.status < 300) {
        expect(verdict(deleted)).toEqual([409, 'agent_in_use'])
        expect((await world.owner.get(agent.path)).body.data.status).toBe('active')
        await data(world.owner.post(`${other.path}/${id}/cancel`))
      } else {
        expect([404, 409]).toContain(resumed.status)
        expect(deleted.status).toBe(202)
      }
    }
  })

  test('the deletion of a Project stops its runs, and deletes all their records', async () => {
    const other = await world.serving({
      find: {
        params: anyParams,
        steps: [find, { id: 'next', operation: 'shop.read', after: ['find'], input: { what: 'y' } }],
      },
    })
    const { promise, resolve: answer } = Promise.withResolvers<Response>()
    world.shop.answer = () => promise
    await data(world.start(other, 'find'))
    await eventually('a request', () => world.shop.asked.length === 1)
    expect((await world.owner.delete(other.place.project)).status).toBe(202)
    await eventually('nothing left', () => count(other) === 0)
    answer(Response.json({ ok: true }))
    expect(world.shop.asked).toHaveLength(1)
    expect(
      world.rows('select 1 from workflow_values where workflow_run_id not in (select id from workflow_runs)'),
    ).toEqual([])
    expect(world.lines.filter(({ level }) => Number(level) >= 50)).toEqual([])
  })
})
