/** Calls that wait for an approval. Source: contract 6: "pauses the run in `awaitingToolResult`". */
import { expect, test } from 'bun:test'
import type { AwaitedApproval } from '../../../src/runs/runner/protocol/protocol.ts'
import { settle } from './support/clock.ts'
import { expectWellFormed, toolResults } from './support/conversations.ts'
import { agent, call, createWorld, interactive, internal, operation, operationTool } from './support/world.ts'

const empty = { query: null, contents: [] }
const approval = (id: string): AwaitedApproval => ({
  awaiting: 'approval',
  invocationId: `opi_${id}`,
  approvalId: `apr_${id}`,
})
const idsOf = (id: string) => ({ invocationId: `opi_${id}`, approvalId: `apr_${id}` })
const operations = { pay: operationTool(false), read: operationTool(true) }
const tools = [operation('pay'), operation('read'), interactive('ask')]

test('the other calls of the same answer are executed, then the run waits, with one step for each call', async () => {
  const { server, run } = createWorld({
    content: { tools },
    means: { operations },
    turns: [{ calls: [call('a', 'pay', { n: 1 }), call('b', 'read'), call('c', 'ask')] }, { text: 'Done.' }],
  })
  server.onOperation = ({ toolCallId }) => (toolCallId === 'a' ? approval('a') : { result: 'read' })
  expect(await run()).toBe('awaitingToolResult')
  expect(server.completions).toEqual([
    {
      outcome: 'awaitingToolResult',
      awaiting: [
        { kind: 'tool', toolName: 'pay', toolCallId: 'a', input: { n: 1 }, ...idsOf('a') },
        { kind: 'tool', toolName: 'ask', toolCallId: 'c', input: {} },
      ],
    },
  ])
  expect(server.stepsOf('tool').map(({ name, status }) => `${name} ${status}`)).toEqual([
    'pay waiting',
    'read completed',
    'ask waiting',
  ])
  expect(server.checkpoints.at(-1)).toMatchObject({ kind: 'suspended' })
  expectWellFormed(server.messages, ['a', 'c'])

  server.continue(empty, { a: 'paid', c: 'blue' })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ a: 'paid', b: 'read', c: 'blue' })
  expect(server.operationCalls.map(({ toolCallId }) => toolCallId)).toEqual(['a', 'b'])
})

test('a call that runs another Agent makes the run wait for its invocation, without an approval', async () => {
  const { server, run } = createWorld({
    content: { tools },
    means: { operations },
    turns: [{ calls: [call('a', 'pay')] }, { text: 'Done.' }],
  })
  server.onOperation = () => ({ awaiting: 'agentRun', invocationId: 'opi_a' })
  expect(await run()).toBe('awaitingToolResult')
  expect(server.completions).toEqual([
    {
      outcome: 'awaitingToolResult',
      awaiting: [{ kind: 'tool', toolName: 'pay', toolCallId: 'a', input: {}, invocationId: 'opi_a' }],
    },
  ])
})

test("a delegate's call makes the whole run wait, and the delegate continues from there", async () => {
  const helper = agent('helper', { tools: [operation('pay')] }, { operations })
  const { server, run } = createWorld({
    content: { delegates: [internal(helper)] },
    means: { delegates: { helper } },
    turns: [{ calls: [call('d', 'helper', { query: 'Pay.' })] }, { text: 'Done.' }],
    turnsOf: { helper: [{ calls: [call('a', 'pay')] }, { text: 'Paid.' }] },
  })
  server.onOperation = () => approval('a')
  expect(await run()).toBe('awaitingToolResult')
  const [report] = server.completions as { awaiting: { toolCallId: string }[] }[]
  expect(report?.awaiting).toMatchObject([{ toolName: 'pay', ...idsOf('a') }])
  server.results.set(report!.awaiting[0]!.toolCallId, 'paid')
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ d: 'Paid.' })
})

test('a cancel during another call: the run does not wait, and the call is closed', async () => {
  const { server, run } = createWorld({
    content: { tools },
    means: { operations },
    turns: [{ calls: [call('a', 'pay'), call('b', 'read')] }],
  })
  server.onOperation = ({ toolCallId }, signal) =>
    toolCallId === 'a'
      ? approval('a')
      : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  const ended = run()
  await settle()
  server.tell('cancel')
  expect(await ended).toBe('canceled')
  expect(server.completions).toEqual([{ outcome: 'canceled' }])
  expect(server.stepsOf('tool').map(({ status }) => status)).toEqual(['canceled', 'canceled'])
  expectWellFormed(server.messages)
})
