/** Retention of what is used again after it was found to be expired. Source: contract 9, "Configuration". */
import { afterEach, expect, test } from 'bun:test'
import { pruneInvocations } from '../../../../src/automation/operations/invocations/retention.ts'
import { workflowRunAddress } from '../../../../src/automation/workflows/actor.ts'
import { pruneWorkflowRuns } from '../../../../src/automation/workflows/retention.ts'
import { readingBefore } from '../../../support/meanwhile.ts'
import { eventually } from '../../../support/process.ts'
import { openPlanted, type PlantedWorld } from '../planted-world.ts'

const day = 86_400_000

let world: PlantedWorld
afterEach(() => world?.stop())

/** Removes what ended more than a day ago; `work` happens once it is found. */
const prune = (what: typeof pruneInvocations, table: string, work: () => Promise<unknown>) => {
  const { store, clock, actors } = world
  const over = readingBefore(store.background, table, work)
  return what({ store: over, actors, until: clock.now() - day }, 10)
}

test('the calls of a run that has continued meanwhile are kept, so that a repeated call finds them', async () => {
  world = await openPlanted()
  const run = await world.run('running')
  const id = await world.call(run, 'echo')
  await eventually('the end of the call', async () => (await world.stateOf(id)) === 'succeeded')
  await world.move(run, 'failed')
  world.clock.advance(2 * day)
  const isUsedAgain = () => world.carryOn(run, 2)
  expect(await prune(pruneInvocations, 'operation_invocations', isUsedAgain)).toBe(0)
  expect(await world.stateOf(id)).toBe('succeeded')

  await world.move(run, 'completed')
  expect(await prune(pruneInvocations, 'operation_invocations', async () => {})).toBe(1)
  expect(await world.stateOf(id)).toBeUndefined()
})

test('a workflow run that was resumed meanwhile, and has ended again, is kept', async () => {
  world = await openPlanted({ steps: [{ id: 'pay', operation: 'shop.send' }] })
  const { actors } = world
  const id = await world.flow()
  const tell = (event: object) => actors.send(workflowRunAddress(id), event as never)
  const cause = { code: 'tool_error', message: 'No.' }
  await tell({ type: 'refused', stepId: 'pay', attempt: 1, cause })
  world.clock.advance(2 * day)
  const isResumed = async () => {
    await tell({ type: 'resume' })
    await tell({ type: 'refused', stepId: 'pay', attempt: 2, cause })
  }
  expect(await prune(pruneWorkflowRuns, 'workflow_runs', isResumed)).toBe(0)
  expect(await world.stateOf(id)).toBe('failed')

  world.clock.advance(2 * day)
  expect(await prune(pruneWorkflowRuns, 'workflow_runs', async () => {})).toBe(1)
  expect(await world.stateOf(id)).toBeUndefined()
})
