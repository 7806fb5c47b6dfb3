/**
 * Upgrades a store from before addresses were verified: rows that refer to accounts survive the rebuild of that table.
 */
import { expect, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { migrate, migrations } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import type { Store } from '../../../storage/store.ts'
import type { Tables } from '../../../storage/tables.ts'
import { listUnverifiedUsers } from '../../../storage/tenancy/users.ts'

const tables = ['memberships', 'sessions', 'api_keys', 'user_groups', 'user_group_members', 'access_grants'] as const

/** A store of the previous version: the owner of the first start, two members, and the rows that refer to them. */
async function previousStore(): Promise<Store> {
  const store = openSqlite({ path: ':memory:' })
  const before = Object.entries(migrations).filter(([name]) => name < '0022')
  await migrate(store, Object.fromEntries(before))
  const run = (text: string) => sql.raw(text).execute(store.db)
  await run(`insert into organizations values ('org_1', 'default', 'Default', 'team', 'active', 10, 10)`)
  await run(`insert into installation values (1, 'org_1')`)
  for (const [id, email, at] of [
    ['usr_2', 'ada@example.com', 20],
    ['usr_1', 'owner@localhost', 10],
    ['usr_3', 'grace@example.com', 30],
  ]) {
    await run(`insert into users values ('${id}', '${email}', 'Name of ${id}', 'hash of ${id}', ${at})`)
    await run(`insert into memberships values ('org_1', '${id}', '${id === 'usr_1' ? 'owner' : 'member'}', ${at})`)
    await run(`insert into sessions values ('session of ${id}', '${id}', 1, 2, 3)`)
    await run(
      `insert into api_keys values ('key_${id}', 'org_1', 'key', 'trp_', 'secret of ${id}', '[]', null, null, null, '${id}', 'active', 9, null, 1)`,
    )
  }
  await run(`insert into user_groups values ('ugr_1', 'org_1', 'Readers', 1, 1)`)
  await run(`insert into user_group_members values ('ugr_1', 'org_1', 'usr_2', 1)`)
  await run(`insert into projects values ('prj_1', 'org_1', 'shop', 'Shop', null, 'active', 1, 1)`)
  await run(
    `insert into access_grants values ('grt_1', 'org_1', 'prj_1', 'usr_3', null, '["agents:list"]', 'user', 'usr_1', 1)`,
  )
  await run(
    `insert into invitations values ('ivt_1', 'org_1', 'pending@example.com', 'admin', 'token of ivt_1', 'usr_1', 40, 90)`,
  )
  return store
}

const rowsOf = (store: Store, table: keyof Tables) =>
  (store.db as unknown as Kysely<Record<string, object>>).selectFrom(table).selectAll().execute()

test('accounts, the rows that refer to them and open invitations are migrated, and foreign keys hold', async () => {
  const store = await previousStore()
  const before = await Promise.all(tables.map((table) => rowsOf(store, table)))
  await migrate(store, Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0023')))

  expect(await Promise.all(tables.map((table) => rowsOf(store, table)))).toEqual(before)
  for (const rows of before) expect(rows.length).toBeGreaterThan(0)
  const users = await store.db.selectFrom('users').selectAll().orderBy('id').execute()
  expect(users).toEqual([
    // the operator named the owner of the first start
    { email: 'owner@localhost', created_at: 10, email_verified_at: 10, ...of('usr_1') },
    // all others joined with a token that the inviter saw
    { email: 'ada@example.com', created_at: 20, email_verified_at: null, ...of('usr_2') },
    { email: 'grace@example.com', created_at: 30, email_verified_at: null, ...of('usr_3') },
  ])
  expect(await rowsOf(store, 'invitations')).toEqual([
    {
      id: 'ivt_1',
      organization_id: 'org_1',
      email: 'pending@example.com',
      user_id: null,
      role: 'admin',
      token_hash: 'token of ivt_1',
      mailed: 0,
      mail_due_at: null,
      mail_attempts: 0,
      invited_by: 'usr_1',
      created_at: 40,
      expires_at: 90,
    },
  ])

  expect(Object.values((await store.first<object>({ sql: 'pragma foreign_keys', parameters: [] }))!)).toEqual([1])
  expect(await store.all({ sql: 'pragma foreign_key_check', parameters: [] })).toEqual([])
  // foreign keys refer to the rebuilt table: they restrict, and they cascade
  const stray = sql.raw(`insert into memberships values ('org_1', 'usr_9', 'member', 1)`).execute(store.db)
  await expect(stray).rejects.toThrow()
  await sql.raw(`delete from api_keys where created_by = 'usr_2'`).execute(store.db)
  await sql.raw(`delete from users where id = 'usr_2'`).execute(store.db)
  expect(await store.db.selectFrom('memberships').select('user_id').orderBy('user_id').execute()).toEqual([
    { user_id: 'usr_1' },
    { user_id: 'usr_3' },
  ])
  await store.close()
})

test('after the migration an address may be reused, and only one account may have it verified', async () => {
  const store = await previousStore()
  await migrate(store)
  const insert = (id: string, email: string, verifiedAt: number | null) =>
    store.db
      .insertInto('users')
      .values({ email, created_at: 50, email_verified_at: verifiedAt, ...of(id) })
      .execute()
  await insert('usr_4', 'owner@localhost', null)
  await insert('usr_5', 'ada@example.com', null)
  await insert('usr_6', 'ada@example.com', 60)
  await expect(insert('usr_7', 'ada@example.com', 70)).rejects.toThrow(/UNIQUE/)
  const unverified = await store.all(listUnverifiedUsers(store, { email: 'ada@example.com', limit: 5 }))
  expect(unverified.map(({ id }) => id)).toEqual(['usr_2', 'usr_5'])
  await store.close()
})

test('a store that refers to a missing account is left unchanged, and the error says so', async () => {
  const store = await previousStore()
  await sql.raw('pragma foreign_keys = off').execute(store.db)
  await sql.raw(`insert into memberships values ('org_1', 'usr_9', 'member', 1)`).execute(store.db)
  await sql.raw('pragma foreign_keys = on').execute(store.db)
  await expect(migrate(store)).rejects.toThrow(
    /0022-accounts.*rows of memberships refer to rows that are not there \(1\)/,
  )
  expect((await rowsOf(store, 'users')).map((row) => Object.keys(row))[0]).not.toContain('email_verified_at')
  expect(Object.values((await store.first<object>({ sql: 'pragma foreign_keys', parameters: [] }))!)).toEqual([1])
  await store.close()
})

const of = (id: string) => ({ id, name: `Name of ${id}`, password_hash: `hash of ${id}` })
