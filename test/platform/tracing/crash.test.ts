/** A run is one trace across crashes and servers. Source: contract 13, "Traces". */
import { afterAll, expect, test } from 'bun:test'
import { endAll, eventually, Site } from '../../support/process.ts'
import { inState, start, stepsOf } from '../../support/run-records.ts'
import { assertWhole, openCollector } from '../../support/services/collector.ts'

const sites: Site[] = []
afterAll(async () => {
  await endAll()
  for (const site of sites) await site.remove()
})

test('killed during its runs, and again, the server exports each trace completely, and each span once', async () => {
  const collector = openCollector()
  const site = await Site.create({
    TROUPE_ATTEMPT_BACKOFF_MS: '20',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // ended spans wait longer than the server lives
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  })
  sites.push(site)
  const first = await site.start()
  const calls = '/call calculator {"expression":"1+1"}\n/call calculator {"expression":"2+2"}'
  const ended = await start(first.client, `${calls}\n/say Over before the crash`)
  const working = await Promise.all(
    [1, 2, 3, 4].map((count) =>
      start(first.client, `${calls}\n/sleep ${count < 4 ? 3_000 : 1}\n/say ${count}`, { maxRetries: 5 }),
    ),
  )
  const canceled = await start(first.client, `${calls}\n/sleep 60000`, { maxRetries: 5 })
  await inState(first.client, ended.id, 'completed')
  await Promise.all(
    [...working.slice(0, 3), canceled].map(({ id }) =>
      eventually(
        'two tool calls',
        async () =>
          (await stepsOf(first.client, id)).filter(({ kind, status }) => kind === 'tool' && status === 'completed')
            .length === 2,
      ),
    ),
  )
  expect(collector.spans).toEqual([])
  await first.end('SIGKILL')

  const second = await site.start()
  for (const { id } of [...working.slice(0, 3), canceled]) await inState(second.client, id, 'running', 'completed')
  await second.client.post(`/api/v1/agent-runs/${canceled.id}/cancel`)
  await second.end('SIGKILL')

  const third = await site.start({ OTEL_BSP_SCHEDULE_DELAY: '50' })
  for (const { id } of working) await inState(third.client, id, 'completed')
  await inState(third.client, canceled.id, 'canceled')
  const ids = [ended, ...working, canceled].map(({ id }) => id as string)
  const owns = () => collector.spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === 'invoke_agent')
  await eventually('every run', () => owns().length >= ids.length)
  expect(await third.end('SIGTERM')).toBe(0)

  assertWhole(collector.spans)
  expect(
    owns()
      .map(({ attributes }) => attributes['gen_ai.conversation.id'] as string)
      .sort(),
  ).toEqual([...ids].sort())
  for (const own of owns()) {
    const trace = collector.spans.filter(({ traceId }) => traceId === own.traceId)
    const ofRun = collector.spans.filter(
      ({ kind, attributes }) =>
        kind !== 2 && attributes['troupe.agent_run.id'] === own.attributes['troupe.agent_run.id'],
    )
    expect(new Set(ofRun.map(({ traceId }) => traceId)).size).toBe(1)
    const attempts = trace.filter(({ name }) => name.startsWith('attempt '))
    expect(attempts).toHaveLength(own.attributes['troupe.agent_run.attempts'] as number)
    expect(trace.filter(({ name }) => name === 'execute_tool calculator').length).toBeGreaterThanOrEqual(2)
  }
  const lost = collector.spans.filter(({ name, message }) => name === 'attempt 1' && message === 'lease_lost')
  expect(lost.length).toBeGreaterThanOrEqual(3)
  const repeated = owns().filter(({ attributes }) => (attributes['troupe.agent_run.attempts'] as number) > 1)
  expect(lost).toHaveLength(repeated.length)
  await collector.stop()
})
