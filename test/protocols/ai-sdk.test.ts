/** Chats with the AI SDK's own client, which `useChat` wraps. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventually } from '../support/process.ts'
import { type AnyChat, assistant, type ChatOptions, chatOf, last, type Message, say, textOf } from './ai-sdk-chat.ts'
import { openWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.stop())

const chatWith = (options?: ChatOptions) => chatOf(world, options)
const toolIn = (chat: AnyChat, name: string) =>
  // biome-ignore lint/suspicious/noExplicitAny: the states of a part have their own fields
  last(chat).parts.find(({ type }) => type === `tool-${name}`) as any
const idle = (chat: AnyChat) => eventually('the end of a message', () => chat.status === 'ready')

describe('a chat', () => {
  test('is one run with a turn for each message', async () => {
    const chat = chatWith()
    expect(await say(chat, '/say Hello there')).toContain('Hello there')
    const { id, metadata } = last(chat)
    expect(metadata?.usage).toMatchObject({ outputTokens: 2 })
    expect(await say(chat, '/say Again')).toContain('Again')
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(last(chat).metadata?.agentRunId).toBe(metadata!.agentRunId)
    expect(last(chat).id).not.toBe(id)
    const { body } = await world.owner.get(`/api/v1/agent-runs/${metadata!.agentRunId}`)
    expect(body.data).toMatchObject({ turn: 2, threadKey: `ai-sdk:${chat.id}`, state: 'completed' })
  })

  test('shows what the Agent calculates itself', async () => {
    const chat = chatWith()
    await say(chat, '/say one\n/call calculator {"expression":"2+3"}\n/say two')
    expect(last(chat).parts.map(({ type }) => type)).toEqual([
      'step-start',
      'text',
      'tool-calculator',
      'step-start',
      'text',
    ])
    expect(toolIn(chat, 'calculator')).toMatchObject({
      state: 'output-available',
      input: { expression: '2+3' },
      output: { result: 5 },
      providerExecuted: true,
    })
  })

  test('begins with the messages that it already has', async () => {
    const messages: Message[] = [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'My name is Ada.' }] },
      { id: '2', role: 'assistant', parts: [{ type: 'text', text: 'Hello Ada.' }] },
    ]
    const chat = chatWith({ messages })
    await say(chat, '/say hello')
    const [stored] = world.rows<{ body: string }>(
      'select body from run_inputs where run_id = ?',
      last(chat).metadata!.agentRunId,
    )
    expect(JSON.parse(stored!.body).history).toEqual([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant', content: 'Hello Ada.' },
    ])
  })

  test('accepts files', async () => {
    const chat = chatWith()
    const url = `data:text/plain;base64,${Buffer.from('Some text').toString('base64')}`
    await chat.sendMessage({
      text: '/say read',
      files: [{ type: 'file', mediaType: 'text/plain', url, filename: 'a.txt' }],
    })
    expect(chat.error).toBeUndefined()
    expect(textOf(last(chat))).toContain('read')
  })

  test('continues after a message that was refused, which the client repeats with the next one', async () => {
    const chat = chatWith()
    await say(chat, '/say one')
    const picture = { type: 'file' as const, mediaType: 'image/png', url: 'https://example.com/a.png' }
    await chat.sendMessage({ text: 'See', files: [picture] })
    expect(chat.error?.message).toContain('/body/messages/2/parts/0/url')
    expect(await say(chat, '/say two')).toContain('two')
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'user', 'assistant'])
  })

  test('continues after a failure of the model', async () => {
    const chat = chatWith()
    await say(chat, '/fail of no use')
    expect(chat.error?.message).toBe('of no use')
    expect(chat.status).toBe('error')
    chat.clearError()
    expect(await say(chat, '/say better')).toContain('better')
  })
})

describe('a tool of the client', () => {
  test('is answered, and the same message continues', async () => {
    const chat = chatWith({ agent: world.address })
    await say(chat, '/say Well\n/call ask {"question":"Which size?"}\n/say Thanks')
    const { id } = last(chat)
    const { toolCallId, ...asked } = toolIn(chat, 'ask')
    expect(asked).toMatchObject({ state: 'input-available', input: { question: 'Which size?' } })
    await chat.addToolOutput({ tool: 'ask' as never, toolCallId, output: { size: 42 } as never })
    await eventually('the answer', () => chat.status === 'ready' && textOf(last(chat)).includes('Thanks'))
    expect(chat.messages).toHaveLength(2)
    expect(last(chat).id).toBe(id)
    expect(toolIn(chat, 'ask')).toMatchObject({ state: 'output-available', output: { size: 42 } })
    const steps = (await world.steps(last(chat).metadata!.agentRunId)).filter(({ kind }) => kind === 'tool')
    expect(steps).toMatchObject([{ output: { size: 42 } }])
    expect(await say(chat, '/say next')).toContain('next')
  })

  test('blocks the next message', async () => {
    const chat = chatWith({ agent: world.address })
    await say(chat, '/call ask {}\n/say Thanks')
    await chat.sendMessage({ text: '/say something else' })
    expect(chat.error?.message).toContain('run_busy')
  })
})

describe('an approval', () => {
  const ask = async (key?: string) => {
    const chat = chatWith({ agent: world.address, ...(key && { key }) })
    await say(chat, '/call refund {"order":1}\n/say Done')
    const part = toolIn(chat, 'refund')
    expect(part).toMatchObject({ state: 'approval-requested', input: { order: 1 } })
    return { chat, approvalId: part.approval.id as string }
  }
  const decide = async ({ chat, approvalId }: Awaited<ReturnType<typeof ask>>, approved: boolean) => {
    await chat.addToolApprovalResponse({ id: approvalId, approved, ...(approved ? {} : { reason: 'Too much.' }) })
    await idle(chat)
    await eventually('the answer', () => chat.status === 'error' || textOf(last(chat)).includes('Done'))
  }

  test('that is granted lets the operation run, in the same message', async () => {
    const asked = await ask()
    const { id } = last(asked.chat)
    await decide(asked, true)
    expect(toolIn(asked.chat, 'refund')).toMatchObject({ state: 'output-available' })
    expect(last(asked.chat).id).toBe(id)
    expect(world.shop.asked.length).toBeGreaterThan(0)
  })

  test('that is rejected tells the model the reason', async () => {
    const before = world.shop.asked.length
    const asked = await ask()
    await decide(asked, false)
    expect(toolIn(asked.chat, 'refund')).toMatchObject({ state: 'output-denied' })
    expect(world.shop.asked).toHaveLength(before)
  })

  test("requires the caller's permission to decide", async () => {
    const key = await world.newKey(['agent-runs:create', 'agent-runs:stream', 'agent-runs:continue'])
    const { chat, approvalId } = await ask(key)
    await chat.addToolApprovalResponse({ id: approvalId, approved: true })
    await eventually('the refusal', () => chat.status === 'error')
    expect(chat.error?.message).toContain('operation-approvals:approve')
    await world.decide('reject')
  })
})

describe('an interrupted chat', () => {
  test('resumes with the whole message, under the same id', async () => {
    const chat = chatWith()
    const sending = chat.sendMessage({ text: '/say one\n/sleep 500\n/say two' })
    await eventually('the first word', () => chat.messages.length === 2 && textOf(last(chat)).includes('one'))
    await chat.stop()
    await sending
    const { id } = last(chat)
    // the page is reloaded, with its stored messages
    const again = chatWith({ id: chat.id, messages: chat.messages.slice(0, 1) })
    await again.resumeStream()
    expect(again.messages).toHaveLength(2)
    expect(textOf(last(again))).toContain('one two')
    expect(last(again).id).toBe(id)
  })

  test('shows what it waits for', async () => {
    const chat = chatWith({ agent: world.address })
    await say(chat, '/say Well\n/call ask {}\n/say Thanks')
    const again = chatWith({ id: chat.id, agent: world.address, messages: chat.messages.slice(0, 1) })
    await again.resumeStream()
    expect(toolIn(again, 'ask')).toMatchObject({ state: 'input-available' })
    await again.addToolOutput({ tool: 'ask' as never, toolCallId: toolIn(again, 'ask').toolCallId, output: 1 as never })
    await eventually('the answer', () => textOf(last(again)).includes('Thanks'))
  })

  test.each([
    ['a tool', 'ask', { state: 'output-available', output: 'Yes' }],
    ['an approval', 'refund', { state: 'output-available' }],
  ])('resumes after %s that was answered elsewhere, and after the end of the turn', async (_, tool, part) => {
    const chat = chatWith({ agent: world.address })
    await say(chat, `/say Well\n/call ${tool} {}\n/say Thanks\n/sleep 60000`)
    const run = `/api/v1/agent-runs/${last(chat).metadata!.agentRunId}`
    if (tool === 'ask') await world.owner.post(`${run}/continue`, { query: 'Yes' })
    else await world.decide('approve')
    await eventually('the run to go on', async () => (await world.owner.get(run)).body.data.state === 'running')
    const pageOf = () => chatWith({ id: chat.id, agent: world.address, messages: chat.messages.slice(0, 1) })
    const again = pageOf()
    const resuming = again.resumeStream()
    const isShown = () => again.messages.length === 2 && textOf(last(again)).includes('Thanks')
    await eventually('the words after the answer', isShown)
    expect(toolIn(again, tool)).toMatchObject(part)
    expect((await world.owner.post(`${run}/cancel`)).status).toBe(200)
    await resuming
    const later = pageOf()
    await later.resumeStream()
    expect([textOf(last(later)), last(later).id]).toEqual([textOf(last(again)), last(chat).id])
    expect(toolIn(later, tool)).toMatchObject(part)
  })

  test.each([
    ['slashes', 'shop/production/desk/stream'],
    ['a percent sign', '100%2F'],
    ['121 characters', '😀'.repeat(121)],
  ])('resumes under an id with %s', async (_, id) => {
    for (const agent of [assistant, world.address]) {
      const chat = chatWith({ id, agent })
      const text = agent === assistant ? '/say Well\n/sleep 60000' : '/say Well\n/call ask {}'
      const sending = chat.sendMessage({ text })
      await eventually('the first word', () => chat.messages.length === 2 && textOf(last(chat)).includes('Well'))
      const again = chatWith({ id, agent, messages: chat.messages.slice(0, 1) })
      const resuming = again.resumeStream()
      await eventually('the same word', () => again.messages.length === 2 && textOf(last(again)).includes('Well'))
      const run = `/api/v1/agent-runs/${last(chat).metadata!.agentRunId}`
      expect((await world.owner.get(run)).body.data.threadKey).toBe(`ai-sdk:${id}`)
      await world.owner.post(`${run}/cancel`)
      await Promise.all([sending, resuming])
    }
  })

  test('has nothing to resume after its end, or before it began', async () => {
    const chat = chatWith()
    await say(chat, '/say one')
    for (const id of [chat.id, 'never begun']) {
      const again = chatWith({ id, messages: chat.messages })
      await again.resumeStream()
      expect(again.messages).toEqual(chat.messages)
    }
    const { status } = await fetch(`${world.url}/ai-sdk/chat/${assistant}/${encodeURIComponent(chat.id)}/stream`, {
      headers: { authorization: `Bearer ${world.key}` },
    })
    expect(status).toBe(204)
  })

  test('resumes with an answer that has ended meanwhile', async () => {
    const chat = chatWith()
    await say(chat, '/say one')
    await say(chat, '/say two')
    const again = chatWith({ id: chat.id, messages: chat.messages.slice(0, 3) })
    await again.resumeStream()
    expect(again.messages).toEqual(chat.messages)
  })
})

test('fifty concurrent chats are each answered', async () => {
  const all = Array.from({ length: 50 }, () => chatWith())
  const texts = await Promise.all(all.map((chat, index) => say(chat, `/say answer ${index}`)))
  for (const [index, text] of texts.entries()) expect(text.split('|')).toContain(`answer ${index}`)
})
