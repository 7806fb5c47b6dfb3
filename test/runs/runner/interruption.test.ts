import { expect, test } from 'bun:test'
import { runAttempt } from '../../../src/runs/runner/attempt.ts'
import { StaleAttempt } from '../../../src/runs/runner/protocol/protocol.ts'
import { settle } from './support/clock.ts'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import { call, createWorld, external, interactive, operation, type World } from './support/world.ts'

const never = new Promise<void>(() => {})
const endOf = { cancel: 'canceled', drain: 'drained' } as const

function tell({ server, handBack }: World, signal: 'cancel' | 'drain') {
  if (signal === 'cancel') server.tell('cancel')
  else handBack.abort()
}

test('cancel aborts the model call, keeps its output so far, and reports canceled', async () => {
  const world = createWorld({ turns: [{ text: 'I was about to', until: never }] })
  const ended = world.run()
  await settle()
  world.server.tell('cancel')
  expect(await ended).toBe('canceled')

  const { server, model } = world
  expect(model.requests[0]!.signal.aborted).toBe(true)
  expect(server.steps[0]).toMatchObject({
    status: 'canceled',
    update: {
      output: { text: 'I was about to', toolCalls: [] },
      // the vendor reported no usage: it is the number of words
      tokenUsage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    },
  })
  expect(server.messages).toEqual([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'I was about to' },
  ])
  expect(server.checkpoints.at(-1)?.kind).toBe('step')
  expect(server.deltas.map(({ data }) => data.text).join('')).toBe('I was about to')
  expect(server.completions).toEqual([{ outcome: 'canceled' }])
})

test('a model call that ignores its signal is not waited for', async () => {
  const world = createWorld({ turns: [{ text: 'Deaf', deaf: true }] })
  const ended = world.run()
  await settle()
  world.server.tell('cancel')
  expect(await ended).toBe('canceled')
  expect(world.server.messages.at(-1)).toEqual({ role: 'assistant', content: 'Deaf' })
})

test('an endless answer does not block others, and can be canceled', async () => {
  const world = createWorld({ turns: [{ text: 'unused' }] })
  world.server.streamStep = async function* () {
    for (;;) yield { type: 'text', text: 'and so on ' }
  }
  const ended = world.run()
  await settle()
  world.server.tell('cancel')
  expect(await ended).toBe('canceled')
  const said = world.server.messages.at(-1)!.content
  expect(world.server.deltas.map(({ data }) => data.text).join('')).toBe(said as string)
})

test('cancel also comes with the next heartbeat', async () => {
  const world = createWorld({ turns: [{ text: 'Wait', until: never }] })
  const ended = world.run()
  await settle()
  world.server.signal = 'cancel'
  await world.clock.advance(11_000)
  expect(await ended).toBe('canceled')
})

test('cancel lets a writing tool finish, and no other begin', async () => {
  const write = Promise.withResolvers<string>()
  let signalled = false
  const world = createWorld({
    turns: [{ text: 'Both.', calls: [call('a', 'write'), call('b', 'write')] }],
    content: { tools: [operation('write')] },
    executors: {
      write: {
        idempotent: false,
        execute: (_, { signal }) => {
          signal.addEventListener('abort', () => {
            signalled = true
          })
          return write.promise
        },
      },
    },
  })
  const ended = world.run()
  await settle()
  world.server.tell('cancel')
  await settle()
  expect(world.server.completions).toEqual([])
  write.resolve('written')
  expect(await ended).toBe('canceled')

  expect(signalled).toBe(false)
  expect(world.executed).toEqual({ write: ['a'] })
  expect(world.server.stepsOf('tool')).toMatchObject([{ status: 'completed', update: { output: 'written' } }])
  expect(toolResults(world.server.messages)).toMatchObject({ a: 'written', b: { canceled: expect.any(String) } })
  expectWellFormed(world.server.messages)
})

test.each(['cancel', 'drain'] as const)('%s aborts a tool that only reads', async (signal) => {
  const world = createWorld({
    turns: [{ calls: [call('a', 'read')] }],
    content: { tools: [operation('read')] },
    executors: { read: { idempotent: true, execute: () => never } },
  })
  const ended = world.run()
  await settle()
  tell(world, signal)
  expect(await ended).toBe(endOf[signal])
  expect(world.server.stepsOf('tool')).toMatchObject([{ status: 'canceled' }])
  expectWellFormed(world.server.messages, signal === 'drain' ? ['a'] : [])
})

test('drain aborts the model call, keeps the last checkpoint and hands the attempt back', async () => {
  const world = createWorld({
    turns: [{ calls: [call('a', 'read')] }, { text: 'Half', until: never }, { text: 'unreachable' }],
    content: { tools: [operation('read')] },
    executors: { read: {} },
  })
  const ended = world.run()
  await settle()
  world.handBack.abort()
  expect(await ended).toBe('drained')
  const { server } = world
  expect(server.completions).toEqual([
    { outcome: 'failed', error: { code: 'machine_unavailable', retryable: true, message: 'The runner was drained.' } },
  ])
  expect(server.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
})

test('an attempt that begins while the runner drains is handed back at once', async () => {
  const world = createWorld({ turns: [{ text: 'Hi' }] })
  world.handBack.abort()
  expect(await world.run()).toBe('drained')
  expect(world.server.names).toEqual(['boot', 'complete'])
})

test('drain lets a writing tool finish, and stores its result', async () => {
  const write = Promise.withResolvers<string>()
  const world = createWorld({
    turns: [{ calls: [call('a', 'write')] }, { text: 'Done.' }],
    content: { tools: [operation('write')] },
    executors: { write: { idempotent: false, execute: () => write.promise } },
  })
  const ended = world.run()
  await settle()
  world.handBack.abort()
  write.resolve('written')
  expect(await ended).toBe('drained')
  expect(toolResults(world.server.messages)).toEqual({ a: 'written' })
})

/** A run with a step of every kind; its answers have no pauses, so that signals come exactly at a report. */
const createRun = () =>
  createWorld({
    turns: [
      { text: 'First.', calls: [call('r', 'read'), call('w', 'write')] },
      { text: 'Then.', calls: [call('x', 'nothing'), call('ask', 'ask'), call('d', 'expert', { query: 'Why?' })] },
    ],
    content: { tools: [operation('read'), operation('write'), interactive('ask')], delegates: [external('expert')] },
    executors: { read: {}, write: { idempotent: false, execute: async () => 'written' } },
  })

async function reportsOfACalmRun() {
  const world = createRun()
  expect(await world.run()).toBe('awaitingToolResult')
  return world.server.calls.length
}
const numbers = Array.from({ length: await reportsOfACalmRun() }, (_, index) => index + 1)

test.each(numbers)('cancel at report %d leaves a complete conversation', async (number) => {
  const world = createRun()
  const { server } = world
  server.onTaken = (taken) => {
    if (taken === number) server.tell('cancel')
  }
  const end = await world.run()
  // The report in progress may have been the last one.
  expect(['canceled', 'awaitingToolResult']).toContain(end)
  expect(server.completions).toHaveLength(1)
  if (end === 'canceled') expectWellFormed(server.messages)
  expect(server.messages[0]).toEqual({ role: 'user', content: 'Hello' })
  expect(server.steps.filter(({ status }) => status === 'running')).toEqual([])
})

test.each(numbers)('drain at report %d continues elsewhere without repeating a write', async (number) => {
  const world = createRun()
  const { server } = world
  server.onTaken = (taken) => {
    if (taken === number) world.handBack.abort()
  }
  const end = await world.run()
  expect(['drained', 'awaitingToolResult']).toContain(end)
  if (end === 'drained') {
    server.onTaken = undefined
    const elsewhere = new AbortController()
    expect(await runAttempt(server.lease(), world.services, elsewhere.signal)).toBe('awaitingToolResult')
  }
  expect(world.executed.write).toEqual(['w'])
  expect(toolResults(server.messages)).toMatchObject({ w: 'written' })
  expectWellFormed(server.messages, ['ask', 'd'])
})

test.each(numbers)('a stale answer to report %d ends the attempt without another report', async (number) => {
  const world = createRun()
  const { server } = world
  server.onReport = (next) => {
    if (next !== number) return
    server.endAttempt()
    throw new StaleAttempt('replaced')
  }
  expect(await world.run()).toBe('lost')
  expect(server.calls).toHaveLength(number - 1)
  expect(server.completions).toEqual([])
})

test('a stale answer to streamed text aborts the current model call', async () => {
  const world = createWorld({ turns: [{ text: 'On and on', until: never }] })
  world.server.onReport = (_, { name }) => {
    if (name === 'deltas') throw new StaleAttempt('replaced')
  }
  const ended = world.run()
  await world.clock.advance(25)
  expect(await ended).toBe('lost')
  expect(world.model.requests[0]!.signal.aborted).toBe(true)
})
