/** The limits of an organization's runs, when nobody announced their change. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'

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
