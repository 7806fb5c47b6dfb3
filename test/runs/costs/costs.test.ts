/** The costs of runs, and budgets that end them, with the embedded runner. Source: contract 13, "Cost", "Budgets". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectWhole, framesOf, getRun } from '../../support/run-records.ts'
import { data } from '../../support/world/replies.ts'
import { decimal, openWorld, priceOf, twoCalls, usd, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

describe('costs', () => {
  test('each model step has its own, the run their sum, also in lists and at its end; other steps have none', async () => {
    const { body } = await world.start(twoCalls)
    const run = body.data
    const steps = await world.modelSteps(run.id)
    expect(steps).toHaveLength(3)
    for (const { cost, tokenUsage } of steps) expect(cost).toEqual(usd(priceOf(tokenUsage)))
    const millionths = steps.reduce(
      (sum, { tokenUsage }) => sum + tokenUsage.inputTokens + 10 * tokenUsage.outputTokens,
      0,
    )
    const cost = usd(decimal(millionths))
    expect(run.cost).toEqual(cost)
    const listed = (await world.owner.get('/api/v1/agent-runs')).body.agentRuns
    expect(listed.find(({ id }: { id: string }) => id === run.id).cost).toEqual(cost)
    const frames = await framesOf(world.owner, run.id)
    expect(frames.at(-1)).toMatchObject({ event: 'end', data: { data: { cost } } })
    const dataOf = (event: string) => frames.filter((frame) => frame.event === event).map(({ data }) => data.data)
    expect(dataOf('step.started').every((step) => step.cost === null)).toBe(true)
    expect(dataOf('step.completed').filter(({ kind }) => kind === 'model')).toMatchObject(
      steps.map(({ cost }) => ({ cost })),
    )
    expect(
      dataOf('step.completed')
        .filter(({ kind }) => kind !== 'model')
        .every((step) => step.cost === null),
    ).toBe(true)
  })

  test('a continue adds to the costs of the run', async () => {
    const { id, cost } = (await world.start('/say one two three')).body.data
    const continued = await world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say four' })
    expect(continued.body.data.cost).toEqual(cost)
    await world.owner.get(`/api/v1/agent-runs/${id}?waitSeconds=60`)
    const steps = await world.modelSteps(id)
    const millionths = steps.reduce(
      (sum, { tokenUsage }) => sum + tokenUsage.inputTokens + 10 * tokenUsage.outputTokens,
      0,
    )
    expect(steps.length).toBeGreaterThan(0)
    expect((await getRun(world.owner, id)).cost.amount).not.toBe(cost.amount)
    expect((await getRun(world.owner, id)).usedTokens).toBeGreaterThan(millionths > 0 ? 0 : 1)
  })

  test('a failed step has costs too, and a run without model steps has none', async () => {
    const failed = (await world.start('/fail no', { maxRetries: 0 })).body.data
    expect(failed).toMatchObject({ state: 'failed', cost: usd('0') })
    const queued = await world.owner.post('/api/v1/agent-runs', { agentId: failed.agentId, query: '/sleep 600000' })
    expect(queued.body.data.cost).toBeNull()
    await world.owner.post(`/api/v1/agent-runs/${queued.body.data.id}/cancel`)
  })
})

describe('a budget', () => {
  test('ends the run before the next model step, which does not exist', async () => {
    const { body } = await world.start(twoCalls, { limits: { maxTokens: 1 }, maxRetries: 5 })
    const run = body.data
    expect(run).toMatchObject({
      state: 'failed',
      stateReason: { code: 'budget_exhausted' },
      limits: { maxTokens: 1 },
      attempt: 1,
    })
    expect(await world.modelSteps(run.id)).toHaveLength(1)
    const { transitions } = await expectWhole(world.owner, run.id)
    expect(transitions.at(-1)).toMatchObject({ from: 'running', to: 'failed', reason: { code: 'budget_exhausted' } })
    expect(run.usedTokens).toBeGreaterThan(1)
  })

  test('can be given in a form', async () => {
    const form = new FormData()
    const limits = { maxTokens: 1, maxCost: usd('5') }
    const fields = { agentId: 'agt_system_assistant', query: twoCalls, limits: JSON.stringify(limits) }
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.append('files', new File(['A note.'], 'note.txt', { type: 'text/plain' }))
    const { body } = await world.owner.call('POST', '/api/v1/agent-runs?waitSeconds=60', form)
    expect(body.data).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted' }, limits })
  })

  test('of costs ends it too, and its continuation at once', async () => {
    const maxCost = usd('0.000001')
    const run = (await world.start(twoCalls, { limits: { maxCost } })).body.data
    expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted' }, limits: { maxCost } })
    await world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: '/say more' })
    const again = (await world.owner.get(`/api/v1/agent-runs/${run.id}?waitSeconds=60`)).body.data
    expect(again).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted' }, cost: run.cost })
    expect(await world.modelSteps(run.id)).toHaveLength(1)
  })

  test('says how to go on: a fork counts anew', async () => {
    const run = (await world.start(twoCalls, { limits: { maxTokens: 9 } })).body.data
    const message = expect.stringMatching(/may use 9\. .* a fork of the run, or another conversation, counts anew\.$/)
    expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted', message } })
    const { body } = await world.owner.post(`/api/v1/agent-runs/${run.id}/fork`, { query: '/say more' })
    const fork = (await world.owner.get(`/api/v1/agent-runs/${body.data.id}?waitSeconds=60`)).body.data
    expect(fork).toMatchObject({ state: 'completed', limits: { maxTokens: 9 } })
  })

  test('that is not used up does not end it', async () => {
    const limits = { maxTokens: 1_000_000, maxCost: usd('5') }
    expect((await world.start(twoCalls, { limits })).body.data).toMatchObject({ state: 'completed', limits })
  })

  test('warns once, at 80 %, in the stream', async () => {
    const { id, usedTokens } = (await world.start(twoCalls)).body.data
    const steps = await world.modelSteps(id)
    const first = steps[0].tokenUsage.totalTokens
    // the first step is above 80 %, and below the limit
    const warned = (await world.start(twoCalls, { limits: { maxTokens: first + 1 } })).body.data
    const warnings = (await framesOf(world.owner, warned.id)).filter(({ event }) => event === 'budget.warning')
    expect(warnings.map(({ data }) => data.data)).toEqual([
      { percent: 80, limits: { maxTokens: first + 1 }, usedTokens: first, cost: steps[0].cost },
    ])
    expect(usedTokens).toBeGreaterThan(first)
  })

  test.each<[string, object, string]>([
    ['a currency without prices', { maxCost: { amount: '1', currency: 'EUR' } }, '/body/limits/maxCost'],
    ['an amount that is not a string', { maxCost: { amount: 1, currency: 'USD' } }, '/body/limits/maxCost/amount'],
    ['a negative amount', { maxCost: { amount: '-1', currency: 'USD' } }, '/body/limits/maxCost/amount'],
    ['no currency', { maxCost: { amount: '1' } }, '/body/limits/maxCost/currency'],
    ['another field', { maxTokens: 1, maxSteps: 1 }, '/body/limits/maxSteps'],
    ['a fraction of a token', { maxTokens: 1.5 }, '/body/limits/maxTokens'],
  ])('with %s is 422', async (_, limits, path) => {
    const { status, body } = await world.start('hello', { limits })
    expect({ status, path: body.error.details.issues[0].path }).toEqual({ status: 422, path })
  })
})

test('a budget includes delegates: their next model step does not begin, nor that of the agent above', async () => {
  const place = await world.place()
  const tools = [{ kind: 'builtin', name: 'calculator' }]
  const helper = await world.agent(place, { tools })
  const delegates = [{ name: 'helper', description: 'Helps.', agentId: helper.agentId }]
  const lead = await world.agent(place, { tools, delegates })
  await world.serve(place, [lead, helper])
  const more = { agentId: lead.agentId, environmentId: place.environmentId }
  const inner = '/call calculator {"expression":"1+1"}\n/say inner'
  const query = `/call helper ${JSON.stringify({ query: inner })}\n/say outer`
  const whole = (await world.start(query, more)).body.data
  const steps = await world.modelSteps(whole.id)
  expect(steps).toHaveLength(4)
  const used = steps.map(({ tokenUsage }) => tokenUsage.totalTokens)
  expect(whole).toMatchObject({ state: 'completed', usedTokens: used.reduce((sum, each) => sum + each) })
  // after the agent's first step, and after its delegate's first one
  for (const begun of [1, 2]) {
    const maxTokens = used.slice(0, begun).reduce((sum, each) => sum + each)
    const run = (await world.start(query, { ...more, limits: { maxTokens } })).body.data
    expect(run).toMatchObject({ state: 'failed', stateReason: { code: 'budget_exhausted' }, usedTokens: maxTokens })
    expect(await world.modelSteps(run.id)).toHaveLength(begun)
    // the continuation ends at once, without another warning
    await world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: '/say more' })
    const again = (await world.owner.get(`/api/v1/agent-runs/${run.id}?waitSeconds=60`)).body.data
    expect(again).toMatchObject({ state: 'failed', usedTokens: maxTokens })
    const warnings = (await framesOf(world.owner, run.id)).filter(({ event }) => event === 'budget.warning')
    expect(warnings).toHaveLength(1)
  }
})

describe('statistics and usage', () => {
  test('contain the costs of model steps: in total, over time, and by Agent, model, key and Project', async () => {
    const place = await world.place()
    const agent = await world.agent(place, {})
    await world.serve(place, [agent])
    const more = { agentId: agent.agentId, environmentId: place.environmentId }
    const runs = [
      (await world.start('/say one', more)).body.data,
      (await world.start('/say two three', more)).body.data,
    ]
    const millionths = runs.map(({ cost }) => Math.round(Number(cost.amount) * 1e6)).reduce((sum, each) => sum + each)
    const cost = usd(decimal(millionths))
    const { projectId } = place
    const of = async (query: object) =>
      data<Record<string, unknown> & { buckets: { cost: unknown }[]; items?: object[] }>(
        world.owner.get('/api/v1/agent-runs/statistics', { query: { projectId, ...query } }),
      )
    const total = await of({})
    expect(total).toMatchObject({ cost, costs: [cost], modelSteps: 2, unpricedSteps: 0 })
    expect(total.buckets.filter((bucket) => bucket.cost !== undefined)).toMatchObject([{ cost, costs: [cost] }])
    expect(total).not.toHaveProperty('items')
    const [{ createdBy }] = runs
    expect((await of({ by: 'agent' })).items).toMatchObject([
      { agentId: agent.agentId, name: agent.name, cost, modelSteps: 2 },
    ])
    expect((await of({ by: 'model' })).items).toMatchObject([{ provider: 'sandbox', model: 'sandbox', cost }])
    expect((await of({ by: 'apiKey' })).items).toMatchObject([{ apiKeyId: createdBy.id, cost }])
    expect((await of({ by: 'project' })).items).toMatchObject([{ projectId, name: expect.any(String), cost }])
    const usage = (by: string) =>
      data<{ cost: unknown; costs: unknown; items: { agentId?: string; projectId?: string; cost: unknown }[] }>(
        world.owner.get(`/api/v1/organizations/${world.ours}/billing/usage`, { query: { by } }),
      )
    const byAgent = await usage('agent')
    expect(byAgent.items.find(({ agentId }) => agentId === agent.agentId)?.cost).toEqual(cost)
    expect((await usage('project')).items.find((item) => item.projectId === projectId)?.cost).toEqual(cost)
    expect(byAgent.costs).toEqual([byAgent.cost])
  })
})
