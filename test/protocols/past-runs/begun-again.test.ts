/** Conversations whose run has expired: the next message begins another one, with the messages before it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HttpAgent } from '@ag-ui/client'
import { inState } from '../../support/run-records.ts'
import { chatOf, last, say } from '../ai-sdk-chat.ts'
import { openWorld, type World } from '../world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_AWAIT_TTL_MS: '200' })
})
afterAll(() => world?.stop())

const question = '/call ask {"question":"Which?"}'
const historyOf = (runId: string) => {
  const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', runId)
  return JSON.parse(stored!.body).history
}

test('a chat of the AI SDK', async () => {
  const chat = chatOf(world, { agent: world.address })
  await say(chat, `/say My name is Ada.\n${question}`)
  const { agentRunId } = last(chat).metadata!
  await inState(world.owner, agentRunId, 'expired')
  // a refused message is repeated with every later one
  const picture = { type: 'file' as const, mediaType: 'image/png', url: 'https://example.com/a.png' }
  await chat.sendMessage({ text: 'See', files: [picture] })
  expect(chat.error?.message).toContain('url')
  expect(await say(chat, '/say again')).toContain('again')
  const again = last(chat).metadata!.agentRunId
  expect(again).not.toBe(agentRunId)
  expect(historyOf(again)).toEqual([
    { role: 'user', content: `/say My name is Ada.\n${question}` },
    { role: 'assistant', content: 'My name is Ada.' },
    { role: 'user', content: 'See' },
  ])
})

test('a thread of AG-UI', async () => {
  const agent = new HttpAgent({
    url: `${world.url}/ag-ui/${world.address}`,
    headers: { authorization: `Bearer ${world.key}` },
  })
  const runs: string[] = []
  const send = async (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
    await agent.runAgent({}, { onRunStartedEvent: ({ event }) => void runs.push(Object(event).metadata.agentRunId) })
  }
  await send(`/say My name is Ada.\n${question}`)
  await inState(world.owner, runs[0]!, 'expired')
  await send('/say again')
  expect(runs[1]).not.toBe(runs[0]!)
  expect(historyOf(runs[1]!)[0]).toEqual({ role: 'user', content: `/say My name is Ada.\n${question}` })
})
