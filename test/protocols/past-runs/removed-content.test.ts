/** What clients get of a run whose content was removed after its retention. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { HttpAgent } from '@ag-ui/client'
import OpenAI from 'openai'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { inState } from '../../support/run-records.ts'
import { assistant, chatOf, last, say } from '../ai-sdk-chat.ts'
import { failure } from '../openai/openai-failure.ts'
import { openWorld, type World } from '../world.ts'

const minute = 60_000
const clock = new HandClock()
let world: World
beforeAll(async () => {
  world = await openWorld({ TROUPE_CONTENT_RETENTION_DAYS: '0.5' }, clock)
})
afterAll(() => world?.stop())

async function aged(runId: string): Promise<void> {
  await inState(world.owner, runId, 'completed')
  await eventually('a removal', async () => {
    clock.advance(12 * 60 * minute)
    const { contentRetention } = (await world.owner.get(`/api/v1/agent-runs/${runId}`)).body.data
    return contentRetention.removedAt
  })
}

test('a response is not found, however it is asked for', async () => {
  const openai = new OpenAI({ apiKey: world.key, baseURL: `${world.url}/openai/v1`, maxRetries: 0 })
  const { responses } = openai
  const { id } = await responses.create({ model: assistant, input: '/say One.', background: true })
  await aged(`run_${id.slice('resp_'.length).split('_')[0]}`)
  const reads: (() => Promise<unknown>)[] = [
    () => responses.retrieve(id),
    () => responses.retrieve(id, { stream: true }),
    () => responses.cancel(id),
  ]
  for (const read of reads) {
    expect(await failure(read())).toMatchObject({ status: 404, code: 'not_found' })
  }
  const next = responses.create({ model: assistant, input: '/say Two.', previous_response_id: id })
  expect(await failure(next)).toMatchObject({ status: 409, code: 'invalid_transition' })
})

test('a chat of the AI SDK has nothing to resume', async () => {
  const chat = chatOf(world)
  await say(chat, '/say One.')
  const { id, messages } = chat
  await aged(last(chat).metadata!.agentRunId)
  const resumed = await fetch(`${world.url}/ai-sdk/chat/${assistant}/${encodeURIComponent(id)}/stream?after=none`, {
    headers: { authorization: `Bearer ${world.key}` },
  })
  expect([resumed.status, await resumed.text()]).toEqual([204, ''])
  await chat.resumeStream()
  expect([chat.error, chat.messages]).toEqual([undefined, messages])
})

const historyOf = (runId: string) => {
  const [stored] = world.rows<{ body: string }>('select body from run_inputs where run_id = ?', runId)
  return JSON.parse(stored!.body).history
}
const earlier = [
  { role: 'user', content: '/say One.' },
  { role: 'assistant', content: 'One.' },
]

test('the next message of a chat of the AI SDK begins another run, with the messages before it', async () => {
  const chat = chatOf(world)
  await say(chat, '/say One.')
  const { agentRunId } = last(chat).metadata!
  await aged(agentRunId)
  expect(await say(chat, '/say Two.')).toContain('Two.')
  expect(chat.error).toBeUndefined()
  const again = last(chat).metadata!.agentRunId
  expect([again === agentRunId, historyOf(again)]).toEqual([false, earlier])
})

test('the next message of a thread of AG-UI does so too', async () => {
  const agent = new HttpAgent({
    url: `${world.url}/ag-ui/${assistant}`,
    headers: { authorization: `Bearer ${world.key}` },
  })
  const runs: string[] = []
  const send = async (content: string) => {
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
    await agent.runAgent({}, { onRunStartedEvent: ({ event }) => void runs.push(Object(event).metadata.agentRunId) })
  }
  await send('/say One.')
  await aged(runs[0]!)
  await send('/say Two.')
  expect([runs[1] === runs[0], historyOf(runs[1]!)]).toEqual([false, earlier])
})
