/** Workflows as tools of Agents. Source: contract 14, "Workflows". */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../../support/process.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data, type Loose } from '../../support/world/replies.ts'
import { calls } from '../operations/world.ts'
import { anyParams, openWorld, operations, type Served, type World } from './world.ts'

let world: World
let served: Served
const step = (id: string, operation: string, more: object = {}) => ({ id, operation: `shop.${operation}`, ...more })
const refund = {
  description: 'Pays an order back.',
  params: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
  steps: [step('pay', 'write', { input: { what: 'order-{{params.order}}' } })],
  output: { paid: '{{steps.pay.output.ok}}', order: '{{params.order}}' },
}
const workflows = {
  refund,
  asking: { params: anyParams, steps: [step('ask', 'approved')] },
  failing: { params: {}, steps: [step('find', 'read', { input: { what: 'fails' } })] },
  again: { params: anyParams, steps: [step('ask', 'clerk')] },
}
const tools = Object.keys(workflows).map((workflow) => ({ kind: 'workflow', name: workflow, workflow }))
/** An Agent that calls a workflow, whose step runs that Agent again. */
const clerk = (slug: string) => ({
  name: 'clerk',
  description: 'Asks the clerk.',
  inputSchema: { type: 'object' },
  effect: 'read',
  idempotent: true,
  approval: 'never',
  handler: { type: 'agent', agent: slug, query: '/call again {}' },
})
const granted = [...operations, clerk('')].flatMap(({ name }) => (name === 'ungranted' ? [] : [`shop.${name}`]))

async function serving(content: object = { tools }): Promise<Served> {
  const place = await world.place()
  const agent = await world.agent(place, content, granted)
  const definitions = [await world.operations(place, 'shop', [...operations, clerk(agent.slug)])]
  for (const [name, source] of Object.entries(workflows)) {
    const path = `${place.project}/definitions`
    const { id: definitionId } = await data(world.owner.post(path, { name, kind: 'workflow' }))
    const { id } = await data(world.owner.post(`${path}/${definitionId}/revisions`, { source }))
    definitions.push({ definitionId, definitionRevisionId: id })
  }
  await world.connection(place, agent.agentId)
  await world.serve(place, [agent], definitions)
  return {
    place,
    agent,
    path: `${place.path}/workflows`,
    definitionId: definitions[1]!.definitionId,
    shop: definitions[0]!,
  }
}

beforeAll(async () => {
  world = await openWorld()
  served = await serving()
})
afterAll(() => world?.stop())
beforeEach(() => {
  world.shop.asked.length = 0
  world.shop.answer = ({ path }) =>
    path.endsWith('/fails') ? new Response(null, { status: 404 }) : Response.json({ ok: true })
})

const started = async (...made: Parameters<typeof calls>): Promise<string> =>
  (
    await data(
      world.owner.post('/api/v1/agent-runs', {
        agentId: served.agent.agentId,
        environmentId: served.place.environmentId,
        query: calls(...made),
      }),
    )
  ).id
const ended = (id: string): Promise<Loose> => world.ended(id, ['completed', 'failed', 'canceled', 'expired'])
/** The tool steps of a run. */
const toolsOf = async (id: string) => (await world.steps(id)).filter(({ kind }) => kind === 'tool') as Loose[]
/** The run, once it waits for a workflow. */
const awaiting = (id: string) =>
  eventually(`${id} waits for a workflow`, async () => {
    const run = await data<Loose>(world.owner.get(`/api/v1/agent-runs/${id}`))
    return run.state === 'awaitingToolResult' && run
  })
const workflowRuns = async () =>
  (await data<{ items: Loose[] }>(world.owner.get(served.path, { query: { limit: 100 } }))).items
const of = async (runId: string) => (await workflowRuns()).filter(({ agentRunId }) => agentRunId === runId)

test('a call starts the workflow with its input, and the output is the result', async () => {
  const id = await started(['refund', { order: 7 }])
  expect((await ended(id)).state).toBe('completed')
  const [tool] = await toolsOf(id)
  const [own, ...others] = await of(id)
  expect(others).toEqual([])
  expect(tool).toMatchObject({
    name: 'refund',
    status: 'completed',
    output: { paid: true, order: 7 },
    execution: { workflowRunId: own.workflowRunId },
  })
  const { createdBy, deploymentId } = await data<Loose>(world.owner.get(`/api/v1/agent-runs/${id}`))
  expect(await world.get(served, own.workflowRunId)).toMatchObject({
    state: 'completed',
    params: { order: 7 },
    agentId: served.agent.agentId,
    deploymentId,
    createdBy,
    agentRunId: id,
    toolCallId: tool.execution.toolCallId,
    parentWorkflowRunId: null,
    agentJobId: null,
  })
  expect(world.shop.asked.map(({ path }) => path)).toEqual(['/v1/write/order-7'])
})

test('while the workflow runs, the run waits and says for what; its machine is free', async () => {
  const id = await started(['asking', { n: 1 }])
  const run = await awaiting(id)
  const [{ workflowRunId }] = (await of(id)) as [Loose]
  const { toolCallId } = run.awaiting
  const awaited = { kind: 'workflow', toolName: 'asking', toolCallId, input: { n: 1 }, workflowRunId }
  expect(run.awaiting).toEqual({ ...awaited, pending: [awaited] })
  expect((await toolsOf(id))[0]).toMatchObject({ status: 'waiting', execution: { workflowRunId, toolCallId } })
  await world.until(served, workflowRunId, ['waiting'])
  const [approval] = await world.approvalsOf(served, 1)
  await data(world.decide(served, approval!.id, 'approve'))
  expect((await ended(id)).state).toBe('completed')
  expect((await toolsOf(id)).at(-1)).toMatchObject({ status: 'completed', output: null, execution: { workflowRunId } })
})

describe('the model gets an error', () => {
  test('with the reason, if the workflow fails', async () => {
    const id = await started(['failing'])
    expect((await ended(id)).state).toBe('completed')
    const [own] = await of(id)
    expect((await toolsOf(id))[0]).toMatchObject({
      status: 'failed',
      error: { code: 'workflow_failed' },
    })
    expect((await toolsOf(id))[0].error.message).toContain(own.workflowRunId)
  })

  test('if the workflow run is canceled by itself', async () => {
    const id = await started(['asking'])
    await awaiting(id)
    const [{ workflowRunId }] = (await of(id)) as [Loose]
    await data(world.owner.post(`${served.path}/${workflowRunId}/cancel`))
    expect((await ended(id)).state).toBe('completed')
    expect((await toolsOf(id))[0]).toMatchObject({ status: 'failed', error: { code: 'workflow_canceled' } })
  })

  test('if the input does not fit the params', async () => {
    const id = await started(['refund', { order: 'x' }])
    expect((await ended(id)).state).toBe('completed')
    expect((await toolsOf(id))[0]).toMatchObject({ status: 'failed', error: { code: 'tool_error' } })
    expect(await of(id)).toEqual([])
  })

  test('of a workflow below ten others: an Agent whose workflow runs the Agent comes to an end', async () => {
    const id = await started(['again'])
    expect((await ended(id)).state).toBe('completed')
    const runs = (await workflowRuns()).filter(
      ({ definitionId }) => definitionId === undefined || definitionId !== served.definitionId,
    )
    const again = await Promise.all(runs.map(({ workflowRunId }) => world.get(served, workflowRunId)))
    const ofThis = again.filter(({ steps }) => steps[0]?.operation === 'shop.clerk')
    expect(ofThis.length).toBe(11)
    const errors = world.rows<{ error: string }>(
      `select error from agent_steps where kind = 'tool' and name = 'again' and status = 'failed'`,
    )
    expect(errors.map(({ error }) => JSON.parse(error).code)).toEqual(['workflow_too_deep'])
  })
})

describe('when the run is canceled', () => {
  test('its workflow is canceled, and its approval withdrawn', async () => {
    const id = await started(['asking'])
    await awaiting(id)
    const [{ workflowRunId }] = (await of(id)) as [Loose]
    await world.approvalsOf(served, 1)
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    expect((await world.until(served, workflowRunId, ['canceled'])).state).toBe('canceled')
    expect(await world.approvalsOf(served, 0)).toEqual([])
    expect((await ended(id)).state).toBe('canceled')
  })

  test('a workflow that has ended stays as it is', async () => {
    const id = await started(['refund', { order: 1 }], ['asking'])
    const run = await awaiting(id)
    expect(run.awaiting.kind).toBe('workflow')
    const runs = await eventually('both workflows', async () => {
      const found = await of(id)
      return found.length === 2 && found
    })
    await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
    for (const { workflowRunId } of runs) await world.until(served, workflowRunId, ['canceled', 'completed'])
    expect((await of(id)).map(({ state }) => state).sort()).toEqual(['canceled', 'completed'])
  })
})

test('a message that continues the run goes on without the workflow, which completes', async () => {
  const id = await started(['asking'])
  await awaiting(id)
  const [{ workflowRunId }] = (await of(id)) as [Loose]
  await data(world.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say never mind' }))
  expect((await ended(id)).state).toBe('completed')
  expect((await world.get(served, workflowRunId)).state).toBe('waiting')
  const [approval] = await world.approvalsOf(served, 1)
  await data(world.decide(served, approval!.id, 'approve'))
  await world.until(served, workflowRunId, ['completed'])
  expect((await ended(id)).state).toBe('completed')
})

test('a fork of a run that waits for a workflow starts its own, before it goes on with its message', async () => {
  const id = await started(['asking'])
  await awaiting(id)
  const { items } = await data<{ items: Loose[] }>(world.owner.get(`/api/v1/agent-runs/${id}/checkpoints`))
  const { checkpointId } = items.find(({ kind }) => kind === 'suspended')
  const fork = await data<Loose>(
    world.owner.post(`/api/v1/agent-runs/${id}/fork`, { checkpointId, query: '/say other' }),
  )
  await awaiting(fork.id)
  const [own, its] = [await of(id), await of(fork.id)]
  expect([own.length, its.length]).toEqual([1, 1])
  const approvals = await world.approvalsOf(served, 2)
  for (const approval of approvals) await data(world.decide(served, approval.id, 'approve'))
  expect([(await ended(id)).state, (await ended(fork.id)).state]).toEqual(['completed', 'completed'])
})

test('the stream tells what the run waits for', async () => {
  const id = await started(['asking'])
  await awaiting(id)
  const [{ workflowRunId }] = (await of(id)) as [Loose]
  await data(world.owner.post(`/api/v1/agent-runs/${id}/cancel`))
  await ended(id)
  const stream = await world.owner.raw('GET', `/api/v1/agent-runs/${id}/stream?after=0`)
  expect(stream.status).toBe(200)
  const events = (await stream.text()).split('\n\n').filter((event) => event.includes('event: input.requested'))
  expect(events).toHaveLength(1)
  const requested = JSON.parse(/^data: (.*)$/m.exec(events[0]!)![1]!)
  expect(requested.data).toMatchObject({ kind: 'workflow', workflowRunId, pending: [{ workflowRunId }] })
})

test('the tools of a deployed Agent show the workflow, which is started and not called', async () => {
  const path = `${served.place.path}/agents/${served.agent.agentId}/tools`
  const { items } = await data<{ items: Loose[] }>(world.owner.get(path))
  expect(items.find(({ name }) => name === 'refund')).toEqual({
    name: 'refund',
    kind: 'workflow',
    description: 'Pays an order back.',
    inputSchema: refund.params,
    operation: null,
    workflow: 'refund',
  })
  expect(items.find(({ name }) => name === 'failing')).toMatchObject({
    description: 'Runs the workflow failing.',
    inputSchema: { type: 'object' },
  })
  const call = await world.owner.post(`${path}/refund/call`, { input: { order: 1 } })
  expect([call.status, call.body.error.details.issues[0].path]).toEqual([422, '/params/tool'])
})

test('a Release is refused if it does not pin the workflow, or pins something else under that name', async () => {
  const place = await world.place()
  const agent = await world.agent(place, {
    tools: [
      { kind: 'workflow', name: 'one', workflow: 'nothing' },
      { kind: 'workflow', name: 'two', workflow: 'shop' },
    ],
  })
  const reply = await world.owner.post(`${place.project}/releases`, {
    agents: [{ agentId: agent.agentId, agentRevisionId: agent.agentRevisionId }],
    definitions: [await world.operations(place, 'shop', [echoOperation('echo')])],
  })
  expect([reply.status, reply.body.error.code]).toEqual([422, 'unresolved_reference'])
  const paths = (reply.body.error.details.issues as Loose[]).map(({ path }) => path)
  expect(paths).toEqual(['/body/agents/0/content/tools/0/workflow', '/body/agents/0/content/tools/1/workflow'])
})
