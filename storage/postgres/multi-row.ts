/** Turns a statement for a single row into one for many rows, which takes its parameters from a JSON array. */
import type { ReservedSQL } from 'bun'
import { ask, type Parameters } from './connections.ts'
import { isConnectionLost } from './failures.ts'

const insert =
  /^(?<head>insert into \S+ \([^)]*\)) values \((?<values>[^()]*)\)(?<tail>(?: on conflict[^$]* do nothing)?)$/
const update = /^(?<head>update "\w+" set [\s\S]+) where (?<condition>[\s\S]+)$/
const remove = /^delete from (?<table>"\w+") where (?<condition>[\s\S]+)$/

const parameter = /\$(\d+)/g
/** Types that JSON represents directly or as text. */
const types = /^(?:text|bigint|integer|smallint|boolean|double precision)$/

export interface MultiRow {
  sql: string
  /** The positions, from 0, of the parameters that identify the updated row; null: an insert or a delete. */
  key: readonly number[] | null
}

/**
 * The prepared statement that reveals the types of a text's parameters, once per text, since its columns do not change.
 */
const prepared = 'troupe_types'
const askTypes = `select cast(array_to_json(cast(parameter_types as text[])) as text) as types
  from pg_prepared_statements where name = '${prepared}'`

const names: string[] = []
/** The column name of a parameter: `p1` for the first one. */
function nameOf(at: number): string {
  while (names.length <= at) names.push(`p${names.length + 1}`)
  return names[at] as string
}

/** The statement for many rows; null if there is none. `typesOfParameters` are in the order of the parameters. */
function multiRowOf(sql: string, typesOfParameters: readonly string[]): MultiRow | null {
  if (!typesOfParameters.every((type) => types.test(type))) return null
  const columns = typesOfParameters.map((type, at) => `${nameOf(at)} ${type}${type === 'text' ? ' collate "C"' : ''}`)
  const rows = `json_to_recordset(cast(cast($1 as text) as json)) as r(${columns.join(', ')})`
  const ofRow = (text: string) => text.replace(parameter, 'r.p$1')
  const inserted = insert.exec(sql)?.groups
  if (inserted) {
    const { head, values = '', tail } = inserted
    return { sql: `${head} select ${ofRow(values)} from ${rows}${tail}`, key: null }
  }
  const removed = remove.exec(sql)?.groups
  if (removed)
    return { sql: `delete from ${removed.table} using ${rows} where ${ofRow(removed.condition ?? '')}`, key: null }
  const { head = '', condition = '' } = update.exec(sql)?.groups ?? {}
  if (head === '') return null
  const key = [...condition.matchAll(parameter)].map(([, number]) => Number(number) - 1)
  return { sql: `${ofRow(head)} from ${rows} where ${ofRow(condition)}`, key }
}

/** Caches the statement for many rows of each text. */
export class MultiRows {
  readonly #known = new Map<string, MultiRow | null>()

  /** Null if the text has none; undefined if that is not known yet. */
  find(sql: string): MultiRow | null | undefined {
    return this.#known.get(sql)
  }

  /** Derives the statement for many rows from a text, and caches it. Throws if the connection is lost. */
  async learn(connection: ReservedSQL, sql: string): Promise<void> {
    let found: MultiRow | null = null
    try {
      await ask(connection, `prepare ${prepared} as ${sql}`)
      const { rows } = await ask<{ types: string }>(connection, askTypes)
      await ask(connection, `deallocate ${prepared}`)
      found = multiRowOf(sql, JSON.parse(rows[0]?.types ?? '[]'))
    } catch (error) {
      if (isConnectionLost(error)) throw error
    }
    this.#known.set(sql, found)
  }
}

/** An unpaired surrogate in JSON. PostgreSQL cannot store it; in a plain parameter it would be replaced, too. */
const loneSurrogate = /\\ud[89a-f]/

/** The rows of parameters as one JSON array. */
export function asRows(all: readonly Parameters[]): string {
  const rows = all.map((parameters) => {
    const row: Record<string, unknown> = {}
    for (let at = 0; at < parameters.length; at += 1) {
      const value = parameters[at]
      if (value !== null && value !== undefined) row[nameOf(at)] = typeof value === 'bigint' ? `${value}` : value
    }
    return row
  })
  const text = JSON.stringify(rows)
  if (!loneSurrogate.test(text)) return text
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
}
