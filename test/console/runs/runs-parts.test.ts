/** Parts of the pages of runs: conversations, the feed of a run, files, the timeline. */
import { describe, expect, test } from 'bun:test'
import { titleOf } from '../../../src/console/pages/runs/list/table/columns.tsx'
import { parseAnswer } from '../../../src/console/pages/runs/playground/answer-text.ts'
import { problemOf, problemTogether, sizeText } from '../../../src/console/pages/runs/playground/attachment-rules.ts'
import { conversationOf, entriesOfMessages } from '../../../src/console/pages/runs/playground/messages.ts'
import { waitsFor } from '../../../src/console/pages/runs/run/awaiting.ts'
import { RunFeed } from '../../../src/console/pages/runs/run/run-feed.ts'
import { depthsOf, type Step, tokenSumsOf } from '../../../src/console/pages/runs/steps/steps.ts'
import { percentOf, ticksOf } from '../../../src/console/pages/runs/steps/time-axis.ts'
import type { PresentedRun } from '../../../src/runs/present.ts'

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
const instant = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString()

function step(agentStepId: number, more: Partial<Step> = {}): Step {
  return {
    agentStepId,
    agentRunId: 'run_1',
    parentAgentStepId: agentStepId === 1 ? null : 1,
    sequence: agentStepId,
    kind: agentStepId === 1 ? 'agent' : 'model',
    name: 'sandbox',
    status: 'completed',
    attempt: 1,
    agent: { agentId: 'agt_1', agentRevisionId: 'agr_1', name: 'Clerk' },
    timing: { startedAt: instant(agentStepId), endedAt: instant(agentStepId + 1), durationMs: 1000 },
    tokenUsage: usage,
    cost: null,
    execution: { provider: null, model: null, finishReason: null, toolCallId: null, retries: 0 },
    input: null,
    output: null,
    error: null,
    lastCheckpointId: null,
    childAgentSteps: [],
    createdAt: instant(agentStepId),
    updatedAt: instant(agentStepId + 1),
    ...more,
  }
}

const execution = (toolCallId: string) => ({ provider: null, model: null, finishReason: null, toolCallId, retries: 0 })
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'find_order', input: { number: 'A-17' } }
const asked = [
  { role: 'user', content: 'Where is it?' },
  { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }, call] },
]

describe('a conversation', () => {
  test('contains messages, and tool calls with their outcomes', () => {
    const output = { type: 'json', value: { state: 'shipped' } }
    const entries = entriesOfMessages([
      ...asked,
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', output }] },
    ])
    expect(entries.map(({ is }) => is)).toEqual(['user', 'assistant', 'call'])
    expect(entries[2]).toMatchObject({ name: 'find_order', outcome: { is: 'result', value: { state: 'shipped' } } })
  })

  test.each([
    [null],
    ['text'],
    [{ role: 'user' }],
    [{ role: 'assistant', content: 7 }],
    [{ role: 'tool', content: [null] }],
  ])('survives the message %p', (message) => {
    expect(() => entriesOfMessages([message])).not.toThrow()
  })

  test('continues with the steps after the checkpoint, without duplicates', () => {
    const steps = [
      step(1),
      step(2, { output: { text: 'Let me see.', toolCalls: [call] } }),
      step(3, { kind: 'tool', name: 'find_order', execution: execution('call_1'), output: 'It is on its way.' }),
      step(4, { status: 'running' }),
    ]
    const entries = conversationOf(asked, 2, steps)
    expect(entries.map(({ is }) => is)).toEqual(['user', 'assistant', 'call', 'assistant'])
    expect(entries[2]).toMatchObject({ outcome: { is: 'result', value: 'It is on its way.' } })
    expect(entries[3]).toMatchObject({ streaming: true, agentStepId: 4 })
  })

  test('continues with steps that another server numbered below the checkpoint', () => {
    const said = (text: string) => ({ text, toolCalls: [] })
    const steps = [
      step(10_001, { kind: 'agent', parentAgentStepId: null }),
      step(10_002, { parentAgentStepId: 10_001, output: said('Before') }),
      step(2, { kind: 'agent', parentAgentStepId: null, attempt: 2 }),
      step(3, { parentAgentStepId: 2, attempt: 2, output: said('After') }),
    ]
    expect(conversationOf([], 10_002, steps)).toMatchObject([{ is: 'assistant', text: 'After' }])
  })

  test('omits the steps of delegates', () => {
    const steps = [
      step(1),
      step(2, { kind: 'delegate', name: 'tone', execution: execution('call_2') }),
      step(3, { parentAgentStepId: 2, output: { text: 'Inside.', toolCalls: [] } }),
    ]
    expect(conversationOf([], 0, steps).map(({ is }) => is)).toEqual(['call'])
  })
})

describe('the feed of a run', () => {
  const event = (id: number, type: string, data: unknown, agentStepId?: number) => ({
    id: String(id),
    type,
    data: { agentStepId, data },
  })

  test('counts the steps missing between its pages and the live ones', () => {
    const feed = new RunFeed()
    feed.addPage([step(1), step(2)], 10)
    feed.take([event(9, 'step.started', step(11, { status: 'running' }))])
    expect(feed.state).toMatchObject({ paged: 2, total: 11 })
    expect(feed.state.steps.map(({ agentStepId }) => agentStepId)).toEqual([1, 2, 11])
  })

  test('keeps newer steps when an older page arrives', () => {
    const feed = new RunFeed()
    feed.take([event(1, 'step.completed', step(2, { output: 'done', updatedAt: instant(9) }))])
    feed.addPage([step(2, { status: 'running', updatedAt: instant(3) })], 1)
    expect(feed.state.steps[0]?.output).toBe('done')
  })

  test('streaming text re-renders only itself', () => {
    const feed = new RunFeed()
    let drawn = 0
    feed.subscribe(() => drawn++)
    const added: string[] = []
    feed.textOf(4, 'text').watch((text) => added.push(text))
    feed.take([
      event(1, 'step.delta', { kind: 'text', text: 'Hel' }, 4),
      event(2, 'step.delta', { kind: 'text', text: 'lo' }, 4),
    ])
    expect(added).toEqual(['Hel', 'lo'])
    expect(feed.textOf(4, 'text').text).toBe('Hello')
    expect(drawn).toBe(0)
  })

  test('follows the state of the run, and notices missed events', () => {
    const feed = new RunFeed()
    feed.take([event(1, 'run.transition', { to: 'running' })])
    expect(feed.state.state).toBe('running')
    feed.take([event(5, 'run.snapshot', { run: { state: 'canceling' }, openSteps: [], gap: true })])
    expect(feed.state).toMatchObject({ state: 'canceling', gaps: 1 })
  })
})

test('steps are nested according to their parents', () => {
  const depths = depthsOf([step(1), step(2), step(3, { parentAgentStepId: 2 }), step(9, { parentAgentStepId: 7 })])
  expect([...depths.values()]).toEqual([0, 1, 2, 1])
})

test('the tokens of a run are the sum of its attempts', () => {
  const used = { ...usage, inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  expect(tokenSumsOf([step(1, { tokenUsage: used }), step(5, { tokenUsage: used })])).toMatchObject({
    input: 20,
    total: 30,
  })
})

const file = (bytes: number[] | number, type: string, name = 'file') =>
  new File([typeof bytes === 'number' ? new Uint8Array(bytes) : new Uint8Array(bytes)], name, { type })

test.each([
  ['an image', file([1, 2], 'image/png'), undefined],
  ['text', file([104, 105], 'text/plain'), undefined],
  ['JSON', file([123, 125], 'application/json'), undefined],
  ['text with an umlaut', file([195, 164], 'text/plain'), 'contains non-ASCII characters'],
  ['nothing', file([], 'text/plain'), 'is empty'],
  ['a program', file([1], 'application/x-msdownload'), 'is not a PNG, JPEG, GIF or WebP image, PDF or text'],
  ['too much', file(5 * 1024 * 1024 + 1, 'image/png'), 'is 5.0 MiB; the limit is 5 MiB'],
])('a file with %s is checked before it is sent', async (_, given, problem) => {
  expect(await problemOf(given)).toBe(problem)
})

test('files are also checked together', () => {
  const large = file(4 * 1024 * 1024, 'image/png')
  expect(problemTogether([large, large])).toBeUndefined()
  expect(problemTogether([large, large, large])).toBe('Files total 12.0 MiB; the limit is 10 MiB.')
  expect(sizeText(2048)).toBe('2 KiB')
})

test('an answer is text unless it is JSON', () => {
  expect(parseAnswer('{"a": 1}', false)).toEqual({ value: '{"a": 1}' })
  expect(parseAnswer('{"a": 1}', true)).toEqual({ value: { a: 1 } })
  expect(parseAnswer('{"a": ', true)).toHaveProperty('problem')
})

test('the timeline has round marks', () => {
  expect(ticksOf({ from: 0, to: 100 }, 0).map(({ label }) => label)).toEqual([
    '0',
    '20 ms',
    '40 ms',
    '60 ms',
    '80 ms',
    '100 ms',
  ])
  expect(ticksOf({ from: 399_000, to: 400_000 }, 0, 2).map(({ label }) => label)).toEqual([
    '6:39.0',
    '6:39.5',
    '6:40.0',
  ])
  expect(percentOf({ from: 100, to: 200 }, 150)).toBe(50)
  expect(percentOf({ from: 100, to: 200 }, 900)).toBe(100)
})

const [toPeople, toApprove, toAgent] = [{ kind: 'tool' }, { kind: 'approval' }, { kind: 'agentRun' }]
test.each([
  ['nobody', undefined, undefined],
  ['people, whatever else it waits for', [toAgent, toPeople, toApprove], 'people'],
  ['approvals', [toAgent, toApprove], 'approvals'],
  ['other Agents', [toAgent], 'agents'],
])('a run waits for %s', (_, pending, expected) => {
  expect(waitsFor({ ...(pending && { awaiting: { pending } }) } as never)).toBe(expected as never)
})

test.each([
  ['its first message, in one line', { query: 'Where is\n my order?' }, 'Where is my order?'],
  ['that it has none', { query: null }, 'Without text'],
  ['its id, to those who may not read the message', {}, 'run_01h4…kk084s'],
])('a run is called by %s', (_, said, title) => {
  const summary = { ...said, provider: null, model: null, tokenUsage: null }
  expect(titleOf({ id: 'run_01h455vb4pex5vsknkk084s', summary } as PresentedRun)).toBe(title)
})
