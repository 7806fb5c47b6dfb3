/** Entities, written by operations that are invoked over HTTP. Source: contract 6, "Entity inputs", "Entities". */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../../delivery/deployments/world.ts'
import type { Place } from '../../support/world/places.ts'
import { tallyStatuses } from '../../support/world/replies.ts'
import { order } from './store-world.ts'
import { data } from './world.ts'

const actions = ['create', 'update', 'transition', 'delete'] as const
type Action = (typeof actions)[number]

let world: World
let place: Place
let invokePath: string
/** Deploys the Definition with these states, and activates the Deployment. */
let deploy: (states: object) => Promise<void>
beforeAll(async () => {
  world = await openWorld()
  place = await world.place()
  const definitions = `${place.project}/definitions`
  const define = async (name: string, kind: string) =>
    (await data(world.owner.post(definitions, { name, kind }))).id as string
  const publish = async (definitionId: string, source: object) => {
    const { id } = await data(world.owner.post(`${definitions}/${definitionId}/revisions`, { source }))
    return { definitionId, definitionRevisionId: id }
  }
  const operations = actions.map((action) => ({
    name: action,
    description: 'Writes an order.',
    inputSchema: { type: 'object' },
    effect: 'write',
    idempotent: false,
    approval: 'never',
    handler: { type: 'entity', entity: 'order', action },
  }))
  const tools = await publish(await define('orders', 'operations'), { operations })
  const orderId = await define('order', 'entity')
  const granted = actions.map((action) => `orders.${action}`)
  // a grant must name an operation of the Release
  const agent = await world.agent(place, {}, granted)
  invokePath = `${place.path}/agents/${agent.agentId}/operations/orders`
  let generation = 0
  deploy = async (states) => {
    const pins = [tools, await publish(orderId, { ...order, states })]
    const { id, state, stateReason } = await world.submitted(place, await world.release(place, [agent], pins))
    expect([state, stateReason]).toEqual(['ready', null])
    await data(world.activate(place, id, generation))
    generation += 1
  }
  await deploy(order.states)
})
afterAll(() => world?.stop())

const invoke = (action: Action, input: object) => world.owner.post(`${invokePath}.${action}/invoke`, { input })
const done = async (action: Action, input: object) => {
  const invocation = await data(invoke(action, input))
  expect([invocation.state, invocation.error]).toEqual(['succeeded', null])
  return invocation.output
}
const entity = (id: string, more = '') => `${place.path}/entities/order/${id}${more}`

test('the output is the entity as the API shows it', async () => {
  const made = await done('create', { data: { total: 1 } })
  expect(made).toMatchObject({ type: 'order', state: 'open', version: 1, data: { total: 1 } })
  expect((await world.owner.get(entity(made.id))).body.data).toEqual(made)
  const paid = await done('transition', { id: made.id, event: 'pay', expectedVersion: 1 })
  expect((await world.owner.get(entity(made.id))).body.data).toEqual(paid)
  const { body } = await world.owner.get(entity(made.id, '/transitions'))
  expect(body.data.items.map(({ event }: { event: string }) => event)).toEqual(['create', 'pay'])
  const gone = await done('delete', { id: made.id })
  expect(gone).toMatchObject({ state: 'paid', version: 3 })
  expect((await world.owner.get(entity(made.id))).status).toBe(404)
})

describe('409, without a row in the journal', () => {
  test.each([
    ['a transition that the statechart lacks', 'transition', { event: 'ship' }],
    ['an outdated version', 'update', { data: { total: 2 }, expectedVersion: 7 }],
  ] as const)('%s', async (_, action, input) => {
    const { id } = await done('create', { data: { total: 1 } })
    const { status, body } = await invoke(action, { id, ...input })
    expect([status, body.error.code, body.error.details]).toEqual([409, 'invalid_transition', { currentState: 'open' }])
    expect((await world.owner.get(entity(id, '/transitions'))).body.data.items.length).toBe(1)
    expect((await world.owner.get(entity(id))).body.data.version).toBe(1)
  })
})

test('create with invalid data fails', async () => {
  const { state, output, error } = await data(invoke('create', { data: {} }))
  expect([state, output, error.code]).toEqual(['failed', null, 'tool_error'])
  expect(error.message).toContain('/data must have required property')
})

test.each([
  ['update', { data: { total: 2 } }],
  ['transition', { event: 'pay' }],
  ['delete', {}],
] as const)('%s of a missing or deleted entity returns 404', async (action, input) => {
  const { id } = await done('create', { data: { total: 1 } })
  await done('delete', { id })
  for (const gone of ['ent_01h455vb4pex5vsknk084sn02q', id]) {
    const { status, body } = await invoke(action, { id: gone, ...input })
    expect([status, body.error.code, body.error.message]).toEqual([404, 'not_found', `There is no order ${gone}.`])
  }
})

test('of 20 updates of one version one succeeds, and the others return 409', async () => {
  const { id } = await done('create', { data: { total: 1 } })
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, total) => invoke('update', { id, data: { total }, expectedVersion: 1 })),
  )
  expect(tallyStatuses(replies)).toEqual({ 200: 1, 409: 19 })
})

test('each change emits an event with its caller, in order', async () => {
  const { id } = await done('create', { data: { total: 1 } })
  await done('update', { id, data: { total: 2 } })
  await done('transition', { id, event: 'pay' })
  const events = world.history(place).filter(({ subject }) => subject.id === id)
  expect(events.map(({ type, data: { version }, actor: { type: by } }) => [type, version, by])).toEqual([
    ['domain.entity.created', 1, 'apiKey'],
    ['domain.entity.updated', 2, 'apiKey'],
    ['domain.entity.transitioned', 3, 'apiKey'],
  ])
})

test('a call through another Deployment adopts its revision', async () => {
  const { id } = await done('create', { data: { total: 1 } })
  const { id: paid } = await done('create', { data: { total: 1 } })
  await done('transition', { id: paid, event: 'pay' })
  await deploy({ initial: 'open', states: { open: { on: { send: 'sent' } }, sent: {} } })
  expect(await done('transition', { id, event: 'send' })).toMatchObject({ state: 'sent' })
  const { status, body } = await invoke('update', { id: paid, data: { total: 1 } })
  expect([status, body.error.details]).toEqual([409, { currentState: 'paid' }])
  for (const each of [id, paid]) {
    expect((await world.owner.get(`/api/v1/actors/entity/${each}/verify`)).body.data).toMatchObject({ valid: true })
  }
})
