/** Operations that run an Agent or change an entity. Source: contract 3, `Handler`; contract 6, "Precise points". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { echoOperation, type Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { calls, type Operations, openOperations } from './world.ts'

let world: Operations
beforeAll(async () => {
  world = await openOperations()
})
afterAll(() => world?.stop())

const agentOperation = (agent: string, query: string, changes: object = {}) =>
  echoOperation('run', { handler: { type: 'agent', agent, query }, ...changes })
const runs = async (place: Place, agentId: string) => {
  const { body } = await world.owner.get('/api/v1/agent-runs', {
    query: { environmentId: place.environmentId, agentId },
  })
  return body.agentRuns as { id: string; state: string; createdBy: { type: string; id: string } }[]
}

describe('an operation that runs an Agent', () => {
  test('returns the output of its run, which the invocation created', async () => {
    const place = await world.place()
    const helper = await world.agent(place)
    const served = await world.serving(
      [agentOperation(helper.slug, '/say Hello {{input.name}}')],
      { others: [helper] },
      place,
    )
    const { status, body } = await served.invoke('shop.run', { input: { name: 'Ada' } })
    expect([status, body.data.state, body.data.output]).toEqual([200, 'succeeded', 'Hello Ada'])
    const [run] = await runs(place, helper.agentId)
    expect(run).toMatchObject({
      id: body.data.id.replace('opi_', 'run_'),
      state: 'completed',
      createdBy: { type: 'system', id: body.data.id },
    })
  })

  test('fails if the run fails', async () => {
    const place = await world.place()
    const helper = await world.agent(place)
    const served = await world.serving([agentOperation(helper.slug, '/fail Out of order')], { others: [helper] }, place)
    const { body } = await served.invoke('shop.run')
    expect(body.data).toMatchObject({ state: 'failed', error: { code: 'tool_error' } })
    expect(body.data.error.message).toContain('Out of order')
  })

  test('that runs its own calling Agent terminates', async () => {
    const place = await world.place()
    const agents = `${place.project}/agents`
    const { id } = await data(world.owner.post(agents, { slug: 'self', name: 'Self' }))
    const tools = [{ kind: 'operation', name: 'run', operation: 'shop.run' }]
    const pin = await world.revise(place, id, { tools }, ['shop.run'])
    const definition = await world.operations(place, 'shop', [
      agentOperation('self', '/call run {}\n/say Up', { timeoutMs: 20_000 }),
    ])
    await world.serve(place, [pin], [definition])
    const { status, body } = await world.owner.post(`${place.path}/agents/${id}/operations/shop.run/invoke`, {
      input: {},
    })
    expect([status, body.data.state]).toEqual([200, 'succeeded'])
    const all = await runs(place, id)
    expect(all).toHaveLength(6)
    expect((await world.called(all[0]!.id)).error?.message).toContain('nested')
  })
})

describe('an operation that changes an entity', () => {
  const source = {
    schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    states: { initial: 'open', states: { open: { on: { close: 'closed' } }, closed: { final: true } } },
  }
  const actions = ['create', 'update', 'transition', 'delete'] as const
  const open = () =>
    world.serving(
      actions.map((action) =>
        echoOperation(action, {
          effect: 'write',
          idempotent: false,
          handler: { type: 'entity', entity: 'ticket', action },
        }),
      ),
      {
        definitions: async (place) => {
          const path = `${place.project}/definitions`
          const { id: definitionId } = await data(world.owner.post(path, { name: 'ticket', kind: 'entity' }))
          const { id } = await data(world.owner.post(`${path}/${definitionId}/revisions`, { source }))
          return [{ definitionId, definitionRevisionId: id }]
        },
      },
    )

  test('returns the entity; a transition that its statechart rejects returns 409 and the invocation fails', async () => {
    const served = await open()
    const made = await served.invoke('shop.create', { input: { data: { title: 'Lamp' } } })
    expect([made.status, made.body.data.output]).toMatchObject([
      200,
      { state: 'open', version: 1, data: { title: 'Lamp' } },
    ])
    const { id } = made.body.data.output
    const close = { input: { id, event: 'close' }, idempotencyKey: 'close' }
    expect((await served.invoke('shop.transition', close)).body.data.output).toMatchObject({
      state: 'closed',
      version: 2,
    })
    const { idempotencyKey: _, ...again } = close
    const refused = await served.invoke('shop.transition', again)
    expect([refused.status, refused.body.error.code, refused.body.error.details]).toEqual([
      409,
      'invalid_transition',
      { currentState: 'closed' },
    ])
    const { items } = (await world.owner.get(served.invocations, { query: { state: 'failed' } })).body.data
    expect(items).toMatchObject([{ operation: 'shop.transition', error: { code: 'tool_error' } }])
    expect((await served.invoke('shop.transition', close)).body.data.output).toMatchObject({ version: 2 })
  })

  test('with an invalid input fails', async () => {
    const served = await open()
    const { status, body } = await served.invoke('shop.create', { input: { data: { title: 7 } } })
    expect([status, body.data.state, body.data.error.code]).toEqual([200, 'failed', 'tool_error'])
  })

  test('called by a run, a rejection is reported to the model', async () => {
    const served = await open()
    const unknown = { id: 'ent_01h455vb4pex5vsknk084sn02q', event: 'close' }
    const run = await world.run(served.place, served.agent.agentId, calls(['transition', unknown]))
    expect(run.state).toBe('completed')
    expect((await world.called(run.id)).error).toMatchObject({ code: 'tool_error' })
  })
})
