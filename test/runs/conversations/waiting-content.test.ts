/** A message that waits for minutes of the budget outlives the retention of its run. Source: contract 12. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { budgetExhausted } from '../../../src/platform/http/answers/errors.ts'
import { RunRetention } from '../../../src/runs/retention/run-retention.ts'
import { assistant as agentId, openWorld, type World } from '../world.ts'

const day = 86_400_000

let world: World
let isBudgetLeft = true
beforeAll(async () => {
  world = await openWorld({
    reserve: () => {
      if (!isBudgetLeft) throw budgetExhausted()
      return undefined
    },
  })
})
afterAll(() => world?.close())

test('it has its turn, with the conversation before it, and then nothing is kept longer', async () => {
  const path = '/api/v1/agent-runs'
  const runId = await world.startIn('running', { threadKey: 'patient' })
  const message = { agentId, threadKey: 'patient', query: 'And now?', ifBusy: 'enqueue' }
  expect((await world.owner.post(path, message)).status).toBe(200)
  isBudgetLeft = false
  await world.runner.complete(runId, 'First')
  await world.runs.queuedInputs.startAll(10)

  world.clock.advance(31 * day)
  const { store, actors, clock, runs } = world
  const removal = { store: store.background, actors, clock, streams: runs.streams, content: runs.contentRetention }
  expect([await runs.contentRetention.prune(10), await new RunRetention(removal).prune(7, 10)]).toEqual([0, 0])
  const { data } = (await world.owner.get(`${path}/${runId}`)).body
  expect(data).toMatchObject({ state: 'completed', queuedInputs: [{ query: 'And now?' }] })

  isBudgetLeft = true
  await runs.queuedInputs.startAll(10)
  expect((await world.owner.get(`${path}/${runId}`)).body.data).toMatchObject({ state: 'queued', turn: 2 })
  await world.runner.begin(runId)
  await world.runner.complete(runId, 'Second')
  world.clock.advance(day)
  expect(await runs.contentRetention.prune(10)).toBe(1)
  world.clock.advance(7 * day)
  expect(await new RunRetention(removal).prune(7, 10)).toBe(1)
})
