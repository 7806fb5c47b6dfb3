/**
 * Withdrawals of calls that come late or again, as from a server that has paused: what the run or the workflow has
 * requested since it continued is kept. Source: contract 6, "the operation never runs".
 */
import { afterEach, expect, test } from 'bun:test'
import { workflowRunAddress } from '../../../../src/automation/workflows/actor.ts'
import { findInvocationOfStep } from '../../../../storage/automation/invocations.ts'
import { openPlanted, type PlantedWorld } from '../planted-world.ts'

let world: PlantedWorld
afterEach(() => world?.stop())

test.each(['completed', 'failed', 'awaitingToolResult'])(
  'a run was %s and has continued: only the approvals from before are withdrawn',
  async (state) => {
    world = await openPlanted()
    const id = await world.run('running')
    const before = await world.call(id, 'ask')
    await world.move(id, state)
    await world.carryOn(id, 2)
    const since = await world.call(id, 'ask', 2)
    await world.invocations.withdraw({ agentRunId: id })
    expect([await world.stateOf(before), await world.stateOf(since)]).toEqual(['rejected', 'pending_approval'])
  },
)

test('a run was canceled and has continued: only the calls from before are aborted', async () => {
  world = await openPlanted()
  const id = await world.run('running')
  const before = [await world.call(id, 'ask'), await world.call(id, 'send')]
  await world.move(id, 'canceled')
  await world.carryOn(id, 2)
  const since = [await world.call(id, 'ask', 2), await world.call(id, 'send', 2)]
  await world.invocations.abort({ agentRunId: id })
  expect(await Promise.all(before.map(world.isCanceled))).toEqual([false, true])
  expect(await world.stateOf(before[0]!)).toBe('rejected')
  expect(await Promise.all(since.map(world.isCanceled))).toEqual([false, false])
  expect(await world.stateOf(since[0]!)).toBe('pending_approval')
})

test('a workflow run has failed and was resumed: the approvals that it requests again are kept', async () => {
  world = await openPlanted({
    steps: [
      { id: 'ask', operation: 'shop.ask' },
      { id: 'put', operation: 'shop.echo' },
    ],
  })
  const { workflows, actors, store } = world
  const id = await world.flow()
  const tell = (event: object) => actors.send(workflowRunAddress(id), event as never)
  const invocationOf = async (attempt: number) =>
    (await store.first(findInvocationOfStep(store, { workflowRunId: id, stepId: 'ask', attempt })))?.state
  const fail = { type: 'refused', stepId: 'put', cause: { code: 'tool_error', message: 'No.' } }

  await workflows.beginSteps(id, [{ stepId: 'ask', attempt: 1 }])
  await tell({ ...fail, attempt: 1 })
  await workflows.withdrawApprovals(id)
  expect([await world.stateOf(id), await invocationOf(1)]).toEqual(['failed', 'rejected'])

  await tell({ type: 'resume' })
  await workflows.beginSteps(id, [{ stepId: 'ask', attempt: 2 }])
  await workflows.withdrawApprovals(id)
  expect([await world.stateOf(id), await invocationOf(2)]).toEqual(['running', 'pending_approval'])

  // it fails again: these are withdrawn
  await tell({ ...fail, attempt: 2 })
  await workflows.withdrawApprovals(id)
  expect([await world.stateOf(id), await invocationOf(2)]).toEqual(['failed', 'rejected'])
})
