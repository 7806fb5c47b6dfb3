/** The migration that gives sessions a second id keeps the data of an existing store. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { migrate } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'

const name = '0023-sessions-and-keys'

test('sessions, members and keys of an existing store are kept unchanged', async () => {
  const store = openSqlite({ path: ':memory:' })
  const folder = new URL('../../../storage/migrations/', import.meta.url).pathname
  const files = [...new Bun.Glob('*.ts').scanSync(folder)].map((file) => file.replace('.ts', '')).sort()
  const earlier: Record<string, Migration> = {}
  for (const file of files) if (file < name) earlier[file] = await import(`${folder}${file}.ts`)
  await migrate(store, earlier)

  const { db } = store
  const run = (statement: ReturnType<typeof sql>) => statement.execute(db)
  await run(sql`insert into organizations values ('org_1', 'acme', 'Acme', 'team', 'active', 1, 1)`)
  await run(
    sql`insert into users (id, email, name, password_hash, created_at) values ('usr_1', 'a@example.com', 'A', '-', 1)`,
  )
  await run(sql`insert into memberships values ('org_1', 'usr_1', 'owner', 1)`)
  await run(sql`insert into api_keys values
    ('key_1', 'org_1', 'key', 'trp_aaaa', 'hash', '[]', null, null, null, 'usr_1', 'active', 9, null, 1)`)
  // more rows than are copied at a time
  const sessions = Array.from({ length: 1_203 }, (_, index) => ({
    id: String(index).padStart(64, '0'),
    created_at: 1_700_000_000_000 + index,
  }))
  for (const { id, created_at } of sessions) {
    await run(sql`insert into sessions values (${id}, 'usr_1', ${created_at}, ${created_at + 1}, ${created_at + 2})`)
  }

  await migrate(store, { ...earlier, [name]: await import(`${folder}${name}.ts`) })
  const rows = await db.selectFrom('sessions').selectAll().orderBy('id').execute()
  expect(rows).toHaveLength(sessions.length)
  expect(new Set(rows.map(({ public_id }) => public_id)).size).toBe(sessions.length)
  expect(rows.map(({ public_id, ...row }) => row)).toEqual(
    sessions.map(({ id, created_at }) => ({
      id,
      user_id: 'usr_1',
      address: null,
      user_agent: null,
      created_at,
      last_seen_at: created_at + 1,
      expires_at: created_at + 2,
    })),
  )
  for (const { public_id } of rows) expect(public_id).toMatch(/^ses_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  // the ids sort in the order in which the sessions began
  const sorted = rows.toSorted((one, other) => (one.public_id < other.public_id ? -1 : 1))
  expect(sorted.map(({ id }) => id)).toEqual(sessions.map(({ id }) => id))
  expect(await db.selectFrom('memberships').selectAll().execute()).toEqual([
    { organization_id: 'org_1', user_id: 'usr_1', role: 'owner', created_at: 1, sessions_ended_at: null },
  ])
  expect(await db.selectFrom('api_keys').select(['id', 'replaced_by']).execute()).toEqual([
    { id: 'key_1', replaced_by: null },
  ])
  // a session is still removed with its user
  await run(sql`delete from api_keys`)
  await run(sql`delete from users`)
  expect(await db.selectFrom('sessions').select('id').execute()).toEqual([])
  await store.close()
})
