/** Calls whose Project or Deployment changes before they are stored, as by another server. Source: contract 6. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { InvocationService } from '../../../../src/automation/operations/invocations/service.ts'
import { DeployedBundle } from '../../../../src/delivery/deployments/bundles.ts'
import { recordNothing } from '../../../../src/platform/http/changes/request-record.ts'
import type { Address } from '../../../../src/runtime/kind.ts'
import { raw } from '../../../events/history/feed-world.ts'
import { callerWith } from '../../../support/callers.ts'
import { openPlanted, type PlantedWorld } from '../planted-world.ts'

let world: PlantedWorld
beforeEach(async () => {
  world = await openPlanted()
})
afterEach(() => world?.stop())

const path = { projectId: 'prj_1', environmentId: 'env_1', agentId: 'agt_1', operation: 'shop.ask' }
const caller = callerWith({ organizationId: 'org_1', permissions: new Set(['agents:invoke-operation']) })

/** The outcome of a call; the statement is committed once the call has read its place. */
async function invokedBefore(sql: string) {
  const { store, clock, actors, invocations, bundle } = world
  const environment = async () => ({
    row: await store.first({ sql: "select * from environments where id = 'env_1'", parameters: [] }),
  })
  let left = true
  const find = async (deploymentId: string) => {
    if (left) await store.commit([raw(sql)])
    left = false
    return new DeployedBundle({ ...bundle.bundle, deploymentId })
  }
  const service = new InvocationService({
    store,
    clock,
    actors: {
      read: (address: Address) => (address.kind === 'environment' ? environment() : actors.read(address)),
    } as never,
    cursors: {} as never,
    bundles: { find } as never,
    invocations,
  })
  return service.invoke(caller, path, { input: {} }, recordNothing).catch((error) => error)
}

const stored = () => world.store.all({ sql: 'select deployment_id from operation_invocations', parameters: [] })

test('a call in a Project that is paused meanwhile returns 409, and is not stored', async () => {
  const refusal = await invokedBefore("update projects set status = 'paused' where id = 'prj_1'")
  expect(refusal).toMatchObject({ status: 409, code: 'project_paused' })
  expect(await stored()).toEqual([])
})

test('a call is one of the Deployment that is activated meanwhile', async () => {
  const reply = await invokedBefore("update environments set active_deployment_id = 'dep_2' where id = 'env_1'")
  expect(reply).toMatchObject({ status: 202, data: { deploymentId: 'dep_2' } })
  expect(await stored()).toEqual([{ deployment_id: 'dep_2' }])
})
