/** Starting and continuing runs at the budget limit. Source: requirement 4.14 (402), 8; contract 8, "Precise points". */

import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { completed, failed, lease, pendingCall } from '../../support/simulated-runner.ts'
import { verdict } from '../../support/world/replies.ts'
import { keyed } from '../world.ts'
import { agentId, minute, openWorld, runnerToken, second, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterEach(() => world.tidy())
afterAll(() => world?.stop())

const exhausted = [402, 'budget_exhausted']

test('of 50 concurrent starts as many are admitted as there are minutes, started ones included; the others return 402', async () => {
  const { start, usage } = await world.organization()
  const replies = await Promise.all(Array.from({ length: 50 }, () => start()))
  const admitted = replies.filter(({ status }) => status === 200)
  expect(admitted).toHaveLength(3) // two minutes and a half
  for (const reply of replies.filter(({ status }) => status !== 200)) expect(verdict(reply)).toEqual(exhausted)
  expect(await usage()).toMatchObject({ minutes: { used: 0, remaining: 2.5 }, runs: { started: 3 } })
  expect(verdict(await start())).toEqual(exhausted)
})

test('canceling a run releases its reservation', async () => {
  const { start, client } = await world.organization()
  const ids: string[] = []
  for (let number = 0; number < 3; number += 1) ids.push((await start()).body.data.id)
  expect(verdict(await start())).toEqual(exhausted)
  for (const id of ids) expect((await client.post(`/api/v1/agent-runs/${id}/cancel`)).status).toBe(200)
  const replies = await Promise.all(Array.from({ length: 8 }, () => start()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
})

test('used time counts, and the unused rest of a reservation is available to others', async () => {
  const { start, ran } = await world.organization()
  await ran(90 * second)
  expect((await start()).status).toBe(200) // the last minute, reserved
  expect(verdict(await start())).toEqual(exhausted)
})

test('a run in progress when the budget ends continues, also after a lost attempt', async () => {
  const { running, start, client, usage } = await world.organization()
  const attempt = await running()
  world.clock.advance(3 * minute)
  expect(verdict(await attempt.beat())).toEqual([200, undefined])
  await attempt.complete(failed(true, { retryAfterMs: 0 }))
  expect(verdict(await start())).toEqual(exhausted)
  const again = await lease(world.troupe.as(null), runnerToken)
  expect(again.runId).toBe(attempt.runId)
  await again.boot()
  world.clock.advance(minute)
  await again.complete(completed('Done.'))
  expect((await client.get(`/api/v1/agent-runs/${attempt.runId}`)).body.data.state).toBe('completed')
  expect(await usage()).toMatchObject({ minutes: { used: 4, remaining: 0 }, runs: { completed: 1 } })
})

test('402 leaves a run that should be continued unchanged', async () => {
  const { ran, client } = await world.organization()
  const { runId } = await ran(3 * minute)
  const path = `/api/v1/agent-runs/${runId}`
  const before = (await client.get(path)).body
  const journal = (await client.get(`${path}/transitions`)).body
  const replies = await Promise.all(Array.from({ length: 8 }, () => client.post(`${path}/continue`, { query: 'More' })))
  for (const reply of replies) expect(verdict(reply)).toEqual(exhausted)
  expect((await client.get(path)).body).toEqual(before)
  expect((await client.get(`${path}/transitions`)).body).toEqual(journal)
})

test('a preview of a continue includes the budget and the caller; no caller can pose as the server', async () => {
  const { ran, client, subscribe } = await world.organization()
  const { runId } = await ran(3 * minute)
  const preview = async (asked = client) => {
    const event = { type: 'continue', authorized: true, budgetLeft: true, roomLeft: true }
    const { status, body } = await asked.post(`/api/v1/actors/run/${runId}/preview`, { event })
    expect(status).toBe(200)
    return body.data
  }
  expect(await preview()).toEqual({ accepted: false, state: 'completed', effects: [] })
  await subscribe('more')
  expect(await preview()).toEqual({ accepted: true, state: 'queued', effects: ['offerToRunners'] })
  const key = await client.post('/api/v1/api-keys', { name: 'Reader', operations: ['agent-runs:get'] })
  expect(key.status).toBe(201)
  expect(await preview(world.troupe.as(key.body.data.secret))).toMatchObject({ accepted: false, state: 'completed' })
})

test('a continue reserves like a start', async () => {
  const { ran, start, client } = await world.organization()
  const { runId } = await ran(30 * second)
  const path = `/api/v1/agent-runs/${runId}`
  expect((await client.post(`${path}/continue`, { query: 'More' })).status).toBe(200)
  expect((await start()).status).toBe(200)
  expect(verdict(await start())).toEqual(exhausted)
  expect((await client.post(`${path}/cancel`)).status).toBe(200)
  expect((await start()).status).toBe(200)
})

test('a run that waits for a tool reserves no minute, and resumes only when one is available', async () => {
  const { running, start, client } = await world.organization()
  const attempt = await running()
  await attempt.suspend()
  await attempt.complete({ outcome: 'awaitingToolResult', awaiting: [pendingCall('tool', 'call_1')] })
  const others: string[] = []
  for (let number = 0; number < 3; number += 1) others.push((await start()).body.data.id)
  const resume = () => client.post(`/api/v1/agent-runs/${attempt.runId}/continue`, { query: '"blue"' })
  expect(verdict(await resume())).toEqual(exhausted)
  await client.post(`/api/v1/agent-runs/${others[0]}/cancel`)
  expect((await resume()).status).toBe(200)
})

test('a run that cannot be continued returns that error, whatever the budget', async () => {
  const { start, client } = await world.organization()
  const ids: string[] = []
  for (let number = 0; number < 3; number += 1) ids.push((await start()).body.data.id)
  expect(verdict(await client.post(`/api/v1/agent-runs/${ids[0]}/continue`, { query: 'More' }))).toEqual([
    409,
    'invalid_transition',
  ])
})

test('a plan with more minutes takes effect immediately', async () => {
  const { start, subscribe, usage } = await world.organization()
  for (let number = 0; number < 3; number += 1) expect((await start()).status).toBe(200)
  expect(verdict(await start())).toEqual(exhausted)
  await subscribe('more')
  expect((await usage()).minutes.budget).toBe(5)
  const replies = await Promise.all(Array.from({ length: 8 }, () => start()))
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(5)
})

test('402 is not stored for an Idempotency-Key: the same request starts the run once a minute is available', async () => {
  const { start, client } = await world.organization()
  const ids: string[] = []
  for (let number = 0; number < 3; number += 1) ids.push((await start()).body.data.id)
  const key = keyed()
  const again = () => client.post('/api/v1/agent-runs', { agentId, query: 'Once' }, key)
  expect(verdict(await again())).toEqual(exhausted)
  await client.post(`/api/v1/agent-runs/${ids[0]}/cancel`)
  const first = await again()
  expect(first.status).toBe(200)
  expect((await again()).body.data.id).toBe(first.body.data.id)
})

test('another organization is not affected', async () => {
  const [one, other] = [await world.organization(), await world.organization()]
  await Promise.all(Array.from({ length: 8 }, () => one.start()))
  expect(verdict(await one.start())).toEqual(exhausted)
  expect((await other.start()).status).toBe(200)
})
