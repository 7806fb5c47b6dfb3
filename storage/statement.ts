/**
 * Statements that are compiled once. Kysely builds a query in some 10 µs; on the hot path that is as long as the query
 * itself. A statement keeps Kysely's SQL text and puts new values in its places, so that the engine reuses one
 * prepared statement for each text.
 */
import type { CompiledQuery, InferResult, Kysely } from 'kysely'
import type { Compilable, Query, Together, Write } from './store.ts'
import type { Tables } from './tables.ts'

/** Stands for a value while the query is compiled. */
class Place {
  constructor(readonly name: string) {}
}

/** SQL text, and how to find its parameters, in order. */
interface Template {
  sql: string
  fill: (values: Record<string, unknown>) => unknown[]
  /** The columns, where the query was built from all keys of its values (a row to insert); they are part of the text. */
  keys: readonly string[] | undefined
}

type Db = Kysely<Tables>

/** Builds with places instead of values. Notes whether the query asked which keys there are. */
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
  return { sql, fill: filling(parameters), keys }
}

/**
 * What puts values into the places. It is compiled, as a list of properties: looked up one by one by their names, the values
 * of a row of thirty columns take five times as long.
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
    // nearly always in the same order
    if (keys[count] !== key && !keys.includes(key)) return false
    count += 1
  }
  return count === keys.length
}

/** Templates per database handle, for dialects write different SQL; nearly always one, more for rows of several forms. */
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
 * A write that is compiled once. `rows` is the number of rows that it must touch; leave it out where any number is right.
 * `refusal` makes the error of any other number, where it is not `StaleWrite`.
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

/** The same of rows that belong to a run and may hold long texts: those of the columns that are JSON. */
export function writeTexts<Values extends object>(
  build: (db: Db, values: Values) => Compilable,
  runOf: (values: Values) => string,
) {
  const make = write(build)
  return (store: { db: Db }, values: Values): Write => {
    const { sql, parameters } = make(store, values)
    return { sql, parameters, textsOf: runOf(values) }
  }
}

/** The same statement, which may be sent with those of other units; `once` names what one of them is enough for. */
export const together =
  <Values>(
    how: Together,
    make: (store: { db: Db }, values: Values) => Write,
    once?: (values: Values) => string,
  ): ((store: { db: Db }, values: Values) => Write) =>
  (store, values) =>
    Object.assign(make(store, values), once ? { together: how, once: once(values) } : { together: how })

/** A read that is compiled once. */
export function query<Values extends object, Built extends Compilable>(build: (db: Db, values: Values) => Built) {
  const template = templates(build)
  return (store: { db: Db }, values: Values): Query<InferResult<Built>[number]> => {
    const found = template(store.db, values)
    return { sql: found.sql, parameters: found.fill(values as Record<string, unknown>) }
  }
}

/** The name that a list is asked for; null: all of it. */
export interface Named {
  named: string | null
}

/** A list that can be asked for a name: a statement without that filter and one with it, so that each has its own index. */
export function listByName<Values extends Named, Built extends Compilable>(
  build: (db: Db, values: Values, isNamed: boolean) => Built,
) {
  const all = query((db: Db, values: Values) => build(db, values, false))
  const named = query((db: Db, values: Values) => build(db, values, true))
  return (store: { db: Db }, values: Values) => (values.named === null ? all : named)(store, values)
}

/** The unit, with what is called once it is durable, whatever its statements have touched. */
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
