/**
 * Writes the tables of these pages that follow from the program: error codes into `api.md`, settings into `operating.md`,
 * the reference of the SDK into `sdk.md`, that of the command line into `cli.md`.
 *
 *     bun docs/generate.ts           # writes them
 *     bun docs/generate.ts --check   # exit code 1 when a page is not up to date
 *
 * A table stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandReference, exitCodeTable } from '../cli/reference.ts'
import { clientReference, resourceReference, testingReference } from '../sdk/generate/reference.ts'
import { errorCatalogue } from '../src/platform/http/answers/catalogue.ts'
import { servedLists } from '../src/runs/records/served-lists.ts'
import { helpText } from '../src/server/command-line.ts'
import { type RunWalk, runWalks } from '../storage/runs/run-lists.ts'

/** Settings of traces, which have a page of their own. */
const ofTraces = /^OTEL_\w+$/

interface Setting {
  name: string
  meaning: string
  fallback: string
}

/** The settings as `--help` lists them. */
const settings = (): Setting[] =>
  [...helpText().matchAll(/^ {2}([A-Z][A-Z_]+) +(.*) \(default: (.*)\)$/gm)].map(([, name, meaning, fallback]) => ({
    name: name as string,
    meaning: meaning as string,
    fallback: fallback as string,
  }))

const rowOf = ({ name, fallback, meaning }: Setting) => [`\`${name}\``, fallback, meaning]

/** A Markdown table as the formatter would write it. */
function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => (cells[column] as string).length), 3))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] as number)).join(' | ')} |`
  const [heading, ...body] = lines as [string[], ...string[][]]
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

const indexOf = (walk: RunWalk | undefined) => (walk ? `\`${runWalks[walk].index}\`` : 'in parts')
const named = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')

const tables: Record<string, { page: string; text: () => string }> = {
  errors: {
    page: 'api.md',
    text: () =>
      table(
        ['code', 'status', 'meaning'],
        Object.entries(errorCatalogue).map(([code, { statuses, meaning }]) => [
          `\`${code}\``,
          statuses.join(', '),
          meaning,
        ]),
      ),
  },
  'served lists of runs': {
    page: 'api.md',
    text: () =>
      table(
        ['filters', 'and, if you like', 'by `createdAt`', 'with `states`', 'by `updatedAt`'],
        servedLists.map(({ filters, also = [], all, state, update }) => [
          named(filters) || 'none',
          named(also),
          ...[all, state, update].map(indexOf),
        ]),
      ),
  },
  settings: {
    page: 'operating.md',
    text: () =>
      table(
        ['variable', 'default', 'meaning'],
        settings()
          .filter(({ name }) => !ofTraces.test(name))
          .map(rowOf),
      ),
  },
  'settings of traces': {
    page: 'observability.md',
    text: () =>
      table(
        ['variable', 'default', 'meaning'],
        settings()
          .filter(({ name }) => ofTraces.test(name))
          .map(rowOf),
      ),
  },
  'CLI: exit codes': { page: 'cli.md', text: () => exitCodeTable(table) },
  'CLI: commands': { page: 'cli.md', text: () => commandReference(table) },
  'SDK: resources': { page: 'sdk.md', text: resourceReference },
  'SDK: client': { page: 'sdk.md', text: clientReference },
  'SDK: testing': { page: 'sdk.md', text: testingReference },
}

/** The page with the table in its place. Throws when there is no place for it. */
function filled(page: string, name: string, text: string): string {
  const begin = `<!-- generated: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`There is no place for the generated ${name}.`)
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`
}

/** Every page that has generated parts: as it is, and as it should be. */
export function pages(): { path: string; is: string; shouldBe: string }[] {
  const names = [...new Set(Object.values(tables).map(({ page }) => page))]
  return names.map((name) => {
    const path = join(import.meta.dir, name)
    const is = readFileSync(path, 'utf8')
    const shouldBe = Object.entries(tables)
      .filter(([, { page }]) => page === name)
      .reduce((page, [part, { text }]) => filled(page, part, text()), is)
    return { path, is, shouldBe }
  })
}

if (import.meta.main) {
  const stale = pages().filter(({ is, shouldBe }) => is !== shouldBe)
  const checks = process.argv.includes('--check')
  for (const { path, shouldBe } of stale) {
    if (checks) process.stderr.write(`${path} is not up to date: run bun docs/generate.ts\n`)
    else writeFileSync(path, shouldBe)
  }
  process.exitCode = checks && stale.length > 0 ? 1 : 0
}
