/** Limits of runs that the Agent, the organization or the conversation sets. Source: contract 13, "Budgets". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { openWorld, twoCalls, usd, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const deployed = async (content: object) => {
  const place = await world.place()
  const agent = await world.agent(place, { tools: [{ kind: 'builtin', name: 'calculator' }], ...content })
  await world.serve(place, [agent])
  const run = async (more: object = {}) => {
    const { environmentId } = place
    return (await world.start(twoCalls, { agentId: agent.agentId, environmentId, ...more })).body.data
  }
  return { place, agent, run }
}

test('the lower one of each limit applies, whoever sets it', async () => {
  const { run } = await deployed({ limits: { maxTokens: 1_000_000, maxCost: usd('0.000001') } })
  expect(await run({ limits: { maxTokens: 500_000, maxCost: usd('3') } })).toMatchObject({
    state: 'failed',
    stateReason: { code: 'budget_exhausted' },
    limits: { maxTokens: 500_000, maxCost: usd('0.000001') },
  })
})

test('uncountable costs of the Agent end the run before its first step; with such a request it is 422', async () => {
  const { run, agent, place } = await deployed({ limits: { maxCost: { amount: '1', currency: 'EUR' } } })
  const failed = await run()
  expect(failed).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted' }, usedTokens: 0 })
  expect(await world.modelSteps(failed.id)).toEqual([])
  const { environmentId } = place
  const asked = { agentId: agent.agentId, environmentId, limits: { maxCost: usd('1') } }
  expect((await world.start('hello', asked)).status).toBe(422)
})

test.each([
  ['Agent', { amount: '1', currency: 'EUR' }, usd('1')],
  ['organization', usd('1'), { amount: '1', currency: 'EUR' }],
])('of costs in two currencies, those that cannot be counted end the run: of the %s', async (_, ofAgent, ofAll) => {
  const path = `/api/v1/organizations/${world.ours}`
  const { run } = await deployed({ limits: { maxCost: ofAgent } })
  await data(world.owner.patch(path, { runLimits: { maxCost: ofAll } }))
  const ended = await run().finally(() => world.owner.patch(path, { runLimits: null }))
  expect(ended).toMatchObject({
    state: 'failed',
    stateReason: { code: 'budget_exhausted' },
    limits: { maxCost: { currency: 'EUR' } },
    usedTokens: 0,
  })
})

test('limits of the organization apply to every later start, and are shown with it', async () => {
  const path = `/api/v1/organizations/${world.ours}`
  const runLimits = { maxTokens: 1 }
  const changed = await data<{ runLimits: object }>(world.owner.patch(path, { runLimits }))
  expect(changed.runLimits).toEqual(runLimits)
  try {
    expect((await world.start(twoCalls, { limits: { maxTokens: 9_999 } })).body.data).toMatchObject({
      state: 'failed',
      limits: { maxTokens: 1 },
    })
  } finally {
    expect(await data<object>(world.owner.patch(path, { runLimits: null }))).not.toHaveProperty('runLimits')
  }
  expect((await world.start('/say yes')).body.data).toMatchObject({ state: 'completed' })
  expect((await world.owner.patch(path, { runLimits: { maxTokens: -1 } })).status).toBe(422)
})

test.each<[string, object, object]>([
  ['tokens', { maxTokens: 900_000 }, { maxTokens: 5 }],
  ['costs', { maxCost: usd('9') }, { maxCost: usd('8') }],
])('limits of a conversation on its %s are fixed at its start', async (_, limits, smaller) => {
  const threadKey = crypto.randomUUID()
  const first = await world.start('/say one', { threadKey, limits })
  expect(first.body.data).toMatchObject({ state: 'completed', limits })
  expect((await world.start('/say two', { threadKey, limits })).status).toBe(200)
  const { status, body } = await world.start('/say three', { threadKey, limits: smaller })
  expect({ status, path: body.error.details.issues[0].path }).toEqual({ status: 422, path: '/body/limits' })
})

test('a webhook gets the warning, and the end', async () => {
  const { place, run } = await deployed({})
  const eventTypes = ['budget.warning', 'budget.exhausted']
  await data(world.owner.post(`${place.path}/webhooks`, { endpointUrl: 'https://127.0.0.1:9/hook', eventTypes }))
  const { id } = await run({ limits: { maxTokens: 1 } })
  const { events } = (await world.owner.get(`${place.path}/events`, { query: { limit: 100 } })).body
  const budget = events.filter(({ type }: { type: string }) => eventTypes.includes(type))
  const common = { agentRunId: id, organizationId: world.ours, limits: { maxTokens: 1 } }
  expect(budget).toMatchObject([
    { type: 'budget.warning', subject: { type: 'agentRun', id }, data: { ...common, percent: 80 } },
    { type: 'budget.exhausted', subject: { type: 'agentRun', id }, data: { ...common, percent: 100 } },
  ])
})
