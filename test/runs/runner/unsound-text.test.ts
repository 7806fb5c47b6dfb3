/** Text of models that no store keeps: an answer cut off within a character, broken escapes in calls, U+0000. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { data } from '../../support/world/replies.ts'
import { openWorld, type World } from '../../support/world/world.ts'
import { startVendor } from '../providers/vendor-server.ts'
import { frames, type Reply } from '../providers/wire.ts'

let world: World
/** The first reply to a run; its others end it. */
let first: Reply
const vendor = startVendor(() => {
  const reply = first
  first = { text: ['Done.'], finish: 'stop' }
  return new Response(frames.openaiChat(reply).join(''), { headers: { 'content-type': 'text/event-stream' } })
})

beforeAll(async () => {
  world = await openWorld({
    environment: {
      TROUPE_PLATFORM_PROVIDER: 'openai',
      TROUPE_PLATFORM_MODEL: 'gpt-9',
      TROUPE_PLATFORM_API_KEY: 'test-credential-0123456789',
      TROUPE_OPENAI_BASE_URL: vendor.url,
    },
  })
})
afterAll(() => world?.stop())

interface Ended {
  id: string
  state: string
  stateReason: object | null
  output: { text: string }
}

async function run(reply: Reply): Promise<Ended> {
  first = reply
  const query = { waitSeconds: 60, include: 'output' }
  return data(
    world.owner.post(
      '/api/v1/agent-runs',
      { agentId: 'agt_system_assistant', query: 'Hello', maxRetries: 0 },
      { query },
    ),
  )
}

test('an answer that is cut off within a character is kept up to there', async () => {
  const ended = await run({ text: ['Wave \ud83d', '\udc4b, smile \ud83d'], finish: 'length' })
  expect(ended).toMatchObject({ state: 'completed', stopReason: 'max_output_tokens' })
  expect(ended.output.text).toBe('Wave 👋, smile \ufffd')
})

const call = (call: Partial<NonNullable<Reply['calls']>[number]>): Reply => ({
  calls: [{ id: 'call-1', name: 'json', input: ['{"value":{"a":1},"query":"a"}'], ...call }],
  finish: 'calls',
})

test.each([
  ['input', call({ input: ['{"value":{"a":"\\ud83d","b":"\\u0000"},"query":"a"}'] })],
  ['keys', call({ input: ['{"value":{"\\ud83d":1},"query":"a"}'] })],
  ['id', call({ id: 'call-\ud83d' })],
  ['name', call({ name: 'no such \ud83d' })],
  ['name with U+0000', call({ name: 'no such \0' })],
  ['long name that is cut off within a character', call({ name: `${'x'.repeat(199)}👋` })],
])('a call with such a part, %s, is answered, and the run goes on', async (_, reply) => {
  const ended = await run(reply)
  expect(ended).toMatchObject({ state: 'completed', stateReason: null, output: { text: 'Done.' } })
  // Vendors refuse such text as well.
  expect(JSON.stringify(vendor.asked.at(-1)!.body)).not.toMatch(/\\u(?:d[89a-f]|0000)/)
  const steps = await data<{ items: { childAgentSteps: { kind: string; name: string }[] }[] }>(
    world.owner.get(`/api/v1/agent-runs/${ended.id}/steps`, { query: { depth: 2 } }),
  )
  const [, tool] = steps.items[0]!.childAgentSteps
  expect(tool?.kind).toBe('tool')
  expect(tool?.name.isWellFormed() && !tool.name.includes('\0')).toBe(true)
})
