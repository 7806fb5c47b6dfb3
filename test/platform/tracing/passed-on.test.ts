/**
 * Traces are propagated to operations over HTTP, MCP servers, workers, Agents, workflows, webhooks, model gateways and
 * runners. Source: contract 13, "Traces".
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startFake } from '../../automation/mcp/servers.ts'
import { httpOperation } from '../../automation/operations/world.ts'
import { openWorkers, type WorkersWorld, workerOperation } from '../../automation/workers/world.ts'
import { receiver } from '../../events/webhooks/world.ts'
import { eventually } from '../../support/process.ts'
import { assertWhole, type CollectedSpan, type Collector, openCollector } from '../../support/services/collector.ts'
import { echoOperation } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'

let collector: Collector
let world: WorkersWorld
const runnerToken = 'runner-token-of-the-tests'
beforeAll(async () => {
  collector = openCollector()
  world = await openWorkers({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
      TROUPE_RUNNER_TOKEN: runnerToken,
    },
  })
})
afterAll(async () => {
  await world.stop()
  await collector.stop()
})

const spanOf = (traceparent: string | undefined): Promise<CollectedSpan> => {
  const [, traceId, spanId, flags] = String(traceparent).split('-')
  expect(flags).toBe('01')
  return eventually(`the span ${traceparent}`, () =>
    collector.spans.find((span) => span.traceId === traceId && span.spanId === spanId),
  )
}
const traceOf = ({ traceId }: Pick<CollectedSpan, 'traceId'>) =>
  collector.spans.filter((span) => span.traceId === traceId)
const caller = () => {
  const trace = crypto.randomUUID().replaceAll('-', '')
  return { trace, span: trace.slice(8, 24), headers: { traceparent: `00-${trace}-${trace.slice(8, 24)}-01` } }
}
const ownSpan = (name: string, id: string, attribute: string) =>
  eventually(`${name} of ${id}`, () =>
    collector.spans.find((span) => span.name.startsWith(name) && span.attributes[attribute] === id),
  )

test('an operation over HTTP gets the trace of its tool step', async () => {
  const operations = [
    httpOperation('find', { path: '/find' }),
    httpOperation('own', { path: '/own', headers: { traceparent: 'of the author' } }),
  ]
  const { place, agent } = await world.serving(operations)
  world.shop.asked.length = 0
  const run = await world.run(place, agent.agentId, '/call find {}\n/call own {}\n/say Done')
  const traceparentOf = (path: string) =>
    world.shop.asked.find((asked) => asked.path === `/v1${path}`)?.headers.traceparent
  const tool = await spanOf(traceparentOf('/find'))
  expect(tool).toMatchObject({ name: 'execute_tool find', attributes: { 'troupe.agent_run.id': run.id } })
  expect(traceparentOf('/own')).toBe('of the author')
  await ownSpan('invoke_agent', run.id, 'gen_ai.conversation.id')
  assertWhole(traceOf(tool))
})

test('a request that calls an operation has a span of the call, below its caller, and propagates an unsampled trace', async () => {
  const served = await world.serving([httpOperation('find', { path: '/direct' })])
  world.shop.asked.length = 0
  const { span, headers, trace } = caller()
  const at = `${served.place.path}/agents/${served.agent.agentId}/operations/shop.find/invoke`
  expect((await world.owner.post(at, { input: {} }, { headers: { ...headers, tracestate: 'a=1' } })).status).toBe(200)
  const [asked] = world.shop.asked
  const call = await spanOf(asked?.headers.traceparent)
  expect(asked?.headers.tracestate).toBe('a=1')
  expect(call).toMatchObject({ name: 'execute_tool shop.find', traceId: trace, parentSpanId: span })
  await world.owner.post(at, { input: {} }, { headers: { traceparent: headers.traceparent.replace(/01$/, '00') } })
  expect(world.shop.asked[1]?.headers.traceparent).toStartWith(`00-${trace}-`)
  expect(world.shop.asked[1]?.headers.traceparent).toEndWith('-00')
})

test('an MCP server gets it in the header and in the request', async () => {
  const fake = startFake([{ name: 'add', description: 'Does add.' }])
  const operation = echoOperation('add', { handler: { type: 'mcp', connection: 'shop', tool: 'add' } })
  const { place, agent } = await world.serving([operation], { settings: { baseUrl: fake.url } })
  await world.run(place, agent.agentId, '/call add {}\n/say Done')
  const call = await eventually('the call', () => fake.asked.find(({ method }) => method === 'tools/call'))
  expect(await spanOf(call.headers.traceparent)).toMatchObject({ name: 'execute_tool add' })
  expect(call.params._meta).toMatchObject({ traceparent: call.headers.traceparent as string })
  await fake.stop()
})

test('a worker gets it with its lease', async () => {
  const served = await world.serving([workerOperation('charge')])
  const { id } = await data(world.start(served.place, served.agent.agentId, '/call charge {}\n/say Done'))
  const lease = (await world.leased(served)) as { traceparent?: string } & Awaited<ReturnType<typeof world.leased>>
  await world.complete(served, lease, { output: {} })
  await world.ended(id)
  expect(await spanOf(lease.traceparent)).toMatchObject({
    name: 'execute_tool charge',
    attributes: { 'troupe.agent_run.id': id },
  })
})

test('a workflow and its steps are one trace, also one that is refused before it is called', async () => {
  const inputSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  const operations = [httpOperation('find', { path: '/step' }), httpOperation('strict', {}, { inputSchema })]
  const served = await world.serving(operations, {
    definitions: async (place) => {
      const workflow = async (name: string, steps: object[]) => {
        const { id: definitionId } = await data(
          world.owner.post(`${place.project}/definitions`, { name, kind: 'workflow' }),
        )
        const path = `${place.project}/definitions/${definitionId}/revisions`
        const { id } = await data(world.owner.post(path, { source: { params: {}, steps } }))
        return { definitionId, definitionRevisionId: id }
      }
      return [
        await workflow('order', [
          { id: 'first', operation: 'shop.find' },
          { id: 'second', operation: 'shop.find', after: ['first'] },
        ]),
        await workflow('refusing', [{ id: 'strict', operation: 'shop.strict', input: { name: '{{params.none}}' } }]),
      ]
    },
  })
  world.shop.asked.length = 0
  const startWorkflow = async (definitionIdOrName: string) => {
    const body = { agentId: served.agent.agentId, definitionIdOrName }
    return (await data<{ workflowRunId: string }>(world.owner.post(`${served.place.path}/workflows`, body)))
      .workflowRunId
  }
  const workflowRunId = await startWorkflow('order')
  const own = await ownSpan('invoke_workflow order', workflowRunId, 'troupe.workflow_run.id')
  expect(own).toMatchObject({ parentSpanId: '', attributes: { 'troupe.workflow_run.state': 'completed' } })
  await eventually('its request', () => traceOf(own).some(({ kind }) => kind === 2))
  const spans = traceOf(own)
  assertWhole(spans)
  for (const stepId of ['first', 'second']) {
    const step = spans.find(({ name }) => name === `workflow_step ${stepId}`)
    expect(step).toMatchObject({
      parentSpanId: own.spanId,
      attributes: {
        'troupe.workflow_run.id': workflowRunId,
        'troupe.workflow_step.id': stepId,
        'gen_ai.tool.name': 'shop.find',
      },
    })
  }
  expect((await spanOf(world.shop.asked[0]?.headers.traceparent)).name).toBe('workflow_step first')

  const refusing = await startWorkflow('refusing')
  const failed = await ownSpan('invoke_workflow refusing', refusing, 'troupe.workflow_run.id')
  const strict = await ownSpan('workflow_step strict', refusing, 'troupe.workflow_run.id')
  expect(strict).toMatchObject({
    traceId: failed.traceId,
    parentSpanId: failed.spanId,
    status: 2,
    message: strict.attributes['error.type'] as string,
    attributes: { 'gen_ai.tool.name': 'shop.strict', 'troupe.workflow_step.attempt': 1 },
  })
})

test('the run of an Agent that an operation starts is below the call', async () => {
  const place = await world.place()
  const clerk = await world.agent(place, {})
  const ask = echoOperation('ask', { handler: { type: 'agent', agent: clerk.slug, query: '/say Hello' } })
  const { agent } = await world.serving([ask], { others: [clerk] }, place)
  const run = await world.run(place, agent.agentId, '/call ask {}\n/say Done')
  const own = await ownSpan('invoke_agent', run.id, 'gen_ai.conversation.id')
  const spans = traceOf(own)
  assertWhole(spans)
  const call = spans.find(({ name }) => name === 'execute_tool ask')
  const child = spans.find(
    ({ attributes }) => attributes['gen_ai.agent.id'] === clerk.agentId && attributes['troupe.agent_run.state'],
  )
  expect(child?.parentSpanId).toBe(call?.spanId as string)
})

test('each attempt of a delivery is a span below its run, and its receiver gets the trace', async () => {
  const { place, agent } = await world.serving([echoOperation()])
  const hook = receiver((_, count) => new Response(null, { status: count === 1 ? 500 : 204 }))
  await data(world.owner.post(`${place.path}/webhooks`, { endpointUrl: hook.url, eventTypes: ['run.completed'] }))
  const run = await world.run(place, agent.agentId, '/say Hello')
  const own = await ownSpan('invoke_agent', run.id, 'gen_ai.conversation.id')
  const first = await eventually('the delivery', () => hook.received[0])
  const attempt = await spanOf(first.headers.traceparent)
  expect(attempt).toMatchObject({
    name: 'deliver run.completed',
    kind: 3,
    traceId: own.traceId,
    parentSpanId: own.spanId,
    status: 2,
    attributes: { 'http.response.status_code': 500, 'troupe.delivery.attempt': 1 },
  })
  hook.stop()
})

test('a model gateway gets the trace of the step; an external runner that of the run, and its requests are below it', async () => {
  await world.credential('openai')
  const { place, agent } = await world.serving([echoOperation()])
  world.vendor.asked.length = 0
  const run = await world.run(place, agent.agentId, 'Hello', { provider: 'openai', model: 'gpt-5.5' })
  expect(run.state).toBe('completed')
  expect(await spanOf(world.vendor.asked[0]?.headers.traceparent)).toMatchObject({
    name: 'chat gpt-5.5',
    attributes: { 'gen_ai.provider.name': 'openai', 'troupe.agent_run.id': run.id },
  })
})

test('a trace survives the wait for an approval', async () => {
  const served = await world.serving([echoOperation('pay', { approval: 'always' })])
  const { id } = await data(world.start(served.place, served.agent.agentId, '/call pay {}\n/say Done'))
  const approval = await eventually('the approval', async () => {
    const { items } = await data<{ items: { id: string }[] }>(
      world.owner.get(served.approvals, { query: { status: 'pending' } }),
    )
    return items[0]
  })
  await data(world.owner.post(`${served.approvals}/${approval.id}/approve`, {}))
  await world.ended(id)
  const own = await ownSpan('invoke_agent', id, 'gen_ai.conversation.id')
  const spans = traceOf(own)
  assertWhole(spans)
  expect(spans.filter(({ name }) => name === 'execute_tool pay')).toHaveLength(1)
  expect(spans.filter(({ name }) => name.startsWith('attempt'))).toHaveLength(2)
})
