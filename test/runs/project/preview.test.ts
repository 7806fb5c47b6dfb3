/** Previews of a continue of a run that waits. Source: contract 9, "Statecharts"; requirement 3. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data, type Loose } from '../../support/world/replies.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

test('a continue of a waiting run is accepted, and answers the calls that it names, or all', async () => {
  const place = await world.place()
  const ask = { kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema: { type: 'object' } }
  const agent = await world.agent(place, { tools: [ask] })
  await world.serve(place, [agent])
  const { id, awaiting }: Loose = await world.run(place, agent.agentId, '/call ask {}')
  const preview = (event: unknown, what = 'preview', body: object = { event }) =>
    data<Loose>(world.owner.post(`/api/v1/actors/run/${id}/${what}`, body))

  const accepted = { accepted: true, state: 'queued', effects: ['withdrawApprovals', 'offerToRunners'] }
  expect(await preview('continue')).toEqual(accepted)
  expect(await preview({ type: 'continue', answered: [awaiting.toolCallId] })).toEqual(accepted)
  expect(await preview({ type: 'continue', answered: ['another'] })).toMatchObject({ accepted: false })
  const { end } = await preview(undefined, 'simulate', { steps: [{ event: 'continue' }] })
  expect(end.state).toBe('queued')

  const reader = await data<Loose>(
    world.owner.post('/api/v1/api-keys', { name: 'Reader', operations: ['agent-runs:get'] }),
  )
  const path = `/api/v1/actors/run/${id}/preview`
  const unauthorized = await data(world.as(reader.secret).post(path, { event: 'continue' }))
  expect(unauthorized).toMatchObject({ accepted: false, state: 'awaitingToolResult' })
})
