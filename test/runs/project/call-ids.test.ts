/** The ids of tool calls, as a vendor gives them and as clients see them. Source: contract 5, "`step.delta`". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { frames } from '../providers/wire.ts'
import { openWorld, said, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'embedded' } })
  await world.credential('openai', 'key-of-openai')
})
afterAll(() => world?.stop())

const calling = (...ids: string[]) => {
  const calls = ids.map((id) => ({ id, name: 'echo', input: ['{"text":', '"a"}'] }))
  return new Response(frames.openaiChat({ calls, finish: 'calls' }).join(''), {
    headers: { 'content-type': 'text/event-stream' },
  })
}

test.each([
  ['restarts its numbering in each answer', [['call_0', 'call_1'], ['call_0']]],
  ['writes long ids', [[`call_${'a'.repeat(1_000)}`], [`call_${'a'.repeat(1_000)}`]]],
])('streamed inputs have the ids of their calls if the vendor %s', async (_, answers) => {
  const place = await world.place()
  const tools = [{ kind: 'builtin', name: 'echo' }]
  const agent = await world.agent(place, { model: { provider: 'openai', model: 'gpt-5' }, tools })
  await world.serve(place, [agent])
  const left = [...answers]
  world.vendor.answer = () => {
    const ids = left.shift()
    return ids ? calling(...ids) : said('Done')
  }
  const { id, state } = await world.run(place, agent.agentId, 'Hello')
  expect(state).toBe('completed')
  const { items } = await data<{ items: { kind: string; execution: { toolCallId: string } }[] }>(
    world.owner.get(`/api/v1/agent-runs/${id}/steps`),
  )
  const called = items.flatMap(({ kind, execution }) => (kind === 'tool' ? [execution.toolCallId] : []))
  expect(new Set(called).size).toBe(answers.flat().length)
  const { body } = await world.owner.get(`/api/v1/agent-runs/${id}/stream`, {
    query: { after: 0, types: 'step.delta' },
  })
  const streamed = [...String(body).matchAll(/"toolCallId":"([^"]+)"/g)].map(([, callId]) => callId)
  expect([...new Set(streamed)]).toEqual(called)
})
