/**
 * Statements that are compiled once. Kysely builds a query in some 10 µs; on the hot path that is as long as the query
 * itself. A statement keeps Kysely's SQL text and puts new values in its places, so that the engine reuses one
 * prepared statement for each text.
 */
import type { CompiledQuery, InferResult, Kysely } from 'kysely'
import type { Compilable, Query, Write } from './store.ts'
import type { Tables } from './tables.ts'

/** Stands for a value while the query is compiled. */
class Place {
  constructor(readonly name: string) {}
}

const places = new Proxy({}, { get: (_, name) => new Place(String(name)) })

/** SQL text and, in order, how to find each parameter. */
interface Template {
  sql: string
  parameters: readonly unknown[]
}

type Db = Kysely<Tables>

/** One template per database handle: dialects write different SQL. */
function templates<Values>(build: (db: Db, values: Values) => Compilable): (db: Db) => Template {
  const compiled = new WeakMap<Db, Template>()
  return (db) => {
    let template = compiled.get(db)
    if (!template) {
      const { sql, parameters }: CompiledQuery = build(db, places as Values).compile()
      template = { sql, parameters }
      compiled.set(db, template)
    }
    return template
  }
}

const fill = (template: Template, values: Record<string, unknown>): unknown[] =>
  template.parameters.map((parameter) => {
    if (!(parameter instanceof Place)) return parameter
    const value = values[parameter.name]
    return value === undefined ? null : value
  })

/**
 * A write that is compiled once. `rows` is the number of rows that it must touch; leave it out where any number is right.
 *
 *     const insertRun = write((db, run: RunRow) => db.insertInto('runs').values(run))
 *     store.commit([insertRun(store, row)])
 */
export function write<Values extends object>(build: (db: Db, values: Values) => Compilable, rows?: number) {
  const template = templates(build)
  return (store: { db: Db }, values: Values): Write => {
    const found = template(store.db)
    const parameters = fill(found, values as Record<string, unknown>)
    return rows === undefined ? { sql: found.sql, parameters } : { sql: found.sql, parameters, rows }
  }
}

/** A read that is compiled once. */
export function query<Values extends object, Built extends Compilable>(build: (db: Db, values: Values) => Built) {
  const template = templates(build)
  return (store: { db: Db }, values: Values): Query<InferResult<Built>[number]> => {
    const found = template(store.db)
    return { sql: found.sql, parameters: fill(found, values as Record<string, unknown>) }
  }
}
