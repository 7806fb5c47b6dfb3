/** Migrations, as every engine promises them. */
import { describe, expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { StoreRefused } from '../../storage/errors.ts'
import { migrate, migrations } from '../../storage/migrations.ts'
import { openStore } from '../../storage/open.ts'
import { onEachEngine } from './engines/each-engine.ts'

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

    test('bring a fresh store up, and leave one that is up as it is', async () => {
      expect(await tables()).toContain('transitions')
      const before = await history()
      expect(before.length).toBeGreaterThan(0)
      await opened.store.commit([timer('kept')])
      await opened.store.close()
      await opened.reopen()
      expect(await history()).toEqual(before)
      expect(await stored()).toEqual(['kept'])
    })
    test('are all that the folder holds', () => {
      const folder = new URL('../../storage/migrations/', import.meta.url).pathname
      const files = [...new Bun.Glob('*.ts').scanSync(folder)].map((file) => file.replace('.ts', ''))
      expect(Object.keys(migrations)).toEqual(files.sort())
    })
    test('go on from where the store is', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(opened.store, { ...known, '9998-a': make('a'), '9999-b': make('b') })
      expect(await tables()).toEqual(expect.arrayContaining(['a', 'b']))
      expect((await history()).slice(-2)).toEqual(['9998-a', '9999-b'])
    })
    test('refuse the store of a newer program and say what to do', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(opened.store, { ...known, '9999-future': make('future') })
      await opened.store.close()
      const opening = openStore(opened.place.address)
      await expect(opening).rejects.toBeInstanceOf(StoreRefused)
      await expect(opening).rejects.toThrow(
        /newer than this program.+9999-future.+Start a newer Troupe, or restore a backup/,
      )
    })
    test('that fail leave the store as it was, for a later try', async () => {
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
    test('two programs that start at once both find the store up', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await Promise.all([migrate(opened.store, known), migrate(opened.store, known)])
    })
  })
})
