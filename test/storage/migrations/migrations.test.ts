/** Migrations, on each engine. */
import { describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { StoreRefused } from '../../../storage/errors.ts'
import { migrate, migrations } from '../../../storage/migrations.ts'
import { openStore } from '../../../storage/open.ts'
import { baseline } from '../../../storage/sqlite/baseline/baseline.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import type { Store } from '../../../storage/store.ts'
import { onEachEngine } from '../engines/each-engine.ts'

onEachEngine((opened) => {
  const { timer, stored } = opened
  describe('migrations', () => {
    const make = (name: string) => ({
      up: async (db: Kysely<unknown>) => {
        await sql`create table ${sql.table(name)} (id integer)`.execute(db)
      },
    })
    const tables = async () => (await opened.store.db.introspection.getTables()).map(({ name }) => name)
    const history = async () =>
      (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(opened.store.db)).rows.map(
        ({ name }) => name,
      )

    test('migrate a fresh store, and leave an up-to-date store unchanged', async () => {
      expect(await tables()).toContain('transitions')
      const before = await history()
      expect(before.length).toBeGreaterThan(0)
      await opened.store.commit([timer('kept')])
      await opened.store.close()
      await opened.reopen()
      expect(await history()).toEqual(before)
      expect(await stored()).toEqual(['kept'])
    })
    test('include every file of the folder', () => {
      const folder = new URL('../../../storage/migrations/', import.meta.url).pathname
      const files = [...new Bun.Glob('*.ts').scanSync(folder)].map((file) => file.replace('.ts', ''))
      expect(Object.keys(migrations)).toEqual(files.sort())
    })
    test('continue from the version of the store', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(opened.store, { ...known, '9998-a': make('a'), '9999-b': make('b') })
      expect(await tables()).toEqual(expect.arrayContaining(['a', 'b']))
      expect((await history()).slice(-2)).toEqual(['9998-a', '9999-b'])
    })
    test('refuse the store of a newer program, and say what to do', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(opened.store, { ...known, '9999-future': make('future') })
      await opened.store.close()
      const opening = openStore(opened.place.address)
      await expect(opening).rejects.toBeInstanceOf(StoreRefused)
      await expect(opening).rejects.toThrow(
        /newer than this program.+9999-future.+Start a newer Troupe, or restore a backup/,
      )
    })
    test('leave the store unchanged when they fail, so that a later try can succeed', async () => {
      const before = { tables: await tables(), history: await history() }
      const known = Object.fromEntries(before.history.map((name) => [name, make('unused')]))
      const failing = {
        up: async (db: Kysely<unknown>) => {
          await make('half').up(db)
          await sql`insert into nothing values (1)`.execute(db)
        },
      }
      const migrating = migrate(opened.store, { ...known, '9998-a': make('a'), '9999-b': failing })
      await expect(migrating).rejects.toBeInstanceOf(StoreRefused)
      await expect(migrating).rejects.toThrow(/migration 9999-b of the store failed: .*nothing/)
      expect({ tables: await tables(), history: await history() }).toEqual(before)
      await opened.store.commit([timer('goes-on')])
      await migrate(opened.store, { ...known, '9998-a': make('a') })
      expect(await tables()).toContain('a')
    })
    test('two programs that start at once both find the store up to date', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await Promise.all([migrate(opened.store, known), migrate(opened.store, known)])
    })
  })
})

describe('the baseline of new stores in SQLite', () => {
  const opened = async (beginning: Parameters<typeof migrate>[2], known = migrations) => {
    const store = openSqlite({ path: ':memory:' })
    await migrate(store, known, beginning)
    return store
  }
  const all = (store: Store, text: string) => store.all<Record<string, unknown>>({ sql: text, parameters: [] })
  /** The schema, independent of how each part is written, and the rows. */
  const contentsOf = async (store: Store) => {
    const parts = await all(store, `select type, name, tbl_name, sql from sqlite_master where name not like 'sqlite_%'`)
    const tables = []
    for (const { name } of parts.filter(({ type }) => type === 'table')) {
      const columns = await all(
        store,
        `select name, type, "notnull", dflt_value, pk from pragma_table_xinfo('${name}')`,
      )
      const keys = await all(store, `select "table", "from", "to", on_delete from pragma_foreign_key_list('${name}')`)
      const kind = await all(store, `select wr, strict from pragma_table_list('${name}')`)
      const rows = (await all(store, `select * from "${name}"`)).map((row) =>
        Object.entries(row).filter(([column]) => !column.endsWith('_at') && column !== 'timestamp'),
      )
      tables.push([name, columns.map((each) => JSON.stringify(each)).sort(), keys, kind, rows])
    }
    const others = parts.filter(({ type }) => type !== 'table').map((part) => JSON.stringify(part))
    return { tables: tables.sort(([one], [other]) => String(one).localeCompare(String(other))), others: others.sort() }
  }

  test('equals the result of the migrations (if not: bun storage/sqlite/baseline/generate.ts)', async () => {
    const [one, other] = [await opened(baseline), await opened(null)]
    const contents = await contentsOf(one)
    expect(contents).toEqual(await contentsOf(other))
    expect(contents.tables.length).toBeGreaterThan(100)
    await Promise.all([one.close(), other.close()])
  })
  test('is not used by a program that lacks one of its migrations, and a failed one leaves nothing', async () => {
    const { migrations: names, statements } = await baseline()
    const older = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0010'))
    const store = await opened(baseline, older)
    expect(await all(store, 'select count(*) as count from kysely_migration')).toEqual([{ count: 9 }])
    const broken = openSqlite({ path: ':memory:' })
    const failing = async () => ({ migrations: names, statements: [...statements, 'insert into nothing values (1)'] })
    await expect(migrate(broken, migrations, failing)).rejects.toThrow(/nothing/)
    expect(await all(broken, 'select name from sqlite_master')).toEqual([])
    await Promise.all([store.close(), broken.close()])
  })
})
