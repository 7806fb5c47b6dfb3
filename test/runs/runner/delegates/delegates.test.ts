/** Agents that delegate work to other agents, within the same attempt. */
import { expect, test } from 'bun:test'
import { ProviderFailure } from '../../../../src/runs/providers/errors.ts'
import { delegateLevelsMax } from '../../../../src/runs/runner/protocol/protocol.ts'
import { toolResults } from '../support/conversations.ts'
import { ask, team } from '../support/team.ts'
import { agent, call, internal, operation, operationTool } from '../support/world.ts'

test('a delegate answers in the same attempt, in steps below the call', async () => {
  const writer = agent('writer')
  const researcher = agent(
    'researcher',
    { delegates: [internal(writer)], tools: [operation('find')] },
    {
      model: { provider: 'sandbox', model: 'small', reasoningBudget: null },
      operations: { find: operationTool(true) },
      delegates: { writer },
    },
  )
  const { server, run, model } = team([researcher], {
    turns: [{ calls: [ask('researcher', 'What is it?')] }, { text: 'It is so.' }],
    turnsOf: {
      researcher: [{ calls: [call('a', 'find', { q: 'it' }), ask('writer', 'Write it', 'b')] }, { text: 'Found.' }],
      writer: [{ text: 'Written.' }],
    },
  })
  expect(await run()).toBe('completed')
  expect(server.completions).toEqual([{ outcome: 'completed', stopReason: 'end_turn', output: 'It is so.' }])
  expect(
    server.steps.map(({ kind, name, parentAgentStepId, agentId, status }) => [
      kind,
      name,
      parentAgentStepId,
      agentId,
      status,
    ]),
  ).toEqual([
    ['model', 'sandbox', undefined, undefined, 'completed'],
    ['delegate', 'researcher', undefined, 'agt_researcher', 'completed'],
    ['model', 'small', 2, 'agt_researcher', 'completed'],
    ['tool', 'find', 2, 'agt_researcher', 'completed'],
    ['delegate', 'writer', 2, 'agt_writer', 'completed'],
    ['model', 'sandbox', 5, 'agt_writer', 'completed'],
    ['model', 'small', 2, 'agt_researcher', 'completed'],
    ['model', 'sandbox', undefined, undefined, 'completed'],
  ])
  expect(server.steps[1]).toMatchObject({ execution: { toolCallId: 'a' }, update: { output: 'Found.' } })
  expect(server.operationCalls).toMatchObject([{ agentId: 'agt_researcher', toolName: 'find', input: { q: 'it' } }])
  expect(toolResults(server.messages)).toEqual({ a: 'Found.' })
  expect(model.requests[1]).toMatchObject({
    model: 'small',
    system: 'researcher',
    messages: [{ role: 'user', content: 'What is it?' }],
  })
  expect(model.requests[1]!.tools.map(({ name }) => name)).toEqual(['find', 'writer'])
})

test('checkpoints contain the conversations of active delegates, and drop them once they have answered', async () => {
  const inner = agent('inner')
  const outer = agent('outer', { delegates: [internal(inner)] }, { delegates: { inner } })
  const { server, run } = team([outer], {
    turns: [{ calls: [ask('outer', 'Go')] }, { text: 'Done.' }],
    turnsOf: { outer: [{ calls: [ask('inner', 'Further')] }, { text: 'Out.' }], inner: [{ text: 'In.' }] },
  })
  await run()
  const innerCall = server.steps.find(({ name }) => name === 'inner')!.execution!.toolCallId!
  expect(server.checkpoints.map(({ runtimeCheckpoint }) => Object.keys(runtimeCheckpoint.delegates ?? {}))).toEqual([
    [],
    ['a'],
    ['a', innerCall],
    ['a'],
    ['a'],
    [],
    [],
  ])
  expect(server.checkpoints[2]!.runtimeCheckpoint.delegates).toEqual({
    a: {
      messages: [{ role: 'user', content: 'Go' }, expect.objectContaining({ role: 'assistant' })],
      stepCount: 1,
      pendingToolCalls: [{ toolCallId: innerCall, toolName: 'inner', input: { query: 'Further' } }],
    },
    [innerCall]: {
      messages: [
        { role: 'user', content: 'Further' },
        { role: 'assistant', content: 'In.' },
      ],
      stepCount: 1,
      pendingToolCalls: [],
    },
  })
})

test('several calls of one step are executed one by one, and every call of the tree has a unique id', async () => {
  const finder = agent('finder', { tools: [operation('find')] }, { operations: { find: operationTool(true) } })
  const { server, run } = team([finder], {
    turns: [{ calls: [ask('finder', 'One', 'a'), ask('finder', 'Two', 'b')] }, { text: 'Done.' }],
    turnsOf: { finder: [{ calls: [call('a', 'find'), call('a', 'find')] }, { text: 'Found.' }] },
  })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ a: 'Found.', b: 'Found.' })
  const ids = server.steps.flatMap(({ execution }) => execution?.toolCallId ?? [])
  expect(ids).toHaveLength(6)
  expect(new Set(ids).size).toBe(6)
  // The form of a call's id that every vendor accepts.
  for (const id of ids.filter((one) => one !== 'a' && one !== 'b')) expect(id).toMatch(/^[0-9A-Za-z]{9}$/)
  // the streamed inputs have the same ids, except for the second of two calls that a vendor gave one id
  const streamed = server.deltas.flatMap(({ data }) => (data.kind === 'toolInput' ? [data.toolCallId] : []))
  expect(new Set(streamed).size).toBe(4)
  expect(streamed.filter((id) => !ids.includes(id))).toEqual([])
})

test("a delegate's output schema applies to its answer", async () => {
  const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
  const counter = agent('counter', { outputSchema })
  const { server, run } = team([counter], {
    turns: [{ calls: [ask('counter', 'Count')] }, { text: 'Done.' }],
    turnsOf: {
      [`counter${(await import('../../../../src/runs/runner/conversation/output.ts')).outputInstructions(outputSchema)}`]:
        [{ text: '{"n": 3}' }],
    },
  })
  expect(await run()).toBe('completed')
  expect(toolResults(server.messages)).toEqual({ a: { n: 3 } })
})

test('maxSteps applies to each agent separately', async () => {
  const busy = agent('busy', { maxSteps: 2, tools: [{ kind: 'builtin', name: 'echo' }] })
  const { server, run } = team([busy], {
    content: { maxSteps: 2 },
    turns: [{ calls: [ask('busy', 'Work')] }, { text: 'Done.' }],
    turnsOf: {
      busy: [
        { text: 'Hm.', calls: [call('a', 'echo')] },
        { text: '', calls: [call('b', 'echo')] },
      ],
    },
  })
  expect(await run()).toBe('completed')
  expect(server.completions).toMatchObject([{ stopReason: 'end_turn', output: 'Done.' }])
  expect(toolResults(server.messages)).toEqual({ a: 'The delegate stopped without an answer (max_steps).' })
  expect(server.stepsOf('delegate')).toMatchObject([{ status: 'failed', update: { error: { code: 'tool_error' } } }])
})

test("a delegate's permanent failure is a failed call, which its caller's model gets", async () => {
  const { server, run } = team([agent('weak')], {
    turns: [{ calls: [ask('weak', 'Try')] }, { text: 'Then without.' }],
    turnsOf: { weak: [{ fails: new ProviderFailure('provider_error', 'The vendor refused.') }] },
  })
  expect(await run()).toBe('completed')
  expect(server.stepsOf('delegate')).toMatchObject([{ status: 'failed', update: { error: { code: 'tool_error' } } }])
  expect(toolResults(server.messages)).toEqual({ a: 'The delegate failed: The vendor refused.' })
})

test("a delegate's temporary failure is the attempt’s, and the next one continues in the delegate", async () => {
  const failing = [
    { text: 'Look.', calls: [call('x', 'find')] },
    { fails: new ProviderFailure('provider_error', 'Overloaded.', { retryable: true, retryAfterMs: 500 }) },
  ]
  const world = team([agent('weak', { tools: [operation('find')] }, { operations: { find: operationTool(false) } })], {
    turns: [{ calls: [ask('weak', 'Try')] }, { text: 'Good.' }],
    turnsOf: { weak: failing },
  })
  expect(await world.run()).toBe('failed')
  expect(world.server.completions).toEqual([
    {
      outcome: 'failed',
      error: { code: 'provider_error', message: 'Overloaded.', retryable: true, retryAfterMs: 500 },
    },
  ])
  failing[1] = { text: 'Better.' } as never
  expect(await world.run()).toBe('completed')
  expect(world.server.operationCalls).toHaveLength(1)
  expect(toolResults(world.server.messages)).toEqual({ a: 'Better.' })
})

test('delegates end at the tenth level', async () => {
  const names = Array.from({ length: delegateLevelsMax + 2 }, (_, index) => `level${index + 1}`)
  const top = names.reduceRight<ReturnType<typeof agent> | undefined>(
    (below, name) =>
      below ? agent(name, { delegates: [internal(below)] }, { delegates: { [below.name]: below } }) : agent(name),
    undefined,
  )!
  const { server, run, model } = team([top], {
    turns: [{ calls: [ask('level1', 'Down')] }, { text: 'Up.' }],
    turnsOf: Object.fromEntries(
      names.map((name, index) => [name, [{ calls: [ask(`level${index + 2}`, 'Down')] }, { text: `From ${name}.` }]]),
    ),
  })
  expect(await run()).toBe('completed')
  const lowest = model.requests.find(({ system }) => system === `level${delegateLevelsMax}`)!
  expect(lowest.tools).toEqual([])
  expect(model.requests.some(({ system }) => system === `level${delegateLevelsMax + 1}`)).toBe(false)
  expect(toolResults(server.messages)).toEqual({ a: 'From level1.' })
})
