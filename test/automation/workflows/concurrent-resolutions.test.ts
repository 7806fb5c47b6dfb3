/** Resolutions of a step that is run again meanwhile, and is unknown again. Source: contract 6, "resolve-unknown". */
import { afterEach, expect, test } from 'bun:test'
import type { WorkflowRunContext } from '../../../machines/workflow-run.ts'
import { workflowRunAddress } from '../../../src/automation/workflows/actor.ts'
import { Workflows } from '../../../src/automation/workflows/service.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import type { Store } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { callerWith } from '../../support/callers.ts'
import { readingBefore } from '../../support/meanwhile.ts'
import { openPlanted, type PlantedWorld } from '../operations/planted-world.ts'

let world: PlantedWorld
afterEach(() => world?.stop())

const caller = callerWith({ organizationId: 'org_1', permissions: new Set(['agents:manage-workflows']) })

async function context(id: string) {
  const actor = await world.actors.read<WorkflowRunRow, WorkflowRunContext>(workflowRunAddress(id))
  return { state: actor?.state, step: actor?.context.steps[0] }
}

test('a resolution is refused if it was about an earlier attempt', async () => {
  world = await openPlanted({ steps: [{ id: 'pay', operation: 'shop.send' }] })
  const { store, actors, clock, workflows: workflowWork } = world
  const parts = { clock, actors, cursors: {} as never, bundles: {} as never, workflowWork }
  const over = (through: Store) => new Workflows({ ...parts, store: through })
  const id = await world.flow()
  const lost = (attempt: number) =>
    actors.send(workflowRunAddress(id), {
      type: 'reported',
      stepId: 'pay',
      attempt,
      invocation: 'unknown',
      bytes: 0,
      cause: { code: 'outcome_unknown', message: 'Outcome unknown.' },
    })
  await lost(1)
  const path = { projectId: 'prj_1', environmentId: 'env_1', workflowRunId: id }
  const resolve = (through: Store, outcome: 'retry' | 'failed') =>
    over(through).resolveUnknown(caller, path, { stepId: 'pay', outcome }, undefined, recordNothing)

  const late = readingBefore(store, 'operation_invocations', async () => {
    await resolve(store, 'retry')
    await over(store).resume(caller, path, undefined, recordNothing)
    await lost(2)
  })
  const refusal = await resolve(late, 'failed').catch((error) => error)
  expect(refusal).toMatchObject({
    status: 409,
    message: 'The step pay has been run again since: look at its outcome, and resolve it anew.',
  })
  expect(await context(id)).toMatchObject({ state: 'unknown', step: { state: 'unknown', attempts: 2 } })
  await resolve(store, 'failed')
  expect(await context(id)).toMatchObject({ state: 'failed', step: { state: 'failed' } })
})
