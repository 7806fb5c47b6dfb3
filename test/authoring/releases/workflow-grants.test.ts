/**
 * Workflows as tools of Agents that are not granted the operations of their steps. Source: contract 3, "a tool without
 * its grant"; contract 14, "Workflows".
 */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { operation, step, workflow } from '../definitions/sources.ts'
import { type DefinitionPin, openWorld, type Workshop, type World, workshop } from './world.ts'

let world: World
let shop: Workshop
let definitions: DefinitionPin[]
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const pay = { id: 'pay', operation: 'orders.pay' }
/** `refund` pays; `close` refunds; `ship` takes, and gives back; `rare` hardly ever pays. */
const workflows = {
  refund: { steps: [step('find', { operation: 'orders.find' }), pay] },
  close: { steps: [{ id: 'first', workflow: 'refund' }] },
  ship: { steps: [step('take', { operation: 'orders.take', compensate: { operation: 'orders.back' } })] },
  rare: {
    params: { type: 'object', properties: { pays: { type: 'boolean' } } },
    steps: [{ ...pay, when: '{{params.pays}}' }],
  },
}
beforeEach(async () => {
  shop = await workshop(world)
  definitions = [
    await shop.definition('orders', 'operations', {
      operations: ['find', 'pay', 'take', 'back'].map((name) => operation({ name, effect: 'write' })),
    }),
  ]
  for (const [name, source] of Object.entries(workflows))
    definitions.push(await shop.definition(name, 'workflow', workflow(source)))
})

const tools = (...names: string[]) => ({ tools: names.map((name) => ({ kind: 'workflow', name, workflow: name })) })
/** The refusal of a Release with this Agent, or that it was created. */
async function releasing(content: object, granted: string[]): Promise<unknown> {
  const desk = await shop.agent('desk', content, granted)
  const { status, body } = await shop.release({ agents: [desk], definitions })
  return status === 422 ? [body.error.code, body.error.details.issues] : status
}
const missing = (name: string, operationName: string, caller: string) => ({
  path: `/body/agents/0/content/tools/0/workflow`,
  message: `The Agent desk has a tool for the workflow ${name}, and is not granted ${operationName}, which ${caller} calls: add ${operationName} to grantedOperations.`,
})
const all = ['orders.find', 'orders.pay', 'orders.take', 'orders.back']

test('a step whose operation the Agent is not granted is refused', async () => {
  expect(await releasing(tools('refund'), ['orders.find'])).toEqual([
    'unresolved_reference',
    [missing('refund', 'orders.pay', 'the step pay of the workflow refund')],
  ])
})

test('so is one of a workflow that a step runs, once for each workflow that leads to it', async () => {
  expect(await releasing(tools('close', 'refund'), ['orders.find'])).toEqual([
    'unresolved_reference',
    [missing('close', 'orders.pay', 'the step pay of the workflow refund')],
  ])
})

test('so is a compensation', async () => {
  expect(await releasing(tools('ship'), ['orders.take'])).toEqual([
    'unresolved_reference',
    [missing('ship', 'orders.back', 'the compensation of the step take of the workflow ship')],
  ])
})

test('so is a step whose condition may never hold', async () => {
  expect(await releasing(tools('rare'), [])).toEqual([
    'unresolved_reference',
    [missing('rare', 'orders.pay', 'the step pay of the workflow rare')],
  ])
})

test('an Agent with all grants has them all as tools', async () => {
  expect(await releasing(tools('refund', 'close', 'ship', 'rare'), all)).toBe(201)
})

test('workflows that are no tools are not judged: who runs them is known at their start', async () => {
  expect(await releasing(tools('ship'), ['orders.take', 'orders.back'])).toBe(201)
})

test('an operation that the Release does not hold is reported at its step alone', async () => {
  definitions.push(await shop.definition('lost', 'workflow', workflow({ steps: [step('gone')] })))
  expect(await releasing(tools('lost'), [])).toEqual([
    'unresolved_reference',
    [expect.objectContaining({ path: '/body/definitions/5/source/steps/0/operation' })],
  ])
})
