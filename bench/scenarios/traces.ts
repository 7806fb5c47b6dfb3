/**
 * The cost of traces: the processor time of a server that sends its spans to a collector, against the same server
 * without, for admission and for lifecycle.
 */
import type { Plan } from '../compare.ts'
import type { Operation } from '../load.ts'
import { compareProcessorTime, processorText } from '../processor-time.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, startTroupe } from '../server.ts'
import { lifecycle, metric, same, startBytes } from '../troupe.ts'

const clients = 32
const mostPercent = 110

const sides: { what: string; settings: Record<string, string>; operation: (key: string) => Operation }[] = [
  {
    what: 'admission, no runner',
    settings: { TROUPE_RUNNER: 'none' },
    operation: (key: string) => same(startBytes(key, 'How are you?')),
  },
  { what: 'lifecycle', settings: {}, operation: (key: string) => lifecycle({ key }) },
]

/** Accepts spans and drops them, at the cost of the load's process, not the server's. */
const openSink = () =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.arrayBuffer()
      return new Response(new Uint8Array(), { headers: { 'content-type': 'application/x-protobuf' } })
    },
  })

export async function traces(plan: Plan): Promise<Row[]> {
  const rows: Row[] = []
  const sink = openSink()
  for (const { what, settings, operation } of sides) {
    const folders = [freshFolder(), freshFolder()] as const
    const off = await startTroupe({ folder: folders[0], settings })
    const on = await startTroupe({
      folder: folders[1],
      settings: { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${sink.port}` },
    })
    const operations = { with: operation(on.key), without: operation(off.key) }
    const taken = await compareProcessorTime(plan, clients, { with: on, without: off }, operations)
    const exported = await metric(on, 'troupe_trace_spans_exported_total')
    const dropped = await metric(on, 'troupe_trace_spans_dropped_total{reason="queue_full"}')
    await Promise.all([on.stop(), off.stop()])
    for (const folder of folders) removeFolder(folder)
    const arrived = Math.round((100 * exported) / Math.max(1, exported + dropped))
    rows.push({
      what: `${what}, ${clients} clients, traces on`,
      ratio: taken.ratio.serving,
      baseline: 'the time of the serving thread without',
      value: `${processorText(taken)}; ${arrived} % of spans exported`,
      aim: `≤ ${mostPercent} %`,
      met: taken.ratio.serving * 100 <= mostPercent,
    })
  }
  await sink.stop(true)
  return rows
}
