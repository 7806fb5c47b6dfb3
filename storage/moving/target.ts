/**
 * A PostgreSQL database that is being filled from another store. Meanwhile foreign keys are dropped and triggers
 * disabled: the source has already counted and checked the rows, and foreign keys are checked at the end.
 */
import { type Kysely, sql } from 'kysely'
import { StoreRefused } from '../errors.ts'
import { migrate } from '../migrations.ts'
import type { Store } from '../store.ts'
import { isBeingFilled, mark, markerTable, unmark } from './marker.ts'
import type { MovedTable } from './tables.ts'

type Db = Kysely<unknown>

interface Reference {
  table: string
  name: string
  definition: string
}

const namesOf = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

export class Target {
  readonly #db: Db
  #references: Reference[] = []

  constructor(private readonly store: Store) {
    this.#db = store.db as unknown as Db
  }

  get db(): Db {
    return this.#db
  }

  /**
   * Prepares an empty schema. Throws `StoreRefused` if the database contains more than the remains of an interrupted
   * move.
   */
  async prepare(): Promise<void> {
    const found = await namesOf(this.#db)
    if (!(await isBeingFilled(this.#db)) && found.length > 0) {
      throw new StoreRefused(
        `The database is not empty: it has a table ${found[0]}, for one. A store is moved into a new one.`,
      )
    }
    await mark(this.#db)
    for (const name of found) {
      if (name !== markerTable) await sql`drop table if exists ${sql.table(name)} cascade`.execute(this.#db)
    }
    await migrate(this.store)
    this.#references = await this.#referencesNow()
    await this.#together(async (db) => {
      for (const { table, name } of this.#references)
        await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(db)
      for (const table of await namesOf(db)) await sql`alter table ${sql.table(table)} disable trigger user`.execute(db)
    })
  }

  /** Removes the rows that migrations inserted into a table. */
  async empty({ name }: MovedTable): Promise<void> {
    await sql`delete from ${sql.table(name)}`.execute(this.#db)
  }

  /** Inserts rows. `json` is an array of row objects. */
  async insert({ name, columns }: MovedTable, json: string): Promise<void> {
    const into = sql.join(columns.map((column) => sql.ref(column)))
    await sql`insert into ${sql.table(name)} (${into}) select ${into}
      from json_populate_recordset(cast(null as ${sql.table(name)}), cast(cast(${json} as text) as json))`.execute(
      this.#db,
    )
  }

  /** Sets sequences past the moved rows, and restores foreign keys and triggers. Throws if a reference is broken. */
  async finish(): Promise<void> {
    const { rows } = await sql<{ table: string; column: string }>`select table_name as "table", column_name as "column"
      from information_schema.columns where table_schema = 'public' and is_identity = 'YES'`.execute(this.#db)
    await this.#together(async (db) => {
      for (const { table, column } of rows)
        await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
          (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(db)
      for (const { table, name, definition } of this.#references)
        await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(db)
      for (const table of await namesOf(db)) await sql`alter table ${sql.table(table)} enable trigger user`.execute(db)
      await sql`analyze`.execute(db)
    })
  }

  /** Marks the database as complete: servers may use it. */
  async release(): Promise<void> {
    await unmark(this.#db)
  }

  async #referencesNow(): Promise<Reference[]> {
    const { rows } = await sql<Reference>`select cast(conrelid as regclass)::text as "table", conname as name,
      pg_get_constraintdef(oid) as definition from pg_constraint
      where contype = 'f' and connamespace = cast('public' as regnamespace) order by 1, 2`.execute(this.#db)
    return rows
  }

  #together(work: (db: Db) => Promise<void>): Promise<void> {
    return this.#db.transaction().execute((db) => work(db as unknown as Db))
  }
}
