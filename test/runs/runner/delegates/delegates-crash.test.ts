/** A run with delegates may lose its runner at any point of the tree; another one continues from there. */
import { expect, test } from 'bun:test'
import { runAttempt } from '../../../../src/runs/runner/attempt.ts'
import { type RuntimeCheckpoint, StaleAttempt } from '../../../../src/runs/runner/protocol/protocol.ts'
import { expectWellFormed, toolResults } from '../support/conversations.ts'
import type { Turn } from '../support/model.ts'
import {
  agent,
  call,
  createWorld,
  external,
  interactive,
  internal,
  operation,
  operationTool,
  type World,
} from '../support/world.ts'

const operations = { read: operationTool(true), write: operationTool(false) }
const tools = [operation('read'), operation('write')]
const scribe = agent('scribe', { tools, delegates: [external('expert')] }, { operations })
const researcher = agent(
  'researcher',
  { tools: [...tools, interactive('ask')], delegates: [internal(scribe)] },
  { operations, delegates: { scribe } },
)

/** The inputs identify the calls, since a delegate's calls have other ids than the model's. */
const turns: Turn[] = [
  { text: 'First.', calls: [call('a', 'write', { at: 'root' }), call('b', 'researcher', { query: 'One' })] },
  { text: 'Then.', calls: [call('c', 'researcher', { query: 'Two' }), call('d', 'read', { at: 'root' })] },
  { text: 'All done.' },
]
const turnsOf: Record<string, Turn[]> = {
  researcher: [
    { calls: [call('a', 'write', { at: 'researcher' }), call('b', 'scribe', { query: 'Note' }), call('c', 'ask')] },
    { text: 'Hm.', calls: [call('a', 'read', { at: 'researcher' })] },
    { text: 'Researched.' },
  ],
  scribe: [
    { calls: [call('a', 'write', { at: 'scribe' }), call('x', 'expert', { query: 'Why?' })] },
    { text: 'Noted.' },
  ],
}

function createRun(): World {
  const world = createWorld({
    turns,
    turnsOf,
    content: { tools, delegates: [internal(researcher)] },
    means: { operations, delegates: { researcher } },
  })
  world.server.onOperation = ({ toolName, input }) => ({ result: `${toolName} ${(input as { at: string }).at}` })
  return world
}

/** The external results, when the run waits for them. */
function answerFromOutside({ server }: World) {
  const last = server.completions.at(-1)
  if (!last || !('awaiting' in last)) return
  const results = Object.fromEntries(last.awaiting.map(({ toolCallId, toolName }) => [toolCallId, `${toolName}: ok`]))
  if (last.outcome === 'awaitingToolResult') server.continue({ query: null, contents: [] }, results)
  else for (const [toolCallId, result] of Object.entries(results)) server.results.set(toolCallId, result)
}

async function finish(world: World): Promise<void> {
  for (let attempts = 0; attempts < 20; attempts++) {
    const end = await world.run()
    if (end === 'completed' || end === 'failed' || end === 'canceled') return
    if (end !== 'lost') answerFromOutside(world)
  }
  throw new Error('The run does not end.')
}

/** Every stored conversation can be sent to a vendor, except for its open calls. */
function expectWholeConversations(checkpoint: RuntimeCheckpoint) {
  for (const { messages, pendingToolCalls } of [checkpoint, ...Object.values(checkpoint.delegates ?? {})]) {
    expectWellFormed(
      messages,
      pendingToolCalls.map(({ toolCallId }) => toolCallId),
    )
  }
}

const expected = { a: 'write root', b: 'Researched.', c: 'Researched.', d: 'read root' }
const atOf = ({ input }: { input: unknown }) => (input as { at?: string }).at

async function reportsOfACalmRun(): Promise<number> {
  const world = createRun()
  await finish(world)
  const { server } = world
  expect(toolResults(server.messages)).toEqual(expected)
  expect(server.completions.map(({ outcome }) => outcome)).toEqual([
    'awaitingToolResult',
    'awaitingDelegateResult',
    'awaitingToolResult',
    'awaitingDelegateResult',
    'completed',
  ])
  // Twice below, since the researcher is called twice.
  expect(server.operationCalls.map((one) => `${one.toolName} ${atOf(one)}`).sort()).toEqual([
    'read researcher',
    'read researcher',
    'read root',
    'write researcher',
    'write researcher',
    'write root',
    'write scribe',
    'write scribe',
  ])
  return server.calls.length
}

const reports = await reportsOfACalmRun()
const numbers = Array.from({ length: reports }, (_, index) => index + 1)

/** The run's process ends when report `number` has been accepted, before or after the runner learned of it. */
function crashAt({ server }: World, number: number, heard: boolean) {
  const crash = () => {
    server.onReport = undefined
    server.onTaken = undefined
    server.endAttempt()
    throw new StaleAttempt('crashed')
  }
  if (heard) server.onReport = (next) => void (next === number + 1 && crash())
  else server.onTaken = (taken) => void (taken === number && crash())
}

/** Nothing finished is repeated; writes are made at most once, and reported as unknown if their outcome is. */
function expectNothingRepeated({ server }: World) {
  const writes = server.operationCalls.filter(({ toolName }) => toolName === 'write')
  expect(new Set(writes.map(({ toolCallId }) => toolCallId)).size).toBe(writes.length)
  const isFinished = ({ name, status }: { name: string; status: string }) =>
    (name === 'read' || name === 'write') && status === 'completed'
  const finished = server.steps.filter(isFinished)
  const ids = finished.map(({ execution }) => execution!.toolCallId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { runtimeCheckpoint } of server.checkpoints) expectWholeConversations(runtimeCheckpoint)
}

test.each(numbers.flatMap((number) => [false, true].map((heard) => ({ number, heard }))))(
  'a crash after report $number (answer received: $heard) loses nothing and repeats nothing in the tree',
  async ({ number, heard }) => {
    const world = createRun()
    crashAt(world, number, heard)
    await finish(world)
    const { server } = world
    expect(server.completions.at(-1)).toEqual({ outcome: 'completed', stopReason: 'end_turn', output: 'All done.' })
    expectNothingRepeated(world)

    const { a, ...others } = toolResults(server.messages)
    expect(others).toEqual({ b: 'Researched.', c: 'Researched.', d: 'read root' })
    expect(String(a)).toMatch(/^(?:write root$|Outcome unknown)/)
    // Each of the five writes was made, unless a crash came right before it: then its step says that it is unknown.
    const unknown = server.steps.filter(({ update }) => update?.error?.message.startsWith('Outcome unknown'))
    expect(unknown.length).toBeLessThanOrEqual(1)
    const made = server.operationCalls.filter(({ toolName }) => toolName === 'write').length
    expect(made).toBeGreaterThanOrEqual(5 - unknown.length)
    expect(server.steps.filter(({ name, status }) => name === 'write' && status === 'completed')).toHaveLength(
      5 - unknown.length,
    )
    expect(server.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  },
)

test.each(numbers)('cancel at report %d leaves a complete conversation', async (number) => {
  const world = createRun()
  const { server } = world
  server.onTaken = (taken) => {
    if (taken === number) server.tell('cancel')
  }
  await finish(world)
  const last = server.completions.at(-1)!
  // The report in progress may have been the last one.
  expect(['canceled', 'completed']).toContain(last.outcome)
  expectWellFormed(server.messages)
  if (last.outcome === 'canceled') expect(server.checkpoints.at(-1)!.runtimeCheckpoint.delegates).toBeUndefined()
  expectNothingRepeated(world)
})

test.each(numbers)('drain at report %d continues elsewhere without repeating a write', async (number) => {
  const world = createRun()
  const { server, services } = world
  let handBack = new AbortController()
  server.onTaken = (taken) => {
    if (taken === number) handBack.abort()
  }
  world.run = () => {
    handBack = new AbortController()
    return runAttempt(server.lease(), services, handBack.signal)
  }
  await finish(world)
  expect(server.completions.at(-1)).toMatchObject({ outcome: 'completed', output: 'All done.' })
  expect(toolResults(server.messages)).toEqual(expected)
  expect(server.operationCalls.filter(({ toolName }) => toolName === 'write')).toHaveLength(5)
  expectNothingRepeated(world)
})
