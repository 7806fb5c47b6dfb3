/** A run and its answer in one request. Source: contract 5, `waitSeconds`, `include=output`. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Reply } from '../support/client.ts'
import { assistant, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const runs = '/api/v1/agent-runs'

test('a waiting request is answered when the run has ended, with its output if requested', async () => {
  const runId = await world.startIn('running')
  const query = { waitSeconds: 60, include: 'output' }
  const waiting = world.owner.get(`${runs}/${runId}`, { query })
  await world.runner.complete(runId, 'It is 4.')
  expect((await waiting).body.data).toMatchObject({ state: 'completed', output: { text: 'It is 4.' } })
  const later = await world.owner.get(`${runs}/${runId}`, { query })
  expect(later.body.data.output).toEqual({ text: 'It is 4.' })
  expect((await world.owner.get(`${runs}/${runId}`)).body.data).not.toHaveProperty('output')
})

test('a structured answer has both text and value', async () => {
  const runId = await world.startIn('running')
  await world.runner.complete(runId, { sum: 4 })
  const { body } = await world.owner.get(`${runs}/${runId}`, { query: { include: 'output' } })
  expect(body.data.output).toEqual({ text: '{"sum":4}', value: { sum: 4 } })
})

test('a run that was completed without an output has an empty text', async () => {
  const runId = await world.startIn('running')
  await world.runner.complete(runId, null)
  const { body } = await world.owner.get(`${runs}/${runId}`, { query: { include: 'output' } })
  expect(body.data.output).toEqual({ text: '' })
})

test('a start can wait too', async () => {
  const started = world.owner.post(runs, { agentId: assistant, query: 'Hello' }, { query: { waitSeconds: 30 } })
  const id = await (async () => {
    for (;;) {
      const { body } = await world.owner.get(runs, { query: { states: 'queued', limit: 1 } })
      if (body.agentRuns[0]) return body.agentRuns[0].id as string
      await Bun.sleep(1)
    }
  })()
  await world.runner.begin(id)
  await world.runner.awaitTools(id, 'call_1')
  expect((await started).body.data).toMatchObject({ id, state: 'awaitingToolResult', awaiting: { kind: 'tool' } })
})

test('after the wait, the run is returned as it is', async () => {
  const runId = await world.startIn('running')
  const waiting = world.owner.get(`${runs}/${runId}`, { query: { waitSeconds: 1, include: 'output' } })
  while (world.clock.waiting === 0) await Bun.sleep(1)
  world.clock.advance(1_000)
  expect((await waiting).body.data).toMatchObject({ state: 'running', output: null })
})

test.each(['wordless', 'elsewhere'] as const)(
  'an output requires the permission to read steps there: %s',
  async (who) => {
    const runId = await world.startIn('completed')
    const asked = { query: { include: 'output' } }
    const denied = { status: 403, details: { permission: 'agent-runs:steps:get' } }
    const refusalOf = ({ status, body }: Reply) => ({ status, details: body.error?.details })
    expect(refusalOf(await world[who].get(`${runs}/${runId}`, asked))).toEqual(denied)
    expect((await world[who].get(`${runs}/${runId}`)).status).toBe(200)
    expect((await world[who].get(`${runs}/${runId}`, { query: { waitSeconds: 1 } })).status).toBe(200)
    expect(refusalOf(await world[who].post(runs, { agentId: assistant, query: 'Hello' }, asked))).toEqual(denied)
  },
)

test('a caller who may read outputs nowhere starts nothing by requesting one', async () => {
  const listed = async () => (await world.owner.get(runs, { query: { limit: 100 } })).body.agentRuns.length
  const before = await listed()
  const asked = { query: { include: 'output' } }
  expect((await world.wordless.post(runs, { agentId: assistant, query: 'Hello' }, asked)).status).toBe(403)
  expect(await listed()).toBe(before)
})

test.each([{ waitSeconds: 61 }, { waitSeconds: -1 }, { include: 'secrets' }])('%j is refused', async (query) => {
  const runId = await world.startIn('queued')
  expect((await world.owner.get(`${runs}/${runId}`, { query })).status).toBe(422)
})
