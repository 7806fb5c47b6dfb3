/** Starts of workflows that are rejected. Source: requirement 4.4; contract 6. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
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
const unknownId = (prefix: string) => `${prefix}_01h455vb4pex5vsknk084sn02q`

describe('rejected starts', () => {
  test.each([
    ['no agent', { agentId: undefined }, 422],
    ['no agent id', { agentId: 'agent' }, 422],
    ['no workflow', { definitionIdOrName: undefined }, 422],
    ['an empty name', { definitionIdOrName: '' }, 422],
    ['a name with a space', { definitionIdOrName: 'a b' }, 422],
    ['params that are a list', { params: [] }, 422],
    ['params that are null', { params: null }, 422],
    ['an empty request key', { requestKey: '' }, 422],
    ['a request key of 256 characters', { requestKey: 'x'.repeat(256) }, 422],
    ['a request key beyond ASCII', { requestKey: 'schlüssel' }, 422],
    ['an unknown field', { other: 1 }, 422],
    ['params that the workflow does not accept', { params: { order: 'x' } }, 422],
    ['incomplete params', { params: {} }, 422],
    ['an unknown workflow', { definitionIdOrName: 'unknown' }, 404],
    ['an unknown definition id', { definitionIdOrName: unknownId('def') }, 404],
    ['a definition that is not a workflow', { definitionIdOrName: 'shop' }, 404],
    ['an unknown agent', { agentId: unknownId('agt') }, 404],
    ['an unknown actor', { actorUserId: unknownId('usr') }, 400],
    ['an actor that is not an id', { actorUserId: 'somebody' }, 400],
  ])('%s', async (_what, changes, status) => {
    const before = counted()
    const valid = { agentId: served.agent.agentId, definitionIdOrName: 'refund', params: { order: 7 } }
    expect((await world.owner.post(served.path, { ...valid, ...changes })).status).toBe(status)
    expect(counted()).toBe(before)
  })

  test.each([
    ['invalid', { order: 'x' }, '/body/params/order', 'Must be integer.'],
    ['missing', {}, '/body/params/order', "Must have required property 'order'."],
  ])('%s params are named', async (_, params, path, message) => {
    const { body } = await start({ params })
    const issues = [{ path, message }]
    expect(body.error).toMatchObject({ code: 'validation_failed', details: { issues } })
  })

  test('an Agent that is not in the active Deployment returns 409', async () => {
    const other = await world.agent(served.place)
    const { status, body } = await start({ agentId: other.agentId })
    expect([status, body.error.code]).toEqual([409, 'agent_not_deployed'])
  })

  test('anything without an active Deployment returns 409', async () => {
    const place = await world.place()
    const { agentId } = await world.agent(place)
    const { status, body } = await world.owner.post(`${place.path}/workflows`, {
      agentId,
      definitionIdOrName: 'refund',
    })
    expect([status, body.error.code]).toEqual([409, 'no_active_deployment'])
  })

  test('a start in a paused Project returns 409; live runs continue, and can be read', async () => {
    const paused = await world.serving({ held: { params: {}, steps: waiting } })
    const { workflowRunId } = await data<Run>(world.start(paused, 'held', { requestKey: 'before' }))
    await data(world.owner.patch(paused.place.project, { status: 'paused' }))
    const { status, body } = await world.start(paused, 'held')
    expect([status, body.error.code]).toEqual([409, 'project_paused'])
    expect((await world.until(paused, workflowRunId)).state).toBe('waiting')
    expect((await world.start(paused, 'held', { requestKey: 'before' })).status).toBe(202)
  })

  test('anything of another organization returns 404', async () => {
    const foreigner = await world.foreigner()
    expect((await start({}, foreigner)).status).toBe(404)
    const { workflowRunId } = await data<Run>(start({}))
    for (const path of ['', '/cancel', '/resume']) {
      const reply = await foreigner.call(path ? 'POST' : 'GET', `${served.path}/${workflowRunId}${path}`)
      expect([path, reply.status]).toEqual([path, 404])
    }
  })
})
