/** Calls that a model begins and does not complete, with the client of AG-UI. Source: contract 12. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { HttpAgent, type Message } from '@ag-ui/client'
import { openWorld, said, type World } from '../../runs/project/world.ts'
import { frames } from '../../runs/providers/wire.ts'
import { data } from '../../support/world/replies.ts'

let world: World
let address: string
/** The answers of the vendor, in turn. */
const answers: Response[] = []
beforeAll(async () => {
  world = await openWorld({ environment: { TROUPE_RUNNER: 'embedded' } })
  await world.credential('openai', 'key-of-openai')
  const place = await world.place()
  const tools = [
    { kind: 'builtin', name: 'echo' },
    { kind: 'interactive', name: 'ask', description: 'Asks the user.', inputSchema: { type: 'object' } },
  ]
  const agent = await world.agent(place, { model: { provider: 'openai', model: 'gpt-5' }, tools })
  await world.serve(place, [agent])
  address = `${(await data<{ slug: string }>(world.owner.get(place.project))).slug}/development/${agent.slug}`
  world.vendor.answer = () => answers.shift() ?? said('Done')
})
afterAll(() => world?.stop())
beforeEach(() => void answers.splice(0))

const calling = (name: string, id: string, { finish = 'calls' as 'calls' | 'length', text = [] as string[] } = {}) =>
  frames.openaiChat({ text, calls: [{ id, name, input: ['{"text":', '"a"}'] }], finish })
const sent = (pieces: string[]) => new Response(pieces.join(''), { headers: { 'content-type': 'text/event-stream' } })

let threads = 0
async function say(agent = newAgent()) {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: 'Hello' })
  // biome-ignore lint/suspicious/noExplicitAny: each event has its own fields
  const events: any[] = []
  await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) })
  return { agent, last: events.at(-1) }
}
function newAgent() {
  threads += 1
  const headers = { authorization: `Bearer ${world.key}` }
  return new HttpAgent({ url: `${world.url}/ag-ui/${address}`, headers, threadId: `thread ${threads}` })
}
/** Each call of the thread, with its input and its results. */
const callsOf = ({ messages }: { messages: Message[] }) =>
  messages.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : (message.toolCalls ?? []).map(({ id, function: { arguments: input } }) => [
          id,
          input,
          ...messages.flatMap((each) => (each.role === 'tool' && each.toolCallId === id ? [each.content] : [])),
        ]),
  )
const dropped = 'The model did not complete this call.'

test('a call of a step that broke off has failed, and the repeated step makes another', async () => {
  answers.push(sent(calling('echo', 'call_a').slice(0, 2)), sent(calling('echo', 'call_b')))
  const { agent, last } = await say()
  expect(last).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
  expect(callsOf(agent)).toEqual([
    ['call_a', '{"text":', dropped],
    ['call_b', '{"text":"a"}', '{"text":"a"}'],
  ])
})

test.each([
  ['without a text', []],
  ['with a text', ['Well']],
])('a call that the repeated step makes under the same id is one call, %s', async (_, text) => {
  const pieces = calling('echo', 'call_a', { text })
  answers.push(sent(pieces.slice(0, text.length + 2)), sent(pieces))
  const { agent } = await say()
  expect(callsOf(agent)).toEqual([['call_a', '{"text":"a"}', '{"text":"a"}']])
})

test('a question of a step that broke off is asked again, and answered', async () => {
  answers.push(sent(calling('ask', 'call_a').slice(0, 2)), sent(calling('ask', 'call_a')))
  const { agent, last } = await say()
  expect(last.outcome).toEqual({ type: 'success', pendingToolCallIds: ['call_a'] })
  expect(callsOf(agent)).toEqual([['call_a', '{"text":"a"}']])
  agent.addMessage({ id: 'answer', role: 'tool', toolCallId: 'call_a', content: 'Yes' })
  await agent.runAgent()
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Done' })
})

test('a question in an answer that was cut is not asked', async () => {
  answers.push(sent(calling('ask', 'call_a', { finish: 'length' })))
  const { agent, last } = await say()
  expect(last.outcome).toEqual({ type: 'success' })
  expect(callsOf(agent)).toEqual([['call_a', '{"text":"a"}', dropped]])
})

test('a call of the last step of a run that failed has failed, and the thread goes on', async () => {
  for (let attempt = 1; attempt <= 3; attempt += 1) answers.push(sent(calling('echo', 'call_a').slice(0, 2)))
  const { agent, last } = await say()
  expect(last).toMatchObject({ type: 'RUN_ERROR' })
  expect(callsOf(agent)).toEqual([['call_a', '{"text":', dropped]])
  await say(agent)
  expect(agent.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Done' })
})
