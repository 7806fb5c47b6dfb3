/** AG-UI with its own client. Source: contract 12; `docs/protocols.md`. */
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { type AgentSubscriber, HttpAgent, type Message } from '@ag-ui/client'
import { openWorld, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: each event has its own fields
type Event = any

const assistant = 'agt_system_assistant'
// the client logs each error that it throws
const logged = spyOn(console, 'error').mockImplementation(() => {})
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(async () => {
  logged.mockRestore()
  await world?.stop()
})

let threads = 0
interface Options {
  agent?: string
  key?: string
  threadId?: string
  initialMessages?: Message[]
}
const agentWith = ({ agent = assistant, key = world.key, threadId, initialMessages }: Options = {}) => {
  threads += 1
  return new HttpAgent({
    url: `${world.url}/ag-ui/${agent}`,
    headers: { authorization: `Bearer ${key}` },
    threadId: threadId ?? `thread ${threads}`,
    ...(initialMessages && { initialMessages }),
  })
}
/** Runs the agent, and returns the client's events. */
async function run(agent: HttpAgent, parameters: object = {}) {
  const events: Event[] = []
  const subscriber = { onEvent: ({ event }: { event: Event }) => void events.push(event) } as AgentSubscriber
  const error = await agent.runAgent(parameters as never, subscriber).then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  return { events, error, last: events.at(-1) }
}
const say = (agent: HttpAgent, content: string) => {
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content })
  return run(agent)
}
const textOf = (agent: HttpAgent) => (agent.messages.findLast(({ role }) => role === 'assistant') as Event)?.content
const typesOf = (events: Event[]) => events.map(({ type }) => type)

describe('a thread', () => {
  test('is one run with a turn for each message', async () => {
    const agent = agentWith()
    const { events, last } = await say(agent, '/say Hello there')
    expect(typesOf(events)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(last).toMatchObject({ outcome: { type: 'success' }, usage: [{ outputTokens: 2 }] })
    expect(textOf(agent)).toBe('Hello there')
    await say(agent, '/say Again')
    expect(textOf(agent)).toBe('Again')
    const { agentRunId } = events[0].metadata
    const { body } = await world.owner.get(`/api/v1/agent-runs/${agentRunId}`)
    expect(body.data).toMatchObject({ turn: 2, threadKey: `ag-ui:${agent.threadId}` })
  })

  test('shows the calls that the Agent makes itself', async () => {
    const agent = agentWith()
    const { events } = await say(agent, '/say one\n/call calculator {"expression":"2+3"}\n/say two')
    expect(typesOf(events)).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ])
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT')).toMatchObject({ content: '{"result":5}' })
  })

  test('begins with the messages that it already has', async () => {
    const agent = agentWith({
      initialMessages: [
        { id: '1', role: 'user', content: 'My name is Ada.' },
        { id: '2', role: 'assistant', content: 'Hello Ada.' },
      ],
    })
    const { events } = await say(agent, '/say hello')
    const [stored] = world.rows<{ body: string }>(
      'select body from run_inputs where run_id = ?',
      events[0].metadata.agentRunId,
    )
    expect(JSON.parse(stored!.body).history).toHaveLength(2)
  })

  test('continues after a message that was refused, which the client repeats with the next one', async () => {
    const agent = agentWith()
    await say(agent, '/say one')
    const source = { type: 'url', value: 'https://example.com/a.png' }
    agent.addMessage({ id: 'see', role: 'user', content: [{ type: 'image', source }] as never })
    expect((await run(agent)).error?.message).toContain('/body/messages/2/content/0')
    expect((await say(agent, '/say two')).error).toBeUndefined()
    expect(textOf(agent)).toBe('two')
  })

  test('continues after a failure of the model', async () => {
    const agent = agentWith()
    const { last } = await say(agent, '/fail of no use')
    expect(last).toMatchObject({ type: 'RUN_ERROR', message: 'of no use', code: 'provider_error' })
    await say(agent, '/say better')
    expect(textOf(agent)).toBe('better')
  })

  test('is canceled over the API', async () => {
    const agent = agentWith()
    agent.addMessage({ id: '1', role: 'user', content: '/say a\n/sleep 60000' })
    const events: Event[] = []
    const running = agent.runAgent({}, {
      onEvent: async ({ event }: { event: Event }) => {
        events.push(event)
        if (event.type !== 'TEXT_MESSAGE_CONTENT') return
        await world.owner.post(`/api/v1/agent-runs/${events[0].metadata.agentRunId}/cancel`)
      },
    } as AgentSubscriber)
    await running
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
  })
})

describe('a tool of the client', () => {
  test('is left open, and its output continues the run', async () => {
    const agent = agentWith({ agent: world.address })
    const { events, last } = await say(agent, '/say Well\n/call ask {"question":"Which size?"}\n/say Thanks')
    const call = events.find(({ type }) => type === 'TOOL_CALL_START')
    expect(call).toMatchObject({ toolCallName: 'ask' })
    expect(last).toMatchObject({ outcome: { type: 'success', pendingToolCallIds: [call.toolCallId] } })
    agent.addMessage({ id: '9', role: 'tool', toolCallId: call.toolCallId, content: '{"size":42}' })
    await run(agent, { tools: [{ name: 'ask', description: 'Asks.', parameters: {} }] })
    expect(textOf(agent)).toBe('Thanks')
    const steps = (await world.steps(events[0].metadata.agentRunId)).filter(({ kind }) => kind === 'tool')
    expect(steps).toMatchObject([{ output: { size: 42 } }])
  })

  test("must not have the name of one of the Agent's tools", async () => {
    const agent = agentWith({ agent: world.address })
    agent.addMessage({ id: '1', role: 'user', content: 'x' })
    const { error } = await run(agent, { tools: [{ name: 'weather', description: 'x', parameters: {} }] })
    expect(error?.message).toContain('has no interactive tool weather')
  })
})

describe('an approval', () => {
  const ask = async (key?: string) => {
    const agent = agentWith({ agent: world.address, ...(key && { key }) })
    const { last, events } = await say(agent, '/call refund {"order":1}\n/say Done')
    const [interrupt] = last.outcome.interrupts
    expect(interrupt).toMatchObject({ reason: 'approval', toolCallId: 'call_1', message: 'refund {"order":1}' })
    return { agent, interruptId: interrupt.id, runId: events[0].metadata.agentRunId }
  }
  const resume = (interruptId: string, payload: unknown, status = 'resolved') => ({
    resume: [{ interruptId, status, payload }],
  })

  test('interrupts, and continues when it is granted', async () => {
    const { agent, interruptId } = await ask()
    const before = world.shop.asked.length
    const { events } = await run(agent, resume(interruptId, { approved: true }))
    expect(typesOf(events)).toContain('TOOL_CALL_RESULT')
    expect(textOf(agent)).toBe('Done')
    expect(world.shop.asked).toHaveLength(before + 1)
  })

  test.each([
    ['is refused', { approved: false, reason: 'Too much.' }, 'resolved'],
    ['gives an invalid answer', { yes: true }, 'resolved'],
    ['is canceled', undefined, 'cancelled'],
  ])('that %s never runs the operation', async (_, payload, status) => {
    const { agent, interruptId } = await ask()
    const before = world.shop.asked.length
    const { events } = await run(agent, resume(interruptId, payload, status))
    expect(events.find(({ type }) => type === 'TOOL_CALL_RESULT').content).toContain('not approved')
    expect(world.shop.asked).toHaveLength(before)
    expect(textOf(agent)).toBe('Done')
  })

  test("requires the caller's permission to decide", async () => {
    const key = await world.newKey(['agent-runs:create', 'agent-runs:stream', 'agent-runs:continue'])
    const { agent, interruptId } = await ask(key)
    const { error } = await run(agent, resume(interruptId, { approved: true }))
    expect(error?.message).toContain('operation-approvals:approve')
    await world.decide('reject')
  })

  test('of another thread is refused', async () => {
    const { agent, interruptId } = await ask()
    const other = await ask()
    const { error } = await run(other.agent, resume(interruptId, { approved: true }))
    expect(error).toBeDefined()
    await run(agent, resume(interruptId, { approved: false }))
    await run(other.agent, resume(other.interruptId, { approved: false }))
  })
})

test('fifty concurrent threads are each answered', async () => {
  const agents = Array.from({ length: 50 }, () => agentWith())
  await Promise.all(agents.map((agent, index) => say(agent, `/say answer ${index}`)))
  expect(agents.map(textOf)).toEqual(agents.map((_, index) => `answer ${index}`))
})

describe('refused requests', () => {
  const failing = async (options: Options, message: Partial<Message> = {}) => {
    const agent = agentWith(options)
    agent.addMessage({ id: '1', role: 'user', content: 'x', ...message } as Message)
    return (await run(agent)).error?.message ?? ''
  }
  test('have the errors of the API', async () => {
    const elsewhere = await world.place()
    const bound = await world.newKey(['agent-runs:create', 'agent-runs:stream'], { projectId: elsewhere.projectId })
    expect(await failing({ agent: world.address, key: bound })).toContain('not_found')
    expect(await failing({ agent: 'nobody' })).toContain('not_found')
    expect(await failing({ key: 'trp_wrong' })).toContain('invalid_api_key')
    expect(await failing({}, { content: ' ' })).toContain('empty_input')
    expect(await failing({}, { role: 'system' as never })).toContain('/body/messages/0/role')
    const source = { type: 'url', value: 'http://127.0.0.1/x.png' }
    expect(await failing({}, { content: [{ type: 'image', source }] as never })).toContain('data URL')
  })

  test('a message while the run waits', async () => {
    const agent = agentWith({ agent: world.address })
    await say(agent, '/call ask {}\n/say Thanks')
    const { error } = await say(agent, '/say else')
    expect(error?.message).toContain('run_busy')
  })
})
