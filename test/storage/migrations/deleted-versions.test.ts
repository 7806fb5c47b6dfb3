/** Upgrades a store from before variables could be marked as deleted: their rows survive the change of the column. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { migrate, migrations } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'

test.each(['variables', 'organization_variables'])('%s keep their status and their versions', async (table) => {
  const store = openSqlite({ path: ':memory:' })
  const before = Object.entries(migrations).filter(([name]) => name < '0112')
  await migrate(store, Object.fromEntries(before))
  const run = async (text: string) => (await sql.raw<object>(text).execute(store.db)).rows
  const isOfOrganization = table === 'organization_variables'
  const versions = isOfOrganization ? 'organization_variable_versions' : 'variable_versions'
  const place = isOfOrganization ? ['organization_id'] : ['organization_id', 'environment_id']
  const columns = ['id', ...place, 'name', 'version', 'status', 'created_at', 'updated_at']
  const insert = (id: string, status: string) =>
    run(`insert into ${table} (${columns})
      values ('${id}', ${place.map(() => "'place'")}, '${id}', 1, '${status}', 1, 1)`)
  const rows = () => run(`select id, name, version, status from ${table} order by id`)

  // the rows stand alone
  await run('pragma foreign_keys = off')
  await insert('var_1', 'active')
  await insert('var_2', 'disabled')
  await run(`insert into ${versions} (variable_id, version, sealed, digest, length, created_at)
    values ('var_2', 1, 'sealed', 'hmac', 1, 1)`)
  const [found, kept] = [await rows(), await run(`select * from ${versions}`)]
  await run('pragma foreign_keys = on')
  await migrate(store, migrations)
  expect([await rows(), await run(`select * from ${versions}`)]).toEqual([found, kept])

  await run('pragma foreign_keys = off')
  await insert('var_3', 'deleting')
  expect(await insert('var_4', 'away').catch(({ message }) => message)).toContain('CHECK constraint failed')
  await store.close()
})
