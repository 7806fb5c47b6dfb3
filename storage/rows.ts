/**
 * The standard statements of a table, so that a module writes out only the special ones.
 *
 * To add a table, write a migration in `migrations/`, the row's type in `tables/`, and a module in the folder of its
 * area, which names each statement for its callers:
 *
 *     const notes = rowsOf('notes', 'id')
 *
 *     export const insertNote = notes.insert()
 *     export const getNote = notes.find()                                   // by its key: { id }
 *     export const findNote = notes.find('id', 'project_id')                // { id, projectId }
 *     export const findPlaceOfNote = notes.only('project_id').find('id')    // one column of it
 *     export const listNotes = notes.newest('id', 'project_id')             // { projectId, before, limit }
 *     export const deleteNote = notes.removeOne('id', 'project_id')         // exactly one, else `StaleWrite`
 *
 * Each call creates a statement that is compiled once per store, so it belongs at the top level of a module. Its values
 * have the names of the columns in camel case. The condition of `where` applies to all reads, updates and deletes:
 *
 *     const standing = notes.where(({ eb }) => eb('deleted_at', 'is', null))
 *
 * A table that grows with use also needs a `piece` in `runtime/deletion-steps.ts`; `test/storage/plans/` checks that
 * each statement uses an index.
 */
import {
  type Expression,
  type ExpressionBuilder,
  expressionBuilder,
  type Kysely,
  type Selectable,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type WhereInterface,
} from 'kysely'
import { listByName, type Named, query, write } from './statement.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

type Table = keyof Tables
type Row<Name extends Table> = Selectable<Tables[Name]>
type Column<Name extends Table> = keyof Row<Name> & string

type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text
const camel = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The values of these columns, under the camel-case names of the columns. */
type By<Name extends Table, By extends Column<Name>> = { [Each in By as Camel<Each>]: NonNullable<Row<Name>[Each]> }
interface Page {
  limit: number
}

/** The columns of an actor's row that every move writes. */
const moved = ['state', 'version', 'machine_version', 'context', 'updated_at'] as const
/** A move of an actor's row: the changed values, and the version that was read. */
type Move<Name extends Table, Changed extends Column<Name>> = Pick<
  Row<Name>,
  Extract<Column<Name>, Changed | (typeof moved)[number]>
> & { from: number }

type Condition<Name extends Table> = (builder: ExpressionBuilder<Tables, Name>) => Expression<SqlBool>

type AnyTables = Record<string, Record<string, unknown>>
/** The database without column types, for statements on any table. */
export const untyped = (db: Store['db']) => db as unknown as Kysely<AnyTables>

/**
 * Inserts a row only if `source`, with its conditions, selects one. Keep values that only the conditions use out of
 * `row`:
 *
 *     export const insertNote = write(
 *       (db, { notesMax, ...row }: NoteRow & { notesMax: number }) =>
 *         insertFrom(db, 'notes', row, activeProject(db, row).where(notes.fewerThan(notesMax, 'project_id', …))),
 *       1,
 *     )
 */
export function insertFrom(db: Store['db'], table: Table, row: object, source: { selectAll(): unknown }) {
  const columns = Object.keys(row)
  const from = source as unknown as SelectQueryBuilder<AnyTables, never, object>
  return untyped(db)
    .insertInto(table as string)
    .columns(columns)
    .expression(from.select(({ val }) => columns.map((column) => val(row[column as never]).as(column))))
}

export const rowsOf = <Name extends Table, Key extends Column<Name>>(table: Name, ...key: Key[]) =>
  statementsOf<Name, Key, Row<Name>>({ table, key, conditions: [] })

interface Rows<Name extends Table, Key extends Column<Name>> {
  table: Name
  /** The columns that identify a row. */
  key: readonly Key[]
  /** The columns to read; omitted: all. */
  shown?: readonly string[]
  /** The conditions of all reads, updates and deletes. */
  conditions: readonly Condition<Name>[]
}

function statementsOf<Name extends Table, Key extends Column<Name>, Shown>(rows: Rows<Name, Key>) {
  const { table, key, shown, conditions } = rows
  const name: string = table

  /** Restricts the statement to rows with these values that meet all conditions. */
  const matching = <Statement>(statement: Statement, by: readonly string[], values: object): Statement => {
    let narrowed = statement as WhereInterface<AnyTables, string>
    for (const column of by) narrowed = narrowed.where(column, '=', values[camel(column) as never])
    for (const condition of conditions) narrowed = narrowed.where((builder) => condition(builder as never))
    return narrowed as Statement
  }
  const select = (db: Store['db'], by: readonly string[], values: object) => {
    const found = matching(untyped(db).selectFrom(name), by, values)
    return (shown ? found.select([...shown]) : found.selectAll()).$castTo<Shown>()
  }
  const page = (db: Store['db'], by: readonly string[], values: Page & { before?: unknown }, position: string) =>
    select(db, by, values).where(position, '<', values.before).orderBy(position, 'desc').limit(values.limit)
  const remove = (db: Store['db'], by: readonly string[], values: object) =>
    matching(untyped(db).deleteFrom(name), by, values)
  /** When the actor entered its state; unchanged if the state stays the same. */
  const stateSince = (row: object) => {
    const { state, updated_at: at } = row as { state: string; updated_at: number }
    return sql<number>`case when state = ${state} then coalesce(state_since, updated_at) else ${at} end`
  }
  const move = (db: Store['db'], row: { from: number }, changed: readonly string[]) => {
    const columns = [...moved, ...changed].map((column) => [column, row[column as never]])
    const update = untyped(db)
      .updateTable(name)
      .set({ ...Object.fromEntries(columns), state_since: stateSince(row) })
      .where('version', '=', row.from)
    return matching(
      key.reduce((statement, column) => statement.where(column as string, '=', row[column as never]), update),
      [],
      row,
    )
  }

  return {
    /** The same statements, reading only these columns. */
    only: <Chosen extends Column<Name>>(...chosen: Chosen[]) =>
      statementsOf<Name, Key, Pick<Row<Name>, Chosen>>({ ...rows, shown: chosen }),
    /** The same statements, restricted to rows that meet the condition. */
    where: (condition: Condition<Name>) =>
      statementsOf<Name, Key, Shown>({ ...rows, conditions: [...conditions, condition] }),

    /** Inserts a row; `UniqueViolation` if it exists. */
    insert: <New extends object = Tables[Name]>() =>
      write((db, row: New) =>
        untyped(db)
          .insertInto(name)
          .values(row as never),
      ),
    /** Inserts a row unless an existing one has the same values in these columns (default: those of any key). */
    insertOrKeep: (...columns: Column<Name>[]) =>
      write((db, row: Tables[Name]) =>
        untyped(db)
          .insertInto(name)
          .values(row as never)
          .onConflict((conflict) => (columns.length === 0 ? conflict : conflict.columns(columns)).doNothing()),
      ),

    /** Finds the rows with these values; without names, the row with this key. */
    find: <Given extends Column<Name> = Key>(...by: Given[]) =>
      query((db, values: By<Name, Given>) => select(db, by.length === 0 ? key : by, values)),
    /** Counts the rows with these values. */
    count: <Given extends Column<Name>>(...by: Given[]) =>
      query((db, values: By<Name, Given>) =>
        matching(untyped(db).selectFrom(name), by, values).select(({ fn }) => fn.countAll<number>().as('count')),
      ),
    /** Condition of an insert: fewer than `max` rows have this value. */
    fewerThan: <Given extends Column<Name>>(max: number, by: Given, value: NonNullable<Row<Name>[Given]>) => {
      const found = matching(expressionBuilder<AnyTables>().selectFrom(name), [by], { [camel(by)]: value })
      return sql<boolean>`${found.select(({ fn }) => fn.countAll().as('count'))} < ${max}`
    },
    /** A page of the rows with these values before a position, newest first. */
    newest: <Position extends Column<Name>, Given extends Column<Name>>(position: Position, ...by: Given[]) =>
      query((db, values: By<Name, Given> & Page & { before: Row<Name>[Position] }) => page(db, by, values, position)),
    /** The row with these values that has the last position. */
    latest: <Position extends Column<Name>, Given extends Column<Name>>(position: Position, ...by: Given[]) =>
      query((db, values: By<Name, Given>) => select(db, by, values).orderBy(position, 'desc').limit(1)),
    /** `newest` with an optional filter by name. */
    newestByName: <Position extends Column<Name>, Given extends Column<Name>>(
      position: Position,
      called: Column<Name>,
      ...by: Given[]
    ) =>
      listByName((db, values: By<Name, Given> & Page & Named & { before: Row<Name>[Position] }, isNamed) =>
        page(db, by, values, position).$if(isNamed, (list) => list.where(called as string, '=', values.named)),
      ),
    /** The rows due by `now` according to this column, longest overdue first. */
    due: (at: Column<Name>) =>
      query((db, values: Page & { now: number }) =>
        select(db, [], values)
          .where(at as string, '<=', values.now)
          .orderBy(at)
          .limit(values.limit),
      ),
    /** The rows whose time in this column is before the given one, oldest first. */
    before: (at: Column<Name>) =>
      query((db, values: Page & { before: number }) =>
        select(db, [], values)
          .where(at as string, '<', values.before)
          .orderBy(at)
          .limit(values.limit),
      ),

    /** Deletes all rows with these values; without names, the row with this key. */
    remove: <Given extends Column<Name> = Key>(...by: Given[]) =>
      write((db, values: By<Name, Given>) => remove(db, by.length === 0 ? key : by, values)),
    /** Deletes exactly one row; else `StaleWrite`. */
    removeOne: <Given extends Column<Name> = Key>(...by: Given[]) =>
      write((db, values: By<Name, Given>) => remove(db, by.length === 0 ? key : by, values), 1),

    /** Stores a move of the actor, if it has not moved since version `from`; else `StaleWrite`. */
    move: <Changed extends Column<Name> = never>(...changed: Changed[]) =>
      write((db, row: Move<Name, Key | Changed>) => move(db, row, changed), 1),
  }
}
