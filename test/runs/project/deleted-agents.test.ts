/** A run that begins another turn while its Agent is deleted: only one of the two happens. Source: requirement 4.9. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { bothAtOnce, verdict } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('an Agent with a run that continues stays; a run of a deleted Agent does not continue', async () => {
  const place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const other = await world.agent(place)
  for (let round = 0; round < 6; round += 1) {
    const agent = await world.agent(place, { tools: [ask] })
    await world.serve(place, [agent])
    const run = await world.run(place, agent.agentId, '/say Hello.')
    expect(run.state).toBe('completed')
    // no Deployment keeps the Agent
    await world.serve(place, [other])

    const path = `${place.project}/agents/${agent.agentId}`
    const [continued, deleted] = await bothAtOnce(
      round,
      () => world.owner.post(`/api/v1/agent-runs/${run.id}/continue`, { query: '/call ask {}' }),
      () => world.owner.delete(path),
    )
    if (continued.status === 200) {
      expect(verdict(deleted)).toEqual([409, 'agent_in_use'])
      expect((await world.ended(run.id, ['awaitingToolResult'])).state).toBe('awaitingToolResult')
      expect((await world.owner.get(path)).body.data.status).toBe('active')
    } else {
      expect([404, 409]).toContain(continued.status)
      expect(deleted.status).toBe(202)
    }
  }
})

test('a start that names no Environment is told so only for an Agent that is not being deleted', async () => {
  const { agentId } = await world.agent(await world.place())
  const start = async () => verdict(await world.owner.post('/api/v1/agent-runs', { agentId, query: 'Hello' }))
  expect(await start()).toEqual([422, 'validation_failed'])
  world.rows("update agents set status = 'deleting' where id = ? returning id", agentId)
  expect(await start()).toEqual([404, 'not_found'])
})
