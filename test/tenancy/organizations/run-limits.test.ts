/** The limits of an organization's runs, and how long a server keeps them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { OrganizationRunLimits } from '../../../src/tenancy/organizations/run-limits.ts'
import { putRunLimits } from '../../../storage/tenancy/run-limits.ts'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { openWorld as openTree, type World as Tree } from '../authority/tree-world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'none' } })
})
afterAll(() => world?.stop())

const limitsOfNext = async () => {
  const body = { agentId: 'agt_system_assistant', query: 'Hello' }
  return (await data<{ limits?: object }>(world.owner.post('/api/v1/agent-runs', body))).limits
}

test('apply within two seconds, also if the server that changed them died before it told the others', async () => {
  expect(await limitsOfNext()).toBeUndefined()
  world.rows(`insert into organization_run_limits (organization_id, limits) values (?, '{"maxTokens":7}')`, world.ours)
  world.clock.advance(2_000)
  expect(await limitsOfNext()).toEqual({ maxTokens: 7 })
  world.rows('delete from organization_run_limits where organization_id = ?', world.ours)
  world.clock.advance(2_000)
  expect(await limitsOfNext()).toBeUndefined()
})

describe('the limits that a server keeps', () => {
  let tree: Tree
  let limits: OrganizationRunLimits
  const revocations = new EmbeddedRevocations()
  beforeAll(async () => {
    tree = await openTree()
    limits = new OrganizationRunLimits({ store: tree.store, clock: tree.clock, revocations })
  })
  afterAll(() => tree?.close())
  const change = async (maxTokens: number) => {
    const row = { organization_id: tree.organizationId, limits: JSON.stringify({ maxTokens }) }
    await tree.store.commit([putRunLimits(tree.store, row)])
  }

  test('are read again if the clock was set back', async () => {
    await change(1)
    expect(await limits.of(tree.organizationId)).toEqual({ maxTokens: 1 })
    await change(2)
    tree.clock.at -= 1
    expect(await limits.of(tree.organizationId)).toEqual({ maxTokens: 2 })
  })

  test('are not those that were read before a change that was announced meanwhile', async () => {
    tree.clock.at += 2_000
    tree.store.beforeAnswer = async () => {
      tree.store.beforeAnswer = () => {}
      await change(3)
      await revocations.announce({ organizationId: tree.organizationId })
    }
    expect(await limits.of(tree.organizationId)).toEqual({ maxTokens: 2 })
    expect(await limits.of(tree.organizationId)).toEqual({ maxTokens: 3 })
  })
})
