/** Disabled traces cost nothing, and a failing collector costs runs nothing. Source: contract 13, "Traces". */
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { readConfig } from '../../../src/config.ts'
import { type ExportFailure, type ExportOptions, ThreadExporter } from '../../../src/platform/tracing/exporter.ts'
import { tracesAreOn } from '../../../src/platform/tracing/settings.ts'
import { SpanQueue, spanText } from '../../../src/platform/tracing/span-queue.ts'
import { newSpanId, newTraceId, spanIdOfPart } from '../../../src/platform/tracing/trace-context.ts'
import { eventually } from '../../support/process.ts'
import { inState, start } from '../../support/run-records.ts'
import { assertWhole, openCollector } from '../../support/services/collector.ts'
import { openTroupe } from '../../support/troupe.ts'

const stops: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const stop of stops.reverse()) await stop()
})

const open = async (environment: Record<string, string>) => {
  const collector = openCollector()
  const troupe = await openTroupe({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20', ...environment },
  })
  stops.push(collector.stop, troupe.stop)
  const metric = async (name: string) => {
    const text = await (await fetch(`${troupe.url}/metrics`)).text()
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.slice(name.length + 1),
    )
  }
  return { collector, troupe, metric }
}

test('disabled, they load no module of the SDK', async () => {
  const loaded = (paths: string[]) =>
    paths.filter((path) => /@opentelemetry.(?!api.)|tracing.sampler.ts/.test(path)).length
  const program = `
    const { readConfig } = await import('./src/config.ts')
    const { createLogger } = await import('./src/platform/operating/logger.ts')
    const { startServer } = await import('./src/server/server.ts')
    const server = await startServer(readConfig(process.env).config, createLogger('silent'))
    await fetch(server.url + '/healthz')
    console.log(JSON.stringify(Object.keys(require.cache)))
    await server.stop()
    process.exit(0)`
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: join(import.meta.dir, '../../..'),
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      TROUPE_STORE: 'sqlite::memory:',
      TROUPE_RUNNER: 'none',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_SDK_DISABLED: 'true',
    },
    stderr: 'inherit',
  })
  const paths = JSON.parse(await new Response(child.stdout).text()) as string[]
  expect(paths.length).toBeGreaterThan(100)
  expect(loaded(paths)).toBe(0)
  // the same check finds the modules where they are loaded
  await open({})
  expect(loaded(Object.keys(require.cache))).toBeGreaterThan(10)
})

test('disabled, runs have no trace, and no receiver gets one', async () => {
  const { collector, troupe } = await open({ OTEL_TRACES_EXPORTER: 'none' })
  const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
  const { body } = await troupe.owner.post(
    '/api/v1/agent-runs',
    { agentId: 'agt_system_assistant', query: 'Hello' },
    { headers: { traceparent } },
  )
  await inState(troupe.owner, body.data.id, 'completed')
  expect(await (await fetch(`${troupe.url}/metrics`)).text()).not.toContain('troupe_trace')
  expect(collector.requests).toHaveLength(0)
})

test.each(['away', 'full', 'slow'] as const)('a collector that is %s does not affect runs', async (how) => {
  const { collector, troupe, metric } = await open({
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    OTEL_BSP_MAX_QUEUE_SIZE: '20',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10',
  })
  collector.behave(how)
  const runs = await Promise.all(Array.from({ length: 20 }, (_, count) => start(troupe.owner, `/say ${count}`)))
  for (const { id } of runs) await inState(troupe.owner, id, 'completed')
  // bounded, and each dropped span is counted
  expect(await metric('troupe_trace_spans_waiting')).toBeLessThanOrEqual(20)
  await eventually('drops of both kinds', async () => {
    const dropped = ['queue_full', 'export_failed'].map((why) =>
      metric(`troupe_trace_spans_dropped_total{reason="${why}"}`),
    )
    return (await Promise.all(dropped)).every((count) => count > 0)
  })
  expect(JSON.stringify(troupe.lines)).not.toContain('a text of the vendor')

  collector.behave('well')
  await eventually('nothing that waits', async () => (await metric('troupe_trace_spans_waiting')) === 0)
  const before = collector.spans.length
  const later = await start(troupe.owner, '/say Well again')
  await eventually('its trace', () =>
    collector.spans.slice(before).some(({ attributes }) => attributes['gen_ai.conversation.id'] === later.id),
  )
})

test('a failing export thread is replaced, and its spans in progress are counted as dropped', async () => {
  const collector = openCollector()
  stops.push(collector.stop)
  const { config } = readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1' })
  const programs = ["throw new Error('It does not start.')", 'process.exit(1)']
  const threads = {
    replaceAfterMs: 1,
    start(options: ExportOptions) {
      const program = programs.shift()
      return program === undefined
        ? new Worker(join(import.meta.dir, '../../../src/platform/tracing/export-thread.ts'), { workerData: options })
        : new Worker(program, { eval: true })
    },
  }
  const failures: ExportFailure[] = []
  const exporter = new ThreadExporter(config, 'server', threads)
  const queue = new SpanQueue({ settings: config, exporter, onTrouble: (failure) => failures.push(failure) })
  const settled: string[] = []
  const span = (name: string) =>
    spanText({
      traceId: newTraceId(),
      spanId: newSpanId(),
      parentSpanId: null,
      tracestate: null,
      name,
      kind: 'internal',
      startedAt: 1_000.25,
      endedAt: 1_001.5,
      attributes: { list: ['one', 'two'], share: 0.5, flag: true },
    })
  for (const name of ['first', 'second', 'third']) {
    queue.add([span(name)], () => settled.push(name))
    await eventually(`the end of the ${name}`, () => settled.includes(name))
  }
  expect(failures.map(({ name }) => name)).toEqual(['ExportThreadFailed', 'ExportThreadFailed'])
  expect(queue.statistics).toEqual({ exported: 1, droppedByQueue: 0, droppedByExport: 2, waiting: 0 })
  const attributes = { list: ['one', 'two'], share: 0.5, flag: true }
  expect(collector.spans).toMatchObject([{ name: 'third', startedAt: 1_000.25, endedAt: 1_001.5, attributes }])
  // waiting spans are exported at a stop
  queue.add([span('last')], () => settled.push('last'))
  await queue.close(60_000)
  expect(settled).toEqual(['first', 'second', 'third', 'last'])
  queue.add([span('too late')])
  expect(queue.statistics).toMatchObject({ exported: 2, droppedByQueue: 1, waiting: 0 })
})

test('spans are sent as JSON, compressed, to a separate address, according to the settings', async () => {
  const collector = openCollector()
  stops.push(collector.stop)
  const { troupe } = await open({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  })
  const { id } = await start(troupe.owner, '/say Hello')
  await eventually('its trace', () =>
    collector.spans.some(({ attributes }) => attributes['troupe.agent_run.state'] === 'completed'),
  )
  await inState(troupe.owner, id, 'completed')
  assertWhole(collector.spans.filter(({ attributes }) => attributes['gen_ai.conversation.id'] === id))
  expect(collector.requests[0]?.get('content-type')).toBe('application/json')
  expect(collector.requests[0]?.get('content-encoding')).toBe('gzip')
})

test('content is exported only if the operator wants it, and truncated', async () => {
  const { collector, troupe } = await open({
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT: '600',
  })
  const { id } = await start(troupe.owner, `/call calculator {"expression":"6*7"}\n/say ${'w'.repeat(2_000)}`)
  await inState(troupe.owner, id, 'completed')
  const spans = await eventually('its trace', () => {
    const found = collector.spans.filter(({ attributes }) => attributes['troupe.agent_run.id'] === id)
    return found.length >= 5 && found
  })
  const of = (name: string) => spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === name)
  const [tool] = of('execute_tool')
  expect(JSON.parse(tool?.attributes['gen_ai.tool.call.arguments'] as string)).toEqual({ expression: '6*7' })
  expect(JSON.parse(tool?.attributes['gen_ai.tool.call.result'] as string)).toEqual({ result: 42 })
  const [first, second] = of('chat')
  expect(first?.attributes['gen_ai.input.messages']).toStartWith(
    '[{"role":"user","parts":[{"type":"text","content":"/call calc',
  )
  expect(JSON.parse(first?.attributes['gen_ai.output.messages'] as string)).toEqual([
    {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'call_1', name: 'calculator', arguments: { expression: '6*7' } }],
    },
  ])
  expect(first?.attributes['gen_ai.system_instructions']).toBeString()
  expect(String(second?.attributes['gen_ai.output.messages'])).toHaveLength(600)
})

test('traces are enabled by an endpoint, unless they are disabled explicitly', () => {
  const on = (environment: Record<string, string>) => tracesAreOn(readConfig(environment).config)
  expect(on({})).toBe(false)
  expect(on({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toBe(true)
  expect(on({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/in' })).toBe(true)
  expect(on({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' })).toBe(false)
  expect(on({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' })).toBe(false)
})

test.each([
  ['parentbased_always_on', undefined, { root: 1_000, sampled: 1_000, unsampled: 0 }],
  ['parentbased_always_off', undefined, { root: 0, sampled: 1_000, unsampled: 0 }],
  ['always_on', undefined, { root: 1_000, sampled: 1_000, unsampled: 1_000 }],
  ['always_off', undefined, { root: 0, sampled: 0, unsampled: 0 }],
  ['parentbased_traceidratio', '0', { root: 0, sampled: 1_000, unsampled: 0 }],
  ['traceidratio', '1', { root: 1_000, sampled: 1_000, unsampled: 1_000 }],
] as const)(
  'the sampler %s with %p decides on new traces and on those of callers',
  async (sampler, argument, counts) => {
    const { openSampler } = await import('../../../src/platform/tracing/sampler.ts')
    const { config } = readConfig({
      OTEL_TRACES_SAMPLER: sampler,
      ...(argument && { OTEL_TRACES_SAMPLER_ARG: argument }),
    })
    const sample = openSampler(config)
    const count = (sampled?: boolean) =>
      Array.from({ length: 1_000 }, () => newTraceId()).filter((traceId) =>
        sample(traceId, sampled === undefined ? null : { traceId, spanId: '1'.repeat(16), sampled, tracestate: null }),
      ).length
    expect({ root: count(), sampled: count(true), unsampled: count(false) }).toEqual(counts)
  },
)

test('a fraction of the traces is sampled, the same on every server', async () => {
  const { openSampler } = await import('../../../src/platform/tracing/sampler.ts')
  const { config } = readConfig({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' })
  const [one, other] = [openSampler(config), openSampler(config)]
  const ids = Array.from({ length: 4_000 }, () => newTraceId())
  const sampled = ids.filter((traceId) => one(traceId, null))
  expect(sampled.length).toBeGreaterThan(700)
  expect(sampled.length).toBeLessThan(1_300)
  expect(ids.filter((traceId) => other(traceId, null))).toEqual(sampled)
})

test('parts of a span have ids that any process can compute', () => {
  const whole = newSpanId()
  const ids = [1, 2, 3, 2 ** 31, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER].map((part) => spanIdOfPart(whole, part))
  expect(new Set([whole, ...ids]).size).toBe(ids.length + 1)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/)
  expect(spanIdOfPart(whole, 2)).toBe(ids[1] as string)
})
