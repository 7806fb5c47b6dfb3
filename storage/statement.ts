/**
 * Statements that are compiled once. Kysely takes about 10 µs to build a query, as long as the query itself takes on
 * the hot path. A statement keeps Kysely's SQL text and fills in new values, so the engine reuses one prepared
 * statement for each text.
 */
import type { CompiledQuery, InferResult, Kysely } from 'kysely'
import { inUnit } from './sqlite/fragments.ts'
import type { Compilable, Query, Together, Write } from './store.ts'
import type { Tables } from './tables.ts'

/** The placeholder of a value during compilation. */
class Place {
  constructor(readonly name: string) {}
}

/** SQL text, and the function that produces its parameters, in order. */
interface Template {
  sql: string
  fill: (values: Record<string, unknown>) => unknown[]
  /** The keys of the values, if the query enumerates them (a row to insert), since the text depends on them. */
  keys: readonly string[] | undefined
}

type Db = Kysely<Tables>

/** Builds the query with placeholders, and notes whether it enumerated the keys of its values. */
function compile<Values extends object>(
  build: (db: Db, values: Values) => Compilable,
  db: Db,
  values: Values,
): Template {
  let keys: string[] | undefined
  const places = new Proxy(values, {
    get: (_, name) => new Place(String(name)),
    ownKeys: () => {
      keys = Object.keys(values)
      return keys
    },
  })
  const { sql, parameters }: CompiledQuery = build(db, places).compile()
  return { sql: inUnit(db, sql), fill: filling(parameters), keys }
}

/**
 * Creates the function that replaces the placeholders with values. It is compiled to a list of property accesses:
 * looking each value up by name takes five times as long for a row of thirty columns.
 */
function filling(parameters: readonly unknown[]): Template['fill'] {
  const places = parameters.map((parameter, at) =>
    parameter instanceof Place ? `values[${JSON.stringify(parameter.name)}] ?? null` : `fixed[${at}]`,
  )
  return new Function('fixed', `return (values) => [${places.join(', ')}]`)(parameters)
}

function fits({ keys }: Template, values: object): boolean {
  if (!keys) return true
  let count = 0
  for (const key in values) {
    // the order is nearly always the same
    if (keys[count] !== key && !keys.includes(key)) return false
    count += 1
  }
  return count === keys.length
}

/** Templates by database handle, since dialects differ: usually one, more if rows have different columns. */
function templates<Values extends object>(build: (db: Db, values: Values) => Compilable) {
  const compiled = new WeakMap<Db, Template[]>()
  return (db: Db, values: Values): Template => {
    const known = compiled.get(db) ?? []
    for (const template of known) if (fits(template, values)) return template
    const template = compile(build, db, values)
    compiled.set(db, [...known, template])
    return template
  }
}

/**
 * Defines a write that is compiled once. `rows` is the number of rows that it must touch; omit it to allow any number.
 * `refusal` creates the error for any other number; the default is `StaleWrite`.
 *
 *     const insertRun = write((db, run: RunRow) => db.insertInto('runs').values(run))
 *     store.commit([insertRun(store, row)])
 */
export function write<Values extends object>(
  build: (db: Db, values: Values) => Compilable,
  rows?: number,
  refusal?: () => Error,
) {
  const template = templates(build)
  return (store: { db: Db }, values: Values): Write => {
    const found = template(store.db, values)
    const parameters = found.fill(values as Record<string, unknown>)
    if (rows === undefined) return { sql: found.sql, parameters }
    return refusal ? { sql: found.sql, parameters, rows, refusal } : { sql: found.sql, parameters, rows }
  }
}

/** A write to the rows of a run or a Deployment whose JSON columns may hold long texts. */
export function writeTexts<Values extends object>(
  build: (db: Db, values: Values) => Compilable,
  ownerOf: (values: Values) => string,
) {
  const make = write(build)
  return (store: { db: Db }, values: Values): Write => {
    const { sql, parameters } = make(store, values)
    return { sql, parameters, textsOf: ownerOf(values) }
  }
}

/**
 * The same write, which may be merged with those of other units. `once` names a check that needs to run only once per
 * transaction.
 */
export const together =
  <Values>(
    how: Together,
    make: (store: { db: Db }, values: Values) => Write,
    once?: (values: Values) => string,
  ): ((store: { db: Db }, values: Values) => Write) =>
  (store, values) =>
    Object.assign(make(store, values), once ? { together: how, once: once(values) } : { together: how })

/** Defines a read that is compiled once. */
export function query<Values extends object, Built extends Compilable>(build: (db: Db, values: Values) => Built) {
  const template = templates(build)
  return (store: { db: Db }, values: Values): Query<InferResult<Built>[number]> => {
    const found = template(store.db, values)
    return { sql: found.sql, parameters: found.fill(values as Record<string, unknown>) }
  }
}

/** The name to filter a list by; null: no filter. */
export interface Named {
  named: string | null
}

/** A list with an optional filter by name: one statement with the filter and one without, each with its own index. */
export function listByName<Values extends Named, Built extends Compilable>(
  build: (db: Db, values: Values, isNamed: boolean) => Built,
) {
  const all = query((db: Db, values: Values) => build(db, values, false))
  const named = query((db: Db, values: Values) => build(db, values, true))
  return (store: { db: Db }, values: Values) => (values.named === null ? all : named)(store, values)
}

/** The unit with a function that is called once it is durable, whether or not its statements touched rows. */
export function whenCommitted(unit: readonly Write[], committed: () => void): Write[] {
  const last = unit.findLastIndex(({ once }) => once === undefined)
  return unit.map((write, at) => {
    if (at !== last) return write
    const before = write.committed
    return {
      ...write,
      committed: () => {
        before?.()
        committed()
      },
    }
  })
}
