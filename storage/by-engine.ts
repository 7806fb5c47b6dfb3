/** SQL that differs between SQLite and PostgreSQL. The compiler of each engine picks its variant. */
import { type Expression, type RawBuilder, type RawNode, type SqlBool, sql } from 'kysely'

const ofPostgres = Symbol('of PostgreSQL')
type EachNode = RawNode & { [ofPostgres]?: RawNode }

/** The PostgreSQL variant of a node; used by the compiler for PostgreSQL. */
export const postgresNode = (node: EachNode): RawNode => node[ofPostgres] ?? node

function byEngine<Value>({ sqlite, postgres }: Record<'sqlite' | 'postgres', RawBuilder<Value>>): RawBuilder<Value> {
  const toOperationNode = (): EachNode => ({
    ...(sqlite.toOperationNode() as RawNode),
    [ofPostgres]: postgres.toOperationNode() as RawNode,
  })
  return sql<Value>`${{ isOperationNodeSource: true, toOperationNode } as unknown as Expression<Value>}`
}

/** Whether a parameter is null. PostgreSQL needs its type even to compare it with null. */
export const isNull = (parameter: unknown): RawBuilder<SqlBool> => sql<SqlBool>`cast(${parameter} as text) is null`

/** Aggregates all rows of a query into one JSON array of arrays, in this order; `[]` if there are none. */
export const rowsAsJson = (columns: readonly RawBuilder<unknown>[], order: RawBuilder<unknown>): RawBuilder<string> =>
  byEngine({
    sqlite: sql<string>`json_group_array(json_array(${sql.join(columns)}) order by ${order})`,
    postgres: sql<string>`coalesce(cast(json_agg(json_build_array(${sql.join(columns)}) order by ${order}) as text), '[]')`,
  })

/** Whether a table with this name exists. */
export const isTable = (name: string): RawBuilder<SqlBool> =>
  byEngine({
    sqlite: sql<SqlBool>`exists (select 1 from sqlite_master where type = 'table' and name = ${name})`,
    postgres: sql<SqlBool>`to_regclass(${name}) is not null`,
  })

/** Whether a text contains a substring; always true for the empty string. */
export const holds = (text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> =>
  byEngine({
    sqlite: sql<SqlBool>`instr(${text}, ${part}) > 0`,
    postgres: sql<SqlBool>`strpos(${text}, cast(${part} as text)) > 0`,
  })

/** `holds` for a column. */
export const contains = (text: string, part: string): RawBuilder<SqlBool> => holds(sql.ref(text), part)

/**
 * The value of a field of a JSON object, or of an object in it: a string without quotes, anything else as JSON; null if
 * absent.
 */
export const memberOf = (json: string, ...path: [string, ...string[]]): RawBuilder<string | null> => {
  const above = path.slice(0, -1).map((name) => sql` -> ${sql.lit(name)}`)
  return byEngine({
    sqlite: sql<string | null>`json_extract(${sql.ref(json)}, ${sql.lit(`$.${path.join('.')}`)})`,
    postgres: sql<
      string | null
    >`(cast(${sql.ref(json)} as json)${sql.join(above, sql``)} ->> ${sql.lit(path.at(-1) as string)})`,
  })
}

/** The elements of an array in a field of a JSON text, as a table with the column `value`. */
export const elementsOf = (json: string, name: string, as: string): RawBuilder<unknown> =>
  byEngine({
    sqlite: sql`json_each(${sql.ref(json)}, ${sql.lit(`$.${name}`)}) as ${sql.ref(as)}`,
    postgres: sql`json_array_elements(cast(${sql.ref(json)} as json) -> ${sql.lit(name)}) as ${sql.ref(as)}(value)`,
  })

/**
 * Whether the id is in one of these slots, as `listIn` formats them; null for any slot. Always true in SQLite, where
 * one server does all the work.
 */
export const inSlots = (id: string, slots: string | null | undefined): RawBuilder<SqlBool> =>
  byEngine({
    sqlite: sql<SqlBool>`true`,
    postgres: sql<SqlBool>`(${isNull(slots)} or slot_of(${sql.ref(id)}) = any(cast(cast(${slots} as text) as bigint[])))`,
  })

/** Whether the column names another server, and that server is alive. */
export const heldByOther = (holder: string, self: string): RawBuilder<SqlBool> =>
  byEngine({
    sqlite: sql<SqlBool>`false`,
    postgres: sql<SqlBool>`coalesce(${sql.ref(holder)} <> cast(${self} as text)
      and exists (select 1 from processes where id = ${sql.ref(holder)}), false)`,
  })

/** Whether the column names this server. */
export const heldBy = (holder: string, self: string): RawBuilder<SqlBool> =>
  byEngine({
    sqlite: sql<SqlBool>`true`,
    postgres: sql<SqlBool>`coalesce(${sql.ref(holder)} = cast(${self} as text), false)`,
  })

/** The last `max` elements of two concatenated JSON arrays. */
export const lastOfBoth = (first: string, second: string, max: number): RawBuilder<string> => {
  const [one, other, limit] = [sql.ref(first), sql.ref(second), sql.lit(max)]
  return byEngine({
    sqlite: sql<string>`(select json_group_array(value order by part, key) from
      (select 0 as part, key, value from json_each(${one}) union all select 1, key, value from json_each(${other})
        order by part desc, key desc limit ${limit}))`,
    postgres: sql<string>`(select cast(json_agg(value order by part, key) as text) from
      (select part, key, value from (
          select 0 as part, key, value from json_array_elements(cast(${one} as json)) with ordinality as a(value, key)
          union all
          select 1, key, value from json_array_elements(cast(${other} as json)) with ordinality as b(value, key)
        ) as both_of_them order by part desc, key desc limit ${limit}) as last_of_them)`,
  })
}

/** The strings of a JSON array, as a subquery. */
export const textsOf = (json: string): RawBuilder<string> =>
  byEngine({
    sqlite: sql<string>`(select value from json_each(${json}))`,
    postgres: sql<string>`(select value from json_array_elements_text(cast(cast(${json} as text) as json)) as texts(value))`,
  })

/** The integers of a JSON array, as a subquery. */
export const integersOf = (json: string): RawBuilder<number> =>
  byEngine({
    sqlite: sql<number>`(select value from json_each(${json}))`,
    postgres: sql<number>`(select cast(value as bigint) from json_array_elements_text(cast(cast(${json} as text) as json)) as numbers(value))`,
  })
