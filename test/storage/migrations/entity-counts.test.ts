/** The migration that counts entities: an existing store gets its counts, and they follow inserts and deletes. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { migrate } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'

const name = '0028-entity-counts'

test('counts the entities of an existing store, and those inserted and deleted afterwards', async () => {
  const store = openSqlite({ path: ':memory:' })
  const folder = new URL('../../../storage/migrations/', import.meta.url).pathname
  const files = [...new Bun.Glob('*.ts').scanSync(folder)].map((file) => file.replace('.ts', '')).sort()
  const earlier: Record<string, Migration> = {}
  for (const file of files) if (file < name) earlier[file] = await import(`${folder}${file}.ts`)
  await migrate(store, earlier)

  const { db } = store
  const run = (statement: ReturnType<typeof sql>) => statement.execute(db)
  const counts = async () =>
    (await sql<{ entities: number }>`select environment_id, entities from entity_counts`.execute(db)).rows
  const insert = (id: string, environment: string, state: string, deletedAt: number | null) =>
    run(sql`insert into entities values (${id}, 'org_1', 'prj_1', ${environment}, 'thing', 'dfr_1', ${state},
      1, '1', '{}', 1, '{}', 1, 1, ${deletedAt})`)
  await run(sql`pragma foreign_keys = off`)
  await insert('ent_1', 'env_1', 'kept', null)
  await insert('ent_2', 'env_1', 'entity/deleted', 2)
  await insert('ent_3', 'env_1', 'kept', null)

  await migrate(store, { ...earlier, [name]: await import(`${folder}${name}.ts`) })
  expect(await counts()).toEqual([{ environment_id: 'env_1', entities: 2 }] as never)

  await run(sql`pragma foreign_keys = off`)
  await insert('ent_4', 'env_2', 'kept', null)
  await run(sql`update entities set state = 'entity/deleted', deleted_at = 3 where id = 'ent_1'`)
  await run(sql`delete from entities where id in ('ent_1', 'ent_2')`)
  expect(await counts()).toEqual([
    { environment_id: 'env_1', entities: 1 },
    { environment_id: 'env_2', entities: 1 },
  ] as never)
  await run(sql`delete from entities`)
  expect((await counts()).map(({ entities }) => entities)).toEqual([0, 0])
  await store.close()
})
