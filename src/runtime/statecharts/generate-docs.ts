/**
 * Writes the pages about the statecharts:
 *
 *     bun src/runtime/statecharts/generate-docs.ts
 */
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { charts } from '../../../machines/charts/all.ts'
import { chartPage } from './page.ts'

/** The folder of the pages. */
export const pagesFolder = fileURLToPath(new URL('../../../docs/statecharts/', import.meta.url))

/** Every page by its file name. */
export const chartPages = (): Map<string, string> =>
  new Map(charts.map((chart) => [`${chart.machine.id}.md`, chartPage(chart)]))

if (import.meta.main) {
  await mkdir(pagesFolder, { recursive: true })
  for (const [name, page] of chartPages()) await Bun.write(pagesFolder + name, page)
}
