/**
 * The vendor's request for an Agent with an output schema, from its revision to the wire. Source: contract 3,
 * `outputSchema`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWorld, said, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const outputSchema = {
  type: 'object',
  properties: { zebra: { type: 'string' }, ant: { type: 'integer' } },
  required: ['zebra', 'ant'],
  additionalProperties: false,
}

test('the schema reaches the vendor as structured output, and a mismatch is reported to the model', async () => {
  const credential = await world.credential('openai', 'key-of-openai')
  const place = await world.place()
  const agent = await world.agent(place, { outputSchema, model: { provider: 'openai', model: 'local' } })
  await world.serve(place, [agent])
  let count = 0
  world.vendor.answer = () => said(count++ === 0 ? '{"zebra":"z","ant":"many"}' : '{"zebra":"z","ant":2}')
  const run = await world.run(place, agent.agentId, 'How many?')
  expect(run).toMatchObject({ state: 'completed', attempt: 2 })
  const bodies = world.vendor.asked.map(({ text }) => JSON.parse(text))
  for (const { response_format } of bodies) {
    expect(response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true, schema: outputSchema } })
  }
  const [first, second] = bodies.map(({ messages }) => messages)
  expect(second.slice(0, first.length)).toEqual(first)
  expect(second.slice(first.length)).toEqual([
    { role: 'assistant', content: '{"zebra":"z","ant":"many"}' },
    { role: 'user', content: expect.stringMatching(/could not be used\. .*\/ant must be integer.* answer again/) },
  ])
  await credential.disable()
})

test('a text that the schema asks for, such as one of an enum, is the value of the output too', async () => {
  const place = await world.place()
  const sorter = await world.agent(place, { outputSchema: { type: 'string', enum: ['spam', 'ham'] } })
  const talker = await world.agent(place, {})
  await world.serve(place, [sorter, talker])
  const outputOf = async ({ agentId }: { agentId: string }) => {
    const { id } = await world.run(place, agentId, '/say "spam"')
    return (await world.owner.get(`/api/v1/agent-runs/${id}`, { query: { include: 'output' } })).body.data.output
  }
  expect(await outputOf(sorter)).toEqual({ text: 'spam', value: 'spam' })
  expect(await outputOf(talker)).toEqual({ text: '"spam"' })
})
