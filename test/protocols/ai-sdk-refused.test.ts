/** Refusals of the chats of the AI SDK, with its own client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { assistant, type ChatOptions, chatOf, type Message, say } from './ai-sdk-chat.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

describe('a refusal is sent as text', () => {
  const failing = async (options: ChatOptions, text = 'x') => {
    const chat = chatOf(world, options)
    await chat.sendMessage({ text })
    return chat.error?.message ?? ''
  }
  test("an Agent outside the key's scope, an unknown one, and a wrong key", async () => {
    const elsewhere = await world.place()
    const bound = await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId: elsewhere.projectId })
    expect(await failing({ agent: world.address, key: bound })).toContain('not_found')
    expect(await failing({ agent: 'nobody' })).toContain('not_found')
    expect(await failing({ agent: `${world.address}/more` })).toContain('not_found')
    expect(await failing({ key: 'trp_wrong' })).toContain('invalid_api_key')
  })

  test('a message without a text, with the role system, or with an address', async () => {
    expect(await failing({}, ' ')).toContain('empty_input')
    const system = { id: '1', role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] } as Message
    expect(await failing({ messages: [system] })).toContain('/body/messages/0/role')
    const chat = chatOf(world)
    await chat.sendMessage({
      text: 'x',
      files: [{ type: 'file', mediaType: 'image/png', url: 'http://127.0.0.1/x.png' }],
    })
    expect(chat.error?.message).toContain('/body/messages/0/parts')
  })

  test('an answer to no question', async () => {
    const chat = chatOf(world)
    await say(chat, '/say one')
    const response = await fetch(`${world.url}/ai-sdk/chat/${assistant}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: chat.id, messages: chat.messages }),
    })
    expect(response.status).toBe(409)
    expect(response.headers.get('content-type')).toContain('text/plain')
    expect(await response.text()).toContain('The run is completed and waits for no answer')
  })
})
