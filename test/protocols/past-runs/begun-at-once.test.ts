/** Two tabs begin a conversation that they repeat: the later message is the next turn, or has to wait. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Reply } from '../../support/client.ts'
import { bothAtOnce } from '../../support/world/replies.ts'
import { openWorld, type World } from '../world.ts'

const assistant = 'agt_system_assistant'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const texts = (last: string) => [
  { role: 'user', content: 'My name is Ada.' },
  { role: 'assistant', content: 'Hello Ada.' },
  { role: 'user', content: `/say ${last}` },
]
const protocols: Record<string, (conversation: string, last: string) => [string, object]> = {
  'AI SDK': (id, last) => [
    `/ai-sdk/chat/${assistant}`,
    { id, messages: texts(last).map(({ role, content }) => ({ role, parts: [{ type: 'text', text: content }] })) },
  ],
  'AG-UI': (threadId, last) => [`/ag-ui/${assistant}`, { threadId, runId: last, messages: texts(last) }],
}

async function send([path, body]: [string, object]): Promise<Reply> {
  const answer = await fetch(world.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const runId = answer.headers.get('x-troupe-run')
  return { status: answer.status, headers: answer.headers, body: { runId, said: await answer.text() }, requestId: '' }
}

test.each(Object.keys(protocols))('%s', async (protocol) => {
  const asked = protocols[protocol]!
  for (let round = 0; round < 12; round += 1) {
    const conversation = `conversation ${round}`
    const replies = await bothAtOnce(
      round,
      () => send(asked(conversation, 'one')),
      () => send(asked(conversation, 'two')),
    )
    const begun = replies.filter(({ status }) => status === 200)
    expect([round, begun.length > 0, new Set(begun.map(({ body }) => body.runId)).size]).toEqual([round, true, 1])
    for (const { status, body } of replies) {
      if (status !== 200) expect([status, body.said]).toEqual([409, expect.stringContaining('run_busy')])
    }
  }
})
