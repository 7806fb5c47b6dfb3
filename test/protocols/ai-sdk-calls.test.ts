/** Calls that a model begins and does not complete, with the AI SDK's own client. Source: contract 12. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openWorld, said, type World } from '../runs/project/world.ts'
import { frames } from '../runs/providers/wire.ts'
import { eventually } from '../support/process.ts'
import { data } from '../support/world/replies.ts'
import { chatOf, last, say, textOf } from './ai-sdk-chat.ts'

let world: World
let agent: string
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
  const { slug } = await world
    .agent(place, { model: { provider: 'openai', model: 'gpt-5' }, tools })
    .then(async (made) => {
      await world.serve(place, [made])
      return made
    })
  agent = `${(await data<{ slug: string }>(world.owner.get(place.project))).slug}/development/${slug}`
  world.vendor.answer = () => answers.shift() ?? said('Done')
})
afterAll(() => world?.stop())
beforeEach(() => void answers.splice(0))

const calling = (name: string, id: string, finish: 'calls' | 'length' = 'calls') =>
  frames.openaiChat({ calls: [{ id, name, input: ['{"text":', '"a"}'] }], finish })
const sent = (pieces: string[]) => new Response(pieces.join(''), { headers: { 'content-type': 'text/event-stream' } })
// biome-ignore lint/suspicious/noExplicitAny: the states of a part have their own fields
const callsIn = (chat: ReturnType<typeof chatOf>): any[] =>
  last(chat).parts.filter(({ type }) => type.startsWith('tool-'))

test('a call of a step that broke off has failed, and the repeated step makes another', async () => {
  answers.push(sent(calling('echo', 'call_a').slice(0, 2)), sent(calling('echo', 'call_b')))
  const chat = chatOf(world, { agent })
  expect(await say(chat, 'Hello')).toContain('Done')
  expect(callsIn(chat)).toMatchObject([
    { toolCallId: 'call_a', state: 'output-error', errorText: expect.any(String) },
    { toolCallId: 'call_b', state: 'output-available', output: { text: 'a' } },
  ])
})

test('a question of a step that broke off is asked again under the same id, and answered', async () => {
  answers.push(sent(calling('ask', 'call_a').slice(0, 2)), sent(calling('ask', 'call_a')))
  const chat = chatOf(world, { agent })
  await say(chat, 'Hello')
  expect(callsIn(chat).at(-1)).toMatchObject({ toolCallId: 'call_a', state: 'input-available', input: { text: 'a' } })
  await chat.addToolOutput({ tool: 'ask' as never, toolCallId: 'call_a', output: 'Yes' as never })
  await eventually('the answer', () => textOf(last(chat)).includes('Done'))
})

test('a question in an answer that was cut is not asked', async () => {
  answers.push(sent(calling('ask', 'call_a', 'length')))
  const chat = chatOf(world, { agent })
  await say(chat, 'Hello')
  expect(callsIn(chat)).toMatchObject([{ toolCallId: 'call_a', state: 'output-error' }])
  expect([chat.status, chat.messages.length]).toEqual(['ready', 2])
})
