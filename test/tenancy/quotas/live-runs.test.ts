/** The plan's limit of live runs, whoever starts them. Source: contract 1. */

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { JobPlace } from '../../automation/agent-jobs/world.ts'
import { echoOperation } from '../../support/world/places.ts'
import { atOnce, data } from '../../support/world/replies.ts'
import { expectOnly, openWorld, type World } from './world.ts'

const liveRuns = 3

let world: World
let place: JobPlace
beforeAll(async () => {
  world = await openWorld({ liveRuns })
  const at = await world.place()
  const helper = await world.agent(at)
  const operation = echoOperation('ask', { handler: { type: 'agent', agent: helper.slug, query: 'Hello' } })
  const definition = await world.operations(at, 'team', [operation])
  const tools = [{ kind: 'operation', name: 'ask', operation: 'team.ask' }]
  const agent = await world.agent(at, { tools }, ['team.ask'])
  await world.serve(at, [agent, helper], [definition])
  place = { ...at, agentId: agent.agentId, jobs: `${at.path}/agent-jobs` }
})
afterAll(() => world?.stop())
afterEach(async () => {
  const { agentRuns } = (await world.owner.get('/api/v1/agent-runs', { query: { limit: 100 } })).body
  for (const { id, state } of agentRuns as { id: string; state: string }[]) {
    if (state === 'queued') await world.cancel(id)
  }
  expect((await world.limits()).liveRuns).toEqual({ used: 0, limit: liveRuns })
  expect(counted()).toBe(0)
})

/** Live runs, counted by row. */
const counted = () =>
  world.rows<{ count: number }>(
    `select count(*) as count from runs where state not in ('completed', 'failed', 'canceled', 'expired')`,
  )[0]!.count

const idsOf = (replies: readonly { status: number; body: { data: { id: string } } }[]) =>
  replies.flatMap(({ status, body }) => (status === 200 ? [body.data.id] : []))

test('of many concurrent starts, as many succeed as there is room for', async () => {
  const replies = await atOnce(20, () => world.start())
  expectOnly(replies, liveRuns, 'liveRuns', liveRuns)
  expect([(await world.limits()).liveRuns!.used, counted()]).toEqual([liveRuns, liveRuns])
  // refused starts left nothing, and are refused again
  expectOnly(await atOnce(5, () => world.start()), 0, 'liveRuns', liveRuns)
})

test('a run that ends makes room for one', async () => {
  const [first] = idsOf(await atOnce(liveRuns, () => world.start()))
  await world.cancel(first!)
  expectOnly(await atOnce(4, () => world.start()), 1, 'liveRuns', liveRuns)
})

test('a continued run counts again, and stays ended if there is no room', async () => {
  const id = await world.startedRun()
  await world.cancel(id)
  const others = idsOf(await atOnce(liveRuns, () => world.start()))
  const proceed = () => world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Go on' })
  expectOnly([await proceed()], 0, 'liveRuns', liveRuns)
  expect((await world.owner.get(`/api/v1/agent-runs/${id}`)).body.data.state).toBe('canceled')
  await world.cancel(others[0]!)
  expectOnly([await proceed(), await world.start()], 1, 'liveRuns', liveRuns)
})

test('an Idempotency-Key of a refused start can be used again', async () => {
  const ids = idsOf(await atOnce(liveRuns, () => world.start()))
  const keyed = () =>
    world.owner.post(
      '/api/v1/agent-runs',
      { agentId: 'agt_system_assistant', query: 'Hi' },
      { headers: { 'idempotency-key': 'k' } },
    )
  expect((await keyed()).status).toBe(422)
  await world.cancel(ids[0]!)
  expect((await keyed()).status).toBe(200)
})

test('a job reports the limit as the outcome of its tick', async () => {
  await atOnce(liveRuns, () => world.start())
  const { id } = await data(world.job(place))
  world.clock.advance(3_600_000)
  const job = await world.fired(place, id, 1)
  expect(job.lastFirings[0]).toMatchObject({ outcome: 'failed', agentRunId: null })
  const { context, journal } = (await world.owner.get(`/api/v1/actors/agent-job/${id}`)).body.data
  expect(JSON.stringify([context, journal])).toContain('limit_exceeded')
  await data(world.owner.delete(`${place.jobs}/${id}`))
})

test('an operation that runs an Agent counts, and fails if there is no room', async () => {
  await atOnce(liveRuns, () => world.start())
  const invoke = `${place.path}/agents/${place.agentId}/operations/team.ask/invoke`
  const invocation = await data(world.owner.post(invoke, { input: {} }))
  expect(invocation).toMatchObject({ state: 'failed', error: { message: expect.stringContaining('liveRuns: 3') } })
})

test('another organization is not affected', async () => {
  await atOnce(liveRuns, () => world.start())
  const foreigner = await world.foreigner()
  const reply = await world.start('Hello', foreigner)
  expect(reply.status).toBe(200)
  await data(foreigner.post(`/api/v1/agent-runs/${reply.body.data.id}/cancel`))
})
