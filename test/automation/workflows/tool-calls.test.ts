/**
 * Calls of runs that start workflows, in cases that a server shows by chance only: repeated and late ones, and those of
 * lost attempts. Source: contract 14, "Workflows".
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { admitWorkflowRun, getWorkflowRun } from '../../../storage/automation/workflows.ts'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import { getRun } from '../../../storage/runs/runs.ts'
import type { RunRow, WorkflowRunRow } from '../../../storage/tables.ts'
import { openPlanted, type PlantedWorld } from '../operations/planted-world.ts'

let world: PlantedWorld
beforeEach(async () => {
  world = await openPlanted({ steps: [{ id: 'ask', operation: 'shop.ask' }] })
})
afterEach(() => world?.stop())

const call = async (runId: string, changes: object = {}) => {
  const run = (await world.store.first<RunRow>(getRun(world.store, { id: runId }))) as RunRow
  const workflow = world.bundle.workflow('flow')!
  const of = { workflow, agentId: 'agt_1', toolCallId: 'c1', input: {}, chain: 1, fencingToken: 1, trace: null }
  return (await world.calls.call(run, { ...of, ...changes })) as { workflowRunId?: string; error?: { code: string } }
}
/** The only step of the workflow run is refused. */
const fail = (id: string) => {
  const cause = { code: 'tool_error', message: 'No.' }
  return world.actors.send({ kind: 'workflow-run', id }, { type: 'refused', stepId: 'ask', attempt: 1, cause } as never)
}
const counted = async () => (await world.store.all({ sql: 'select id from workflow_runs', parameters: [] })).length
const refused = { error: { code: 'tool_error', message: 'The caller has ended or is being deleted.' } }

test('equal calls, at once and again, are one workflow run', async () => {
  const id = await world.run('running')
  const answers = [
    ...(await Promise.all(Array.from({ length: 8 }, () => call(id)))),
    await call(id, { fencingToken: 7 }),
  ]
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(answers[0]).toMatchObject({ awaiting: 'workflow' })
  expect(await counted()).toBe(1)
})

test('a call that is repeated after the end of the workflow run gets its outcome', async () => {
  const id = await world.run('running')
  const { workflowRunId } = await call(id)
  await fail(workflowRunId!)
  expect(await world.stateOf(workflowRunId!)).toBe('failed')
  expect(await call(id)).toEqual({
    error: { code: 'workflow_failed', message: `The run ${workflowRunId} failed: Step ask failed: No.` },
  } as never)
  expect(await counted()).toBe(1)
})

test('an attempt that was replaced starts nothing, and neither does the call of an ended, continued or answered turn', async () => {
  const id = await world.run('running')
  expect(await call(id, { fencingToken: 2 })).toEqual(refused as never)
  for (const state of ['canceling', 'canceled', 'completed']) {
    await world.move(id, state)
    expect(await call(id)).toEqual(refused as never)
  }
  await world.carryOn(id, 2)
  expect(await call(id)).toEqual(refused as never)
  expect(await counted()).toBe(0)
})

test('a run was canceled and has continued: only the workflows from before are canceled, however late', async () => {
  const id = await world.run('running')
  const before = await call(id, { toolCallId: 'before' })
  await world.move(id, 'canceled')
  await world.carryOn(id, 2)
  const since = await call(id, { toolCallId: 'since', chain: 2 })
  await world.calls.abort({ agentRunId: id })
  await world.calls.abort({ agentRunId: id })
  expect([await world.stateOf(before.workflowRunId!), await world.stateOf(since.workflowRunId!)]).toEqual([
    'canceling',
    'running',
  ])
})

test('what a server that died left running is found: workflows of canceled and expired runs, page by page', async () => {
  const ids: Record<string, string> = {}
  for (const state of ['canceled', 'expired', 'running', 'completed', 'canceling']) {
    const run = await world.run('running')
    ids[state] = (await call(run)).workflowRunId!
    await world.move(run, state)
  }
  const { store } = world
  let [after, found] = ['', 0]
  for (let page: string[]; ; after = page.at(-1)!) {
    page = await world.calls.abortLeft(store.background, after, 2)
    if (page.length === 0) break
    found += page.length
  }
  expect(found).toBe(3)
  const states = await Promise.all(Object.entries(ids).map(async ([state, id]) => [state, await world.stateOf(id)]))
  expect(Object.fromEntries(states)).toEqual({
    canceled: 'canceling',
    expired: 'canceling',
    canceling: 'canceling',
    running: 'running',
    completed: 'running',
  })
  expect(await world.calls.abortLeft(store.background, '', 10)).toEqual([])
})

test('a run closes only its own calls with an outcome', async () => {
  const id = await world.run('running')
  const other = await world.run('running')
  const { workflowRunId } = await call(id)
  expect((await world.calls.close(id, workflowRunId!)).outcome).toMatchObject({ result: {} })
  await fail(workflowRunId!)
  expect((await world.calls.close(id, workflowRunId!)).outcome).toMatchObject({ error: { code: 'workflow_failed' } })
  expect((await world.calls.close(other, workflowRunId!)).outcome).not.toMatchObject({
    error: { code: 'workflow_failed' },
  })
})

test('an input of more than 1 MiB is refused', async () => {
  const id = await world.run('running')
  expect(await call(id, { input: { text: 'x'.repeat(1024 * 1024) } })).toMatchObject({ error: { code: 'too_large' } })
  expect(await counted()).toBe(0)
})

test('a child that begins while the run above it is canceled is not stored', async () => {
  const { workflowRunId: id = '' } = await call(await world.run('running'))
  const above = await world.store.first<WorkflowRunRow>(getWorkflowRun(world.store, { id }))
  const begin = (attempt: number) => {
    const child = { id: newId('wfr'), agent_run_id: null, tool_call_id: null, parent_run_id: id }
    const place = { parent_step_id: 'ask', parent_attempt: attempt }
    return world.store.commit(admitWorkflowRun(world.store, { ...above!, ...child, ...place }))
  }
  await begin(1)
  await world.actors.send({ kind: 'workflow-run', id }, { type: 'cancel' } as never)
  await expect(begin(2)).rejects.toThrow(StaleWrite)
})
