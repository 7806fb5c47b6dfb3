/**
 * Prints every statement that the storage layer can make, as JSON: `{name, sql}`, for the engine of the given store;
 * without one, for SQLite. It runs in its own process, in which `statement.ts` reports each statement that is declared,
 * exported or not; statements that are built for each call are built here one by one.
 */

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { plugin } from 'bun'
import type { Kysely } from 'kysely'
import type { Compilable } from '../../../storage/store.ts'
import type { Tables } from '../../../storage/tables.ts'

type Build = (db: Kysely<Tables>, values: object) => Compilable

const folder = join(import.meta.dir, '../../../storage')
const declared: { build: Build; place: string }[] = []
/** The name of a statement that is declared together with others. */
let label = ''
Object.assign(globalThis, {
  tellOfStatement: (build: Build) => declared.push({ build, place: placeOf(new Error().stack as string) + label }),
})
plugin({
  name: 'statements that tell of themselves',
  setup: (build) =>
    void build.onLoad({ filter: /\/storage\/statement\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const reporting = text.replace(/^function templates<.*\{$/m, '$&\n  globalThis.tellOfStatement(build)')
      if (reporting === text) throw new Error('There is no place in statement.ts to report from.')
      return { contents: reporting, loader: 'ts' }
    }),
})

/** The top-level declaration of a module that contains a statement: `deliveries listDueDeliveries`. */
function placeOf(stack: string): string {
  const frames = [...stack.matchAll(/\((\/[^:()]+\.ts):(\d+):\d+\)|at (\/[^:()]+\.ts):(\d+):\d+/g)]
    .map(([, file, line, otherFile, otherLine]) => ({ file: file ?? (otherFile as string), line: line ?? otherLine }))
    .filter(({ file }) => file.startsWith(`${folder}/`) && !file.endsWith('/statement.ts'))
  // a helper that repeats a declaration for each of its forms is not the statement's place
  const frame =
    frames.find(({ file }) => !/\/(count-scope|per-filters|hourly-tallies|removal-piece|rows)\.ts$/.test(file)) ??
    frames[0]
  const { file: path, line } = frame as (typeof frames)[number]
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, Number(line))
  const declaration = lines.findLast((text) => /^(?:export )?(?:const|function) \w+/.test(text)) ?? ''
  return `${basename(path, '.ts')} ${/(?:const|function) (\w+)/.exec(declaration)?.[1]}`
}

const modules: Record<string, Record<string, never>> = {}
for (const file of [...new Bun.Glob('**/*.ts').scanSync(folder)].sort()) {
  if (/^(migrations|postgres|sqlite|tables)\//.test(file)) continue
  modules[basename(file, '.ts')] = await import(join(folder, file))
}
const { openStore } = await import('../../../storage/open.ts')
const { callsMadeAnew } = await import('./made-anew.ts')
const store = await openStore(process.argv[2] ?? 'sqlite::memory:')
const columnsOf = new Map(
  (await store.db.introspection.getTables()).map(({ name, columns }) => [name, columns.map((column) => column.name)]),
)

/** Has a value for every name; its own keys are the columns of the table that is written to. */
const valuesOf = (names: readonly string[]) =>
  new Proxy({} as Record<string, unknown>, {
    get: (_, name) => (typeof name === 'string' ? `a ${name}` : undefined),
    ownKeys: () => [...names],
    getOwnPropertyDescriptor: (_, name) => ({ value: name, enumerable: true, configurable: true }),
  })

function textOf(build: Build): string {
  const { sql } = build(store.db, valuesOf(['id'])).compile()
  const table = /^(?:insert|update)(?: or fail)?(?: into)? "(\w+)"/.exec(sql)?.[1]
  if (table === undefined) return sql
  return build(store.db, valuesOf(columnsOf.get(table) ?? [])).compile().sql
}

const known = declared.map(({ build, place }) => ({ place, sql: textOf(build) }))
const before = declared.length
const anew = await callsMadeAnew(store, (name, declare) => {
  label = ` ${name}`
  declare()
  label = ''
})
const later = declared.slice(before).map(({ build, place }) => ({ place, sql: textOf(build) }))

const times = new Map<string, number>()
const named = [...known, ...later, ...anew].map(({ place, sql }) => {
  const time = (times.get(place) ?? 0) + 1
  times.set(place, time)
  return { name: time === 1 ? place : `${place} ${time}`, sql }
})
process.stdout.write(JSON.stringify(named))
await store.close()
