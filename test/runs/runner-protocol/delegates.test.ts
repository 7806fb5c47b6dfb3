/** Delegates within an attempt, as shown by the API; the sandbox is the model of all. Source: contract 3 and 5. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import canonicalize from 'canonicalize'
import type { AgentContent, AgentMeans, AssignedAgent } from '../../../src/runs/runner/protocol/protocol.ts'
import type { Reply } from '../../support/client.ts'
import { checkpointOf, expectWholeStream, getRun, inState, stepsOf } from '../../support/run-records.ts'
import { completed, conversation } from '../../support/simulated-runner.ts'
import { openTeam, sandbox, modelKey as secret, type Team, type TeamWorld } from './support/team-world.ts'

const agent = (name: string, content: Partial<AgentContent> = {}, means: Partial<AgentMeans> = {}): AssignedAgent => ({
  agentId: `agt_${name}`,
  agentRevisionId: `agr_${name}`,
  name,
  content: { instructions: `Work as ${name}.`, ...content },
  model: sandbox,
  operations: {},
  delegates: {},
  ...means,
})
const internal = ({ name, agentId }: AssignedAgent) => ({ name, description: `Works as ${name}.`, agentId })
const ask = {
  kind: 'interactive' as const,
  name: 'ask',
  description: 'Asks.',
  inputSchema: { type: 'object' as const },
}
const scribe = agent('scribe', { tools: [{ kind: 'builtin', name: 'echo' }] })
const researcher = agent(
  'researcher',
  {
    tools: [{ kind: 'operation', name: 'find', operation: 'library.find' }, ask],
    delegates: [internal(scribe), { name: 'expert', description: 'Outside.', external: true }],
  },
  {
    operations: { find: { description: 'Finds.', inputSchema: { type: 'object' }, idempotent: true } },
    delegates: { scribe },
  },
)
const team: Team = {
  content: { tools: [{ kind: 'builtin', name: 'calculator' }], delegates: [internal(researcher)] },
  means: { delegates: { researcher } },
}

let world: TeamWorld
beforeAll(async () => {
  world = await openTeam(team, { embedded: true })
})
afterAll(() => world?.close())

/** The sandbox directives for a delegate, as a call. */
const hand = (delegate: string, ...lines: string[]) =>
  `/call ${delegate} ${JSON.stringify({ query: lines.join('\n') })}`
const treeOf = async (id: string): Promise<Reply['body'][]> =>
  (await world.client.get(`/api/v1/agent-runs/${id}/steps`, { query: { depth: 10 } })).body.data.items
type Shape = [kind: string, name: string, agent: string, status: string, ...below: unknown[]]
const shapeOf = (step: Reply['body']): Shape => [
  step.kind,
  step.name,
  step.agent.name,
  step.status,
  ...step.childAgentSteps.map(shapeOf),
]

test('the steps of delegates are below their call and name their agent', async () => {
  const id = await world.start(
    [
      hand('researcher', '/call find {"q": 1}', hand('scribe', '/call echo {"text": "x"}', '/say Noted'), '/say Found'),
      '/say Done',
    ].join('\n'),
  )
  await inState(world.client, id, 'completed')
  const [root] = await treeOf(id)
  expect(shapeOf(root)).toEqual([
    'agent',
    'Lead',
    'Lead',
    'completed',
    ['model', 'sandbox', 'Lead', 'completed'],
    [
      'delegate',
      'researcher',
      'researcher',
      'completed',
      ['model', 'sandbox', 'researcher', 'completed'],
      ['tool', 'find', 'researcher', 'completed'],
      ['model', 'sandbox', 'researcher', 'completed'],
      [
        'delegate',
        'scribe',
        'scribe',
        'completed',
        ['model', 'sandbox', 'scribe', 'completed'],
        ['tool', 'echo', 'scribe', 'completed'],
        ['model', 'sandbox', 'scribe', 'completed'],
      ],
      ['model', 'sandbox', 'researcher', 'completed'],
    ],
    ['model', 'sandbox', 'Lead', 'completed'],
  ])
  expect(root.output).toBe('Done')
  const [, research] = root.childAgentSteps
  expect(research).toMatchObject({
    output: 'Found',
    agent: { agentId: 'agt_researcher', agentRevisionId: 'agr_researcher' },
  })
  expect(world.calls.at(-1)).toMatchObject({ runId: id, agentId: 'agt_researcher', toolName: 'find', input: { q: 1 } })
  // The usage of models below counts for every step above.
  const usedBelow = (step: Reply['body']): number =>
    step.childAgentSteps.reduce((sum: number, below: Reply['body']) => sum + below.tokenUsage.totalTokens, 0)
  expect(root.tokenUsage.totalTokens).toBe(usedBelow(root))
  expect(research.tokenUsage.totalTokens).toBe(usedBelow(research))
  expect(root.lastCheckpointId).toBe((await checkpointOf(world.client, id)).checkpoint.checkpointId)
  await expectWholeStream(world.client, id)
})

test('with depth 1 only events of root steps are sent, and deltas of delegates name their step', async () => {
  const id = await world.start([hand('researcher', '/say Found'), '/say Done'].join('\n'))
  await inState(world.client, id, 'completed')
  const frames = async (depth: number) => {
    const answer = await world.client.raw('GET', `/api/v1/agent-runs/${id}/stream`, undefined, {
      query: { after: 0, depth },
    })
    return (await answer.text()).split('\n\n').filter((block) => block.includes('event: step.'))
  }
  expect((await frames(1)).map((frame) => /event: (.*)/.exec(frame)?.[1])).toEqual(['step.started', 'step.completed'])
  const deltas = (await frames(0)).filter((frame) => frame.includes('step.delta') && frame.includes('Found'))
  const steps = await stepsOf(world.client, id)
  const model = steps.find(({ kind, agent }) => kind === 'model' && agent.name === 'researcher')
  expect(deltas.some((frame) => frame.includes(`"agentStepId":${model.agentStepId}`))).toBe(true)
})

test('the whole run waits for a question of a delegate, and its answer reaches the delegate', async () => {
  const id = await world.start([hand('researcher', '/call ask {"q": "Name?"}', '/say Thanks'), '/say Done'].join('\n'))
  const waiting = await inState(world.client, id, 'awaitingToolResult')
  expect(waiting.awaiting).toMatchObject({ kind: 'tool', toolName: 'ask', input: { q: 'Name?' } })
  const [root] = await treeOf(id)
  expect(shapeOf(root)).toEqual([
    'agent',
    'Lead',
    'Lead',
    'waiting',
    ['model', 'sandbox', 'Lead', 'completed'],
    [
      'delegate',
      'researcher',
      'researcher',
      'waiting',
      ['model', 'sandbox', 'researcher', 'completed'],
      ['tool', 'ask', 'researcher', 'waiting'],
    ],
  ])
  const { runtimeCheckpoint, checkpoint } = await checkpointOf(world.client, id)
  expect(Object.keys(runtimeCheckpoint.delegates)).toEqual(['call_1'])
  const text = canonicalize(runtimeCheckpoint) as string
  expect(checkpoint.artifact.digest).toBe(`sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`)

  const { status } = await world.client.post(`/api/v1/agent-runs/${id}/continue`, { query: 'Ada' })
  expect(status).toBe(200)
  await inState(world.client, id, 'completed')
  const steps = await stepsOf(world.client, id)
  expect(steps.find(({ name }) => name === 'ask')).toMatchObject({ status: 'completed', output: 'Ada' })
  expect(steps.findLast(({ name }) => name === 'researcher')).toMatchObject({ status: 'completed', output: 'Thanks' })
  expect(await getRun(world.client, id)).toMatchObject({ state: 'completed', attempt: 2 })
  await expectWholeStream(world.client, id)
})

test('an external delegate of a delegate waits, and its result reaches it', async () => {
  const id = await world.start(
    [hand('researcher', '/call expert {"query": "Why?"}', '/say So'), '/say Done'].join('\n'),
  )
  const { awaiting } = await inState(world.client, id, 'awaitingDelegateResult')
  const { toolCallId } = awaiting
  const { status } = await world.client.post(`/api/v1/agent-runs/${id}/delegate-results`, {
    toolCallId,
    result: 'because',
  })
  expect(status).toBe(200)
  await inState(world.client, id, 'completed')
  const steps = await stepsOf(world.client, id)
  expect(steps.find(({ name }) => name === 'expert')).toMatchObject({ status: 'completed', output: 'because' })
  expect(steps.findLast(({ name }) => name === 'researcher')).toMatchObject({ output: 'So' })
})

test('cancel ends an active delegate', async () => {
  const id = await world.start(hand('researcher', '/say Wait', '/sleep 600000'))
  await inState(world.client, id, 'running')
  while (
    !(await stepsOf(world.client, id)).some(({ kind, agent }) => kind === 'model' && agent.name === 'researcher')
  ) {
    await Bun.sleep(5)
  }
  await world.client.post(`/api/v1/agent-runs/${id}/cancel`)
  await inState(world.client, id, 'canceled')
  const steps = await stepsOf(world.client, id)
  expect(steps.filter(({ status }) => status === 'running' || status === 'waiting')).toEqual([])
  expect(steps.find(({ kind }) => kind === 'delegate')).toMatchObject({ status: 'canceled' })
})

test('a temporary failure of a delegate is retried, a permanent one is reported', async () => {
  const flaky = await world.start(
    [hand('researcher', '/call find {}', '/flaky 1', '/say Found'), '/say Done'].join('\n'),
  )
  await inState(world.client, flaky, 'completed')
  expect(await getRun(world.client, flaky)).toMatchObject({ attempt: 2 })
  expect(world.calls.filter(({ runId }) => runId === flaky)).toHaveLength(1)

  const failing = await world.start([hand('researcher', '/fail Broken'), '/say Without'].join('\n'))
  await inState(world.client, failing, 'completed')
  const step = (await stepsOf(world.client, failing)).find(({ kind }) => kind === 'delegate')
  expect(step).toMatchObject({
    status: 'failed',
    error: { code: 'tool_error', message: 'The delegate failed: Broken' },
  })
})

test('delegates with more than a thousand paths fail the run instead of the server', async () => {
  let level = Array.from({ length: 16 }, (_, index) => agent(`leaf${index}`))
  for (let depth = 0; depth < 8; depth++) {
    const delegates = Object.fromEntries(level.map((below) => [below.name, below]))
    level = Array.from({ length: 16 }, (_, index) => agent(`at${depth}_${index}`, {}, { delegates }))
  }
  const { delegates } = team.means
  team.means.delegates = Object.fromEntries(level.map((below) => [below.name, below]))
  const id = await world.start('Hello')
  const { stateReason } = await inState(world.client, id, 'failed')
  team.means.delegates = delegates!
  expect(stateReason).toMatchObject({ code: 'binding_unavailable' })
  world.errors.length = 0
})

test('the keys of delegates are in no table and no line of the log', async () => {
  const tables = await world.store.all<{ name: string }>({
    sql: "select name from sqlite_master where type = 'table'",
    parameters: [],
  })
  for (const { name } of tables) {
    const rows = await world.store.all({ sql: `select * from "${name}"`, parameters: [] })
    expect(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      secret,
    )
  }
  expect(world.lines.join('\n')).not.toContain(secret)
  expect(world.errors).toEqual([])
})

test('an external runner reports steps of delegates; an agent that is not part of the attempt is 422', async () => {
  const other = await openTeam(team)
  try {
    await other.start('Go')
    const attempt = await other.lease()
    await attempt.boot()
    const delegate = await attempt.begin({ kind: 'delegate', name: 'researcher', agentId: 'agt_researcher' })
    const below = { kind: 'delegate', name: 'scribe', agentId: 'agt_scribe', parentAgentStepId: delegate }
    expect((await attempt.startStep(below)).body.data).toMatchObject({
      parentAgentStepId: delegate,
      agent: { agentId: 'agt_scribe', agentRevisionId: 'agr_scribe', name: 'scribe' },
    })
    // Also by a restarted server.
    other.attempts.sessions.end(attempt.lease.attemptId)
    expect((await attempt.startStep(below)).body.data).toMatchObject({ agent: { name: 'scribe' } })
    const { status, body } = await attempt.startStep({ ...below, agentId: 'agt_nobody' })
    expect([status, body.error.details.issues[0].path]).toEqual([422, '/body/agentId'])
    const bad = { c1: { messages: [], stepCount: 0, pendingToolCalls: [], chain: 1 } }
    const refused = await attempt.checkpoint(delegate, { ...conversation([]), delegates: bad })
    expect([refused.status, refused.body.error.details.issues[0].path]).toEqual([
      422,
      '/body/runtimeCheckpoint/delegates/c1/chain',
    ])
    expect((await attempt.complete(completed('x'))).status).toBe(200)
  } finally {
    await other.close()
  }
})
