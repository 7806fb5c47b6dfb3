/** The process of a runner may end at any point; another one continues from the server's records. */
import { expect, test } from 'bun:test'
import { StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import type { Turn } from './support/model.ts'
import { call, createWorld, external, interactive, operation, type World } from './support/world.ts'

const turns: Turn[] = [
  { text: 'First.', calls: [call('r', 'read', { n: 1 }), call('w', 'write', { n: 2 })] },
  {
    text: 'Then.',
    calls: [
      call('x', 'nothing'),
      call('w2', 'write'),
      call('ask', 'ask', { q: 'ok?' }),
      call('d', 'expert', { query: 'Why?' }),
    ],
  },
  { text: 'All done.' },
]

const createRun = () =>
  createWorld({
    turns,
    content: { tools: [operation('read'), operation('write'), interactive('ask')], delegates: [external('expert')] },
    executors: { read: { idempotent: true }, write: { idempotent: false } },
  })

/** The external results, when the run waits for them. */
function answerFromOutside({ server }: World) {
  const last = server.completions.at(-1)
  if (last?.outcome === 'awaitingToolResult') server.continue({ query: null, contents: [] }, { ask: 'ok' })
  else if (last?.outcome === 'awaitingDelegateResult') server.results.set('d', 'because')
}

/** Runs attempts until the run has ended. */
async function finish(world: World): Promise<void> {
  for (let attempts = 0; attempts < 12; attempts++) {
    const end = await world.run()
    if (end === 'completed' || end === 'failed' || end === 'canceled') return
    if (end !== 'lost') answerFromOutside(world)
  }
  throw new Error('The run does not end.')
}

async function reportsOfACalmRun(): Promise<number> {
  const world = createRun()
  await finish(world)
  expect(world.executed).toEqual({ read: ['r'], write: ['w', 'w2'] })
  expect(world.server.completions.map(({ outcome }) => outcome)).toEqual([
    'awaitingToolResult',
    'awaitingDelegateResult',
    'completed',
  ])
  return world.server.calls.length
}

const reports = await reportsOfACalmRun()

/** The run's process ends when report `number` has been accepted, before or after the runner learned of it. */
function crashAt(world: World, number: number, heard: boolean) {
  const { server } = world
  if (heard) {
    server.onReport = (next) => {
      if (next !== number + 1) return
      server.onReport = undefined
      server.endAttempt()
      throw new StaleAttempt('crashed')
    }
  } else {
    server.onTaken = (taken) => {
      if (taken !== number) return
      server.onTaken = undefined
      // After its final report the attempt has ended anyway.
      server.endAttempt()
      throw new StaleAttempt('crashed')
    }
  }
}

const points = Array.from({ length: reports }, (_, index) => index + 1).flatMap((number) => [
  { number, heard: false },
  { number, heard: true },
])

test.each(points)(
  'a crash after report $number (answer received: $heard) loses nothing and repeats nothing',
  async ({ number, heard }) => {
    const world = createRun()
    const { server, executed } = world
    crashAt(world, number, heard)
    await finish(world)

    const { messages } = server
    expectWellFormed(messages)
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(1)
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(3)
    expect(server.completions.at(-1)).toEqual({ outcome: 'completed', stopReason: 'end_turn', output: 'All done.' })

    // Writes were made once, or their outcome is reported as unknown.
    const results = toolResults(messages)
    for (const id of ['w', 'w2']) {
      const times = (executed.write ?? []).filter((toolCallId) => toolCallId === id).length
      if (String(results[id]).startsWith('Outcome unknown')) expect(times).toBeLessThanOrEqual(1)
      else expect(times).toBe(1)
    }
    expect(results.r).toEqual({ did: 'read', input: { n: 1 } })
    expect(results.x).toBe('Unknown tool: nothing.')
    expect(results).toMatchObject({ ask: 'ok', d: 'because' })
    // A tool whose end was stored is never repeated.
    const ended = server.steps.filter(
      ({ name, status }) => (name === 'read' || name === 'write') && status === 'completed',
    )
    const ids = ended.map(({ execution }) => execution?.toolCallId)
    expect(new Set(ids).size).toBe(ids.length)
  },
)

test('an interrupted writing tool is not repeated: its step fails, and the model gets the reason', async () => {
  const world = createWorld({
    turns: [{ calls: [call('w', 'write')] }, { text: 'I see.' }],
    content: { tools: [operation('write')] },
    executors: { write: { idempotent: false } },
  })
  const { server } = world
  server.onReport = (_, { name, detail }) => {
    if (name === 'endStep' && 'output' in (detail as object) && (detail as { output: { did?: string } }).output.did) {
      server.endAttempt()
      throw new StaleAttempt('crashed')
    }
  }
  expect(await world.run()).toBe('lost')
  server.onReport = undefined
  expect(await world.run()).toBe('completed')
  expect(world.executed).toEqual({ write: ['w'] })
  expect(server.stepsOf('tool').at(-1)).toMatchObject({
    attempt: 2,
    status: 'failed',
    update: { error: { code: 'tool_error' } },
  })
  expect(toolResults(server.messages).w).toMatch(/^Outcome unknown: interrupted/)
})

/** A run that continues after a chain with an interrupted write. */
function createContinued(turns: Turn[]): World {
  const world = createWorld({
    turns,
    content: { tools: [operation('write'), operation('read')] },
    executors: { write: { idempotent: false }, read: {} },
  })
  const { server } = world
  const calls = [call('w', 'write'), call('r', 'read')]
  server.checkpoints.push({
    kind: 'step',
    agentStepId: 1,
    attempt: 1,
    runtimeCheckpoint: {
      version: 1,
      chain: 1,
      stepCount: 1,
      pendingToolCalls: calls,
      messages: [
        { role: 'user', content: 'Do' },
        { role: 'assistant', content: calls.map((made) => ({ type: 'tool-call' as const, ...made })) },
      ],
    },
  })
  server.steps.push({
    kind: 'tool',
    name: 'write',
    input: {},
    execution: { toolCallId: 'w' },
    agentStepId: 1,
    attempt: 1,
    status: 'failed',
  })
  server.continue({ query: 'And now?', contents: [] })
  return world
}

test.each([{ canceled: false }, { canceled: true }])(
  'a new chain is told that an interrupted write is unknown, and keeps its input (canceled: $canceled)',
  async ({ canceled }) => {
    const world = createContinued([{ text: 'Fine.' }])
    const { server } = world
    if (canceled) {
      server.onTaken = (_, { name }) => {
        if (name === 'startStep') server.tell('cancel')
      }
    }
    expect(await world.run()).toBe(canceled ? 'canceled' : 'completed')
    expect(world.executed).toEqual({})
    expect(toolResults(server.messages)).toMatchObject({
      w: expect.stringMatching(/^Outcome unknown/),
      r: canceled ? { canceled: expect.any(String) } : { superseded: expect.any(String) },
    })
    const answer: 'assistant'[] = canceled ? [] : ['assistant']
    expect(server.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', ...answer])
  },
)

test('its input is not lost with the attempt that closed the interrupted write', async () => {
  const world = createContinued([{ text: 'Fine.' }])
  const { server } = world
  server.onReport = (_, { name, detail }) => {
    if (name !== 'startStep' || (detail as { kind: string }).kind !== 'model') return
    server.endAttempt()
    throw new StaleAttempt('crashed')
  }
  expect(await world.run()).toBe('lost')
  server.onReport = undefined
  expect(await world.run()).toBe('completed')
  expect(world.executed).toEqual({})
  expect(server.stepsOf('tool')).toHaveLength(2)
  expect(server.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user', 'assistant'])
  expect(toolResults(server.messages).w).toMatch(/^Outcome unknown/)
})

test('a stored failure of a tool is reported, not retried', async () => {
  const world = createWorld({
    turns: [{ calls: [call('c', 'calculator', { expression: '1/0' })] }, { text: 'I see.' }],
    content: { tools: [{ kind: 'builtin', name: 'calculator' }] },
  })
  const { server } = world
  server.onReport = (_, { name, detail }) => {
    if (
      name !== 'checkpoint' ||
      (detail as { runtimeCheckpoint: { messages: unknown[] } }).runtimeCheckpoint.messages.length !== 3
    )
      return
    server.onReport = undefined
    server.endAttempt()
    throw new StaleAttempt('crashed')
  }
  await world.run()
  await world.run()
  expect(toolResults(server.messages)).toEqual({ c: 'Division by zero.' })
  expect(server.stepsOf('tool')).toHaveLength(1)
})

test.each([
  ['stop', 'end_turn'],
  ['length', 'max_output_tokens'],
  ['content-filter', 'content_filter'],
] as const)(
  'an answer that finished with %s and has a checkpoint is not requested again, and keeps its stop reason',
  async (finishReason, stopReason) => {
    const world = createWorld({ turns: [{ text: 'Final', finishReason }] })
    const { server, model } = world
    server.onReport = (_, { name }) => {
      if (name !== 'complete') return
      server.onReport = undefined
      server.endAttempt()
      throw new StaleAttempt('crashed')
    }
    expect(await world.run()).toBe('lost')
    expect(await world.run()).toBe('completed')
    expect(model.requests).toHaveLength(1)
    expect(server.completions).toEqual([{ outcome: 'completed', stopReason, output: 'Final' }])
  },
)

test('the model gets the position in the chain', async () => {
  const world = createWorld({ turns: [{ text: 'Hi' }] })
  world.server.onReport = (number) => {
    if (number !== 3) return
    world.server.onReport = undefined
    world.server.endAttempt()
    throw new StaleAttempt('crashed')
  }
  await world.run()
  await world.run()
  expect(world.model.requests.map(({ attempt }) => attempt)).toEqual([1, 2])
})
