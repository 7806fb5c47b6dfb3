/** Delegates that wait for an external answer, and the run with them. */
import { expect, test } from 'bun:test'
import { expectWellFormed, toolResults } from '../support/conversations.ts'
import { ask, team } from '../support/team.ts'
import { agent, call, external, interactive } from '../support/world.ts'

const empty = { query: null, contents: [] }

/** A delegate that asks the user a question, and one that asks an external delegate. */
const asking = agent('asking', { tools: [interactive('ask')] })
const handing = agent('handing', { delegates: [external('expert')] })

test('an interactive call of a delegate suspends the run, and its result reaches the delegate', async () => {
  const { server, run } = team([asking], {
    turns: [{ calls: [ask('asking', 'Find out')] }, { text: 'Done.' }],
    turnsOf: { asking: [{ calls: [call('a', 'ask', { q: 'Name?' })] }, { text: 'It is Ada.' }] },
  })
  expect(await run()).toBe('awaitingToolResult')
  const [question] = server.stepsOf('tool')
  const { toolCallId } = question!.execution!
  expect(server.completions).toEqual([
    {
      outcome: 'awaitingToolResult',
      awaiting: [{ kind: 'tool', toolName: 'ask', toolCallId: toolCallId!, input: { q: 'Name?' } }],
    },
  ])
  expect(question).toMatchObject({ status: 'waiting', parentAgentStepId: 2, agentId: 'agt_asking' })
  expect(server.stepsOf('delegate')).toMatchObject([{ status: 'waiting' }])
  expect(server.checkpoints.at(-1)!.kind).toBe('suspended')

  server.continue(empty, { [toolCallId!]: 'Ada' })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ a: 'It is Ada.' })
  expect(server.stepsOf('model').filter(({ agentId }) => agentId === 'agt_asking')).toHaveLength(2)
})

test('everything in the tree that waits is awaited together: first tools, then external delegates', async () => {
  const { server, run } = team([asking, handing], {
    content: { tools: [interactive('confirm')] },
    turns: [
      { calls: [ask('handing', 'Hand', 'h'), ask('asking', 'Ask', 's'), call('c', 'confirm')] },
      { text: 'Done.' },
    ],
    turnsOf: {
      asking: [{ calls: [call('q', 'ask')] }, { text: 'Asked.' }],
      handing: [{ calls: [call('x', 'expert', { query: 'Why?' })] }, { text: 'Handed.' }],
    },
  })
  expect(await run()).toBe('awaitingToolResult')
  const awaitedNow = () => {
    const last = server.completions.at(-1)!
    return 'awaiting' in last ? last.awaiting : []
  }
  expect(awaitedNow().map(({ toolName }) => toolName)).toEqual(['ask', 'confirm'])
  expect(server.stepsOf('delegate').map(({ name, status }) => [name, status])).toEqual([
    ['handing', 'waiting'],
    ['asking', 'waiting'],
  ])
  server.continue(empty, Object.fromEntries(awaitedNow().map(({ toolCallId }) => [toolCallId, 'yes'])))
  expect(await run()).toBe('awaitingDelegateResult')
  expect(awaitedNow()).toMatchObject([{ kind: 'delegate', toolName: 'expert', input: { query: 'Why?' } }])
  server.results.set(awaitedNow()[0]!.toolCallId, 'because')
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ h: 'Handed.', s: 'Asked.', c: 'yes' })
  expectWellFormed(server.messages)
})
