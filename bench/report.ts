/** The results, for people, programs and the README. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Load } from './load.ts'

export interface Row {
  /** The measurement, and the number of clients. */
  what: string
  perSecond?: number
  p50Ms?: number
  p99Ms?: number
  /** The load generator's use of one core; near 1 the generator is the limit. */
  generator?: number
  /** A value that is not a rate, with its unit. */
  value?: string
  /** Our rate as a share of the baseline's, measured in the same rounds. */
  ratio?: number
  baseline?: string
  aim?: string
  met?: boolean
}

/** The row of a load. */
export const loadRow = (what: string, { perSecond, p50Ms, p99Ms, generator }: Load): Row => ({
  what,
  perSecond,
  p50Ms,
  p99Ms,
  generator,
})

const number = (value: number | undefined, digits = 0) =>
  value === undefined
    ? ''
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
const percent = (value: number | undefined) => (value === undefined ? '' : `${number(value * 100)} %`)

const columns: [heading: string, cell: (row: Row) => string][] = [
  ['what', ({ what }) => what],
  ['per second', ({ perSecond }) => number(perSecond)],
  ['p50 ms', ({ p50Ms }) => number(p50Ms, 2)],
  ['p99 ms', ({ p99Ms }) => number(p99Ms, 2)],
  ['ratio', ({ ratio, baseline }) => (ratio === undefined ? '' : `${percent(ratio)} of ${baseline}`)],
  ['value', ({ value }) => value ?? ''],
  ['aim', ({ aim, met }) => (aim === undefined ? '' : `${aim}: ${met ? 'met' : 'missed'}`)],
  ['generator', ({ generator }) => percent(generator)],
]

/** A Markdown table with cells of equal width, readable as text. */
export function table(rows: readonly Row[]): string {
  const cells = [columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => (line[column] as string).length)))
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, at) => text.padEnd(widths[at] as number)).join(' | ')} |`
  const [heading, ...body] = cells as [string[], ...string[][]]
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/** The machine of a result. */
export function machine(): string {
  const cores = cpus()
  const memory = Math.round(totalmem() / 1024 ** 3)
  return `${cores.length} × ${cores[0]?.model.trim() || process.arch}, ${memory} GiB, ${process.platform}, Bun ${Bun.version}`
}

const begin = '<!-- results: written by `npm run bench -- --write-readme` -->'
const end = '<!-- end of results -->'

/** Replaces the results in the README beside this file. Throws if it has no place for them. */
export function writeReadme(rows: readonly Row[]) {
  const path = `${import.meta.dir}/README.md`
  const text = readFileSync(path, 'utf8')
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`${path} has no place for results.`)
  const results = `${begin}\n\n${new Date().toISOString().slice(0, 10)}, ${machine()}\n\n${table(rows)}\n\n`
  writeFileSync(path, text.slice(0, from) + results + text.slice(to))
}
