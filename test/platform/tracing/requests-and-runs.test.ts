/** Traces as received by a collector: requests and runs. Source: contract 13, "Traces" and its precise points. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { eventually } from '../../support/process.ts'
import { agentId, inState, start } from '../../support/run-records.ts'
import { assertWhole, type Collector, openCollector } from '../../support/services/collector.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'

let collector: Collector
let troupe: Troupe
beforeAll(async () => {
  collector = openCollector()
  troupe = await openTroupe({
    clock: systemClock,
    logLevel: 'debug',
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=ours%20alone, authorization=Basic abc',
      OTEL_BSP_SCHEDULE_DELAY: '20',
      OTEL_SERVICE_NAME: 'troupe-of-the-tests',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%2Cb',
    },
  })
})
afterAll(async () => {
  await troupe.stop()
  await collector.stop()
})

const traceId = () => crypto.randomUUID().replaceAll('-', '')
const spanId = () => traceId().slice(0, 16)
const caller = (trace = traceId(), span = spanId(), flags = '01') => ({
  trace,
  span,
  headers: { traceparent: `00-${trace}-${span}-${flags}` },
})

const spansOf = (trace: string) => collector.spans.filter((span) => span.traceId === trace)

/** The spans of the run's trace, once the run's own and all announced ones have arrived. */
const traceOf = (runId: string, count: number) =>
  eventually(`${count} spans of ${runId}`, () => {
    const own = collector.spans.find(
      ({ name, attributes }) => name.startsWith('invoke_agent') && attributes['troupe.agent_run.id'] === runId,
    )
    const spans = own ? spansOf(own.traceId) : []
    return spans.length >= count && spans
  })

const named = <Span extends { name: string }>(spans: readonly Span[], name: string): Span => {
  const found = spans.filter((span) => span.name === name)
  expect({ name, count: found.length }).toEqual({ name, count: 1 })
  return found[0] as Span
}

test('a fork is a trace of its own', async () => {
  const { id } = await start(troupe.owner, 'Hello')
  await inState(troupe.owner, id, 'completed')
  const filter = { ids: [id] }
  expect((await troupe.owner.post('/api/v1/bulk-actions', { action: 'fork', filter })).status).toBe(202)
  const fork = await eventually('the fork', async () => {
    const { body } = await troupe.owner.get('/api/v1/agent-runs', { query: { limit: 20 } })
    const runs = body.agentRuns as { id: string; forkedFrom?: { agentRunId: string } }[]
    return runs.find(({ forkedFrom }) => forkedFrom?.agentRunId === id)
  })
  await inState(troupe.owner, fork.id, 'completed')
  const spans = await traceOf(fork.id, 3)
  assertWhole(spans)
  const [source] = await traceOf(id, 3)
  expect(spans[0]?.traceId).not.toBe(source?.traceId)
})

test('a run is one trace: its request, its attempt, its models and its tools', async () => {
  const { id } = await start(troupe.owner, '/call calculator {"expression":"6*7"}\n/say Forty-two.')
  await inState(troupe.owner, id, 'completed')
  const spans = await traceOf(id, 6)
  assertWhole(spans)

  const own = named(spans, 'invoke_agent Assistant')
  expect(own).toMatchObject({
    parentSpanId: '',
    kind: 1,
    status: 0,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'troupe.sandbox',
      'gen_ai.agent.id': agentId,
      'gen_ai.conversation.id': id,
      'troupe.agent_run.id': id,
      'troupe.agent_run.state': 'completed',
      'troupe.agent_run.attempts': 1,
    },
    resource: {
      'service.name': 'troupe-of-the-tests',
      'deployment.environment.name': 'test',
      team: 'a,b',
      'telemetry.sdk.language': 'nodejs',
    },
  })
  const request = named(spans, 'POST /api/v1/agent-runs')
  expect(request).toMatchObject({
    kind: 2,
    parentSpanId: own.spanId,
    attributes: { 'http.request.method': 'POST', 'http.route': '/api/v1/agent-runs', 'http.response.status_code': 200 },
  })
  const attempt = named(spans, 'attempt 1')
  expect(attempt.parentSpanId).toBe(own.spanId)
  const models = spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')
  expect(models).toHaveLength(2)
  for (const model of models) {
    expect(model).toMatchObject({
      name: `chat ${model.attributes['gen_ai.request.model']}`,
      kind: 3,
      parentSpanId: attempt.spanId,
      attributes: { 'gen_ai.provider.name': 'troupe.sandbox', 'troupe.agent_run.id': id },
    })
    expect(model.attributes['gen_ai.usage.input_tokens']).toBeGreaterThan(0)
    expect(model.attributes['gen_ai.usage.output_tokens']).toBeNumber()
  }
  expect(models.map(({ attributes }) => attributes['gen_ai.response.finish_reasons'])).toEqual([
    ['tool_calls'],
    ['stop'],
  ])
  expect(named(spans, 'execute_tool calculator')).toMatchObject({
    kind: 1,
    parentSpanId: attempt.spanId,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'calculator',
      'gen_ai.tool.call.id': 'call_1',
      'troupe.agent_run.id': id,
    },
  })
  for (const { startedAt, endedAt } of spans) expect(endedAt).toBeGreaterThanOrEqual(startedAt)
  // no content
  expect(JSON.stringify(spans)).not.toMatch(/Forty-two|6\*7/)
  expect(collector.requests[0]?.get('x-tenant')).toBe('ours alone')
  expect(collector.requests[0]?.get('authorization')).toBe('Basic abc')
})

test("a run continues its caller's trace, and passes `tracestate` on", async () => {
  const { trace, span, headers } = caller()
  const asked = { headers: { ...headers, tracestate: 'vendor=a1,other=b2', baggage: 'secret=of-the-tenant' } }
  const { status, body } = await troupe.owner.post('/api/v1/agent-runs', { agentId, query: 'Hello' }, asked)
  expect(status).toBe(200)
  const spans = await traceOf(body.data.id, 4)
  assertWhole(spans, [span])
  expect(new Set(spans.map(({ traceId: id }) => id))).toEqual(new Set([trace]))
  for (const name of ['POST /api/v1/agent-runs', 'invoke_agent Assistant']) {
    expect(named(spans, name).parentSpanId).toBe(span)
  }
  for (const { traceState } of spans) expect(traceState).toBe('vendor=a1,other=b2')
  expect(JSON.stringify(collector.spans)).not.toContain('of-the-tenant')
})

test('a continued run stays in its trace, below the same span, which is exported once', async () => {
  const { id } = await start(troupe.owner, '/say One')
  await inState(troupe.owner, id, 'completed')
  await traceOf(id, 4)
  expect((await troupe.owner.post(`/api/v1/agent-runs/${id}/continue`, { query: '/say Two' })).status).toBe(200)
  const spans = await traceOf(id, 6)
  assertWhole(spans)
  const own = named(spans, 'invoke_agent Assistant')
  expect(named(spans, 'attempt 2')).toMatchObject({
    parentSpanId: own.spanId,
    attributes: { 'troupe.agent_run.chain': 2 },
  })
})

test('a failure has its code, and a retry is an attempt of the same trace', async () => {
  const { id } = await start(troupe.owner, '/flaky 1\n/say At last')
  await inState(troupe.owner, id, 'completed')
  const spans = await traceOf(id, 6)
  assertWhole(spans)
  expect(named(spans, 'attempt 1')).toMatchObject({ status: 2, message: 'provider_error' })
  expect(named(spans, 'attempt 2')).toMatchObject({ status: 0 })
  // the usage of both attempts
  const used = (name: string, kind: 'input' | 'output') => named(spans, name).attributes[`gen_ai.usage.${kind}_tokens`]
  for (const kind of ['input', 'output'] as const) {
    const ofAttempts = [used('attempt 1', kind), used('attempt 2', kind)].map((count) => Number(count ?? 0))
    expect(used('invoke_agent Assistant', kind)).toBe((ofAttempts[0] ?? 0) + (ofAttempts[1] ?? 0))
  }
  expect(used('invoke_agent Assistant', 'output')).toBeGreaterThan(0)

  const failing = await start(troupe.owner, '/fail Words of a vendor', { maxRetries: 0 })
  await inState(troupe.owner, failing.id, 'failed')
  const failed = await traceOf(failing.id, 4)
  const own = named(failed, 'invoke_agent Assistant')
  expect(own).toMatchObject({ status: 2, attributes: { 'troupe.agent_run.state': 'failed' } })
  expect(own.message).toBe(own.attributes['error.type'] as string)
  expect(JSON.stringify(failed)).not.toContain('Words of a vendor')
})

test('a request that starts nothing is a separate trace; errors have their code', async () => {
  const { trace, span, headers } = caller()
  await troupe.owner.get('/api/v1/agent-runs/run_01kb000000e000000000000000', { headers })
  await troupe.owner.get('/api/v1/nowhere', { headers, unchecked: true })
  const spans = await eventually('both requests', () => spansOf(trace).length >= 2 && spansOf(trace))
  expect(named(spans, 'GET /api/v1/agent-runs/:agentRunId')).toMatchObject({
    parentSpanId: span,
    status: 0,
    attributes: {
      'http.response.status_code': 404,
      'error.type': 'not_found',
      'troupe.agent_run.id': 'run_01kb000000e000000000000000',
    },
  })
  expect(named(spans, 'GET unmatched').attributes['http.response.status_code']).toBe(404)
})

test('requests of monitors are not traced', async () => {
  const { trace, headers } = caller()
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await fetch(troupe.url + path, { headers })).status).toBe(200)
  }
  await troupe.owner.get('/api/v1/agent-runs', { headers })
  const spans = await eventually('the list', () => spansOf(trace).length > 0 && spansOf(trace))
  expect(spans.map(({ name }) => name)).toEqual(['GET /api/v1/agent-runs'])
})

test.each([
  '00-x',
  `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`,
  `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`,
  `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01-more`,
  `00-${'A'.repeat(32)}-${'1'.repeat(16)}-01`,
])('the traceparent %j is invalid, and a new trace begins', async (traceparent) => {
  const answer = await troupe.owner.get('/api/v1/me', { headers: { traceparent, 'x-request-id': `of ${traceparent}` } })
  const span = await eventually('the request', () =>
    collector.spans.find(({ attributes }) => attributes['troupe.request.id'] === answer.requestId),
  )
  expect(span.parentSpanId).toBe('')
})

test('a trace that its caller does not sample is not exported', async () => {
  const { trace, headers } = caller(undefined, undefined, '00')
  const { body } = await troupe.owner.post('/api/v1/agent-runs', { agentId, query: 'Hello' }, { headers })
  await inState(troupe.owner, body.data.id, 'completed')
  const { id } = await start(troupe.owner, 'Later')
  await traceOf(id, 4)
  expect(spansOf(trace)).toEqual([])
})

test('log lines of a request contain its trace', async () => {
  const { trace, headers } = caller()
  await troupe.owner.get('/api/v1/agent-runs/run_01kb000000e000000000000000', { headers })
  const spans = await eventually('the request', () => spansOf(trace).length > 0 && spansOf(trace))
  const lines = troupe.lines.filter((line) => line.trace_id === trace)
  expect(lines.map(({ msg }) => msg)).toEqual(['request refused', 'request answered'])
  for (const line of lines) expect(line.span_id).toBe(spans[0]?.spanId as string)
})

test('no row of a span stays in the store, and exported spans are counted', async () => {
  const { id } = await start(troupe.owner, 'Hello')
  await traceOf(id, 4)
  const count = async (name: string) => {
    const text = await (await fetch(`${troupe.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }
  await eventually('nothing waits', async () => (await count('troupe_trace_spans_waiting')) === 0)
  expect(await count('troupe_trace_spans_exported_total')).toBe(collector.spans.length)
  expect(await count('troupe_trace_spans_dropped_total{reason="queue_full"}'.replace(/[{}"]/g, '\\$&'))).toBe(0)
  expect(JSON.stringify(troupe.lines)).not.toContain('spans that are exported')
})
