/** A run that waits is a live one already: its answer needs no further place. Source: contract 1, "Quotas". */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { expectOnly, openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ liveRuns: 1 }, { environment: { TROUPE_RUNNER: 'embedded' } })
})
afterAll(() => world?.stop())

test('a waiting run is answered although as many runs live as may', async () => {
  const place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const agent = await world.agent(place, { tools: [ask] })
  await world.serve(place, [agent])
  const { agentId } = agent
  const waiting = await world.run(place, agentId, '/call ask {}\n/say done')
  expect(waiting.state).toBe('awaitingToolResult')
  expectOnly([await world.start()], 0, 'liveRuns', 1)

  const path = `/api/v1/agent-runs/${waiting.id}`
  const { awaiting } = waiting as unknown as { awaiting: { toolCallId: string } }
  const event = { type: 'continue', answered: [awaiting.toolCallId] }
  const preview = await data(world.owner.post(`/api/v1/actors/run/${waiting.id}/preview`, { event }))
  expect(preview).toMatchObject({ accepted: true, state: 'queued' })
  await data(world.owner.post(`${path}/continue`, { query: 'yes' }))
  await world.ended(waiting.id, ['completed'])

  // ended, it needs a place again
  expect((await world.run(place, agentId, '/call ask {}')).state).toBe('awaitingToolResult')
  expectOnly([await world.owner.post(`${path}/continue`, { query: 'Go on' })], 0, 'liveRuns', 1)
})
