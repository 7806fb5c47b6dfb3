/**
 * Generates the layouts of the built-in statecharts; run it after a change of a statechart or of the drawing:
 *
 *     bun src/runtime/statecharts/layouts/generate.ts
 */
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import Kernel from 'elkjs/lib/elk.bundled.js'
import { version as kernelVersion } from 'elkjs/package.json' with { type: 'json' }
import { charts } from '../../../../machines/charts/all.ts'
import { describeChart } from '../describe.ts'
import type { ChartLayouts } from './chart-layout.ts'
import { graphOf, layOut } from './graph.ts'
import { type DrawnChart, linesOf } from './lines.ts'

/** A digest of everything that determines a layout; much cheaper than computing the layout. */
export function digestOf(chart: DrawnChart): string {
  const lines = linesOf(chart)
  const input = [kernelVersion, lines, graphOf(chart, lines, 'down'), graphOf(chart, lines, 'right')]
  return createHash('sha256').update(JSON.stringify(input)).digest('hex')
}

/** Both layouts of a statechart. */
export async function makeLayouts(chart: DrawnChart): Promise<ChartLayouts> {
  const kernel = new Kernel()
  return { down: await layOut(kernel, chart, 'down'), right: await layOut(kernel, chart, 'right') }
}

if (import.meta.main) {
  const entries: string[] = []
  for (const chart of charts.map(describeChart)) {
    const { down, right } = await makeLayouts(chart)
    const fields = Object.entries({ digest: digestOf(chart), down, right })
    const text = fields.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    entries.push(`${JSON.stringify(chart.kind)}: {\n${text.join(',\n')}\n}`)
  }
  await Bun.write(fileURLToPath(new URL('built-in.json', import.meta.url)), `{\n${entries.join(',\n')}\n}\n`)
  // the kernel's own timers would keep the process alive
  process.exit(0)
}
