/** Behavior specific to PostgreSQL: its statements, its errors, and lost connections. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { OutcomeUnknown, StoreRefused, StoreUnavailable } from '../../../storage/errors.ts'
import { openStore } from '../../../storage/open.ts'
import { openPostgres } from '../../../storage/postgres/store.ts'
import { dueTimers, insertTimer } from '../../../storage/runtime/actors.ts'
import type { Store } from '../../../storage/store.ts'
import { eventually } from '../../support/process.ts'
import { cuttingProxy } from '../../support/services/cutting-proxy.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../../support/services/postgres.ts'

const timer = (store: Store, actorId: string) =>
  insertTimer(store, { kind: 'note', actor_id: actorId, name: 'due', due_at: 2 ** 52 })
const removedTimer = (actorId: string) => ({
  sql: 'delete from timers where actor_id = $1',
  parameters: [actorId],
  rows: 1,
})
const stored = async (store: Store) =>
  (await store.all(dueTimers(store, { now: Number.MAX_SAFE_INTEGER, limit: 10_000 }))).map(({ actor_id }) => actor_id)
const refusal = (address: string) => openPostgres(address, { waitMs: 100 }).then(String, (error) => error)

describe.skipIf(!postgresIsInstalled())('a store in PostgreSQL', () => {
  let database: Database
  let store: Store
  let admin: SQL
  beforeAll(async () => {
    database = await newDatabase()
    store = await openStore(database.address)
    admin = new SQL({ url: database.address, max: 1 })
  })
  afterAll(async () => {
    await admin?.close()
    await store?.close()
    await database?.remove()
  })

  test('is not the database of another program, which gets no tables', async () => {
    const other = await newDatabase()
    const theirs = new SQL({ url: other.address, max: 1 })
    await theirs`create table notes (id text)`
    await expect(openStore(other.address)).rejects.toThrow(/the database of another program: it has a table notes\./)
    const tables = await theirs`select table_name from information_schema.tables where table_schema = 'public'`
    expect([...tables]).toEqual([{ table_name: 'notes' }])
    await theirs.close()
    await other.remove()
  })

  test('accepts every statement', async () => {
    const other = await newDatabase()
    const program = join(import.meta.dir, '../plans/collect.ts')
    const child = Bun.spawn([process.execPath, program, other.address], { stdout: 'pipe', stderr: 'inherit' })
    const statements: { name: string; sql: string }[] = await new Response(child.stdout).json()
    expect(await child.exited).toBe(0)
    const refused: string[] = []
    for (const [place, { name, sql }] of statements.entries()) {
      await admin.unsafe(`prepare s${place} as ${sql}`).catch((error) => refused.push(`${name}: ${error.message}`))
    }
    expect(refused).toEqual([])
    expect(statements.length).toBeGreaterThan(900)
    await other.remove()
  })

  test('compares all texts bytewise, whatever the collation of the database', async () => {
    const columns = await admin`select table_name, column_name from information_schema.columns
      where table_schema = 'public' and table_name not like 'kysely%'
        and data_type in ('text', 'character varying') and collation_name is distinct from 'C'`
    expect([...columns]).toEqual([])
    await store.commit(['order-b', 'order-C', 'order-a', 'order-Ä'].map((name) => timer(store, name)))
    const rows = await store.db
      .selectFrom('timers')
      .select('actor_id')
      .where('actor_id', 'like', 'order-%')
      .orderBy('actor_id')
      .execute()
    expect(rows.map(({ actor_id }) => actor_id)).toEqual(['order-C', 'order-a', 'order-b', 'order-Ä'])
  })

  test('returns whole numbers as numbers, also sums, and booleans as 1 and 0', async () => {
    await store.commit([timer(store, 'number-1'), timer(store, 'number-2')])
    const of = store.db.selectFrom('timers').where('actor_id', 'like', 'number-%')
    expect(await of.select('due_at').limit(1).execute()).toEqual([{ due_at: 2 ** 52 }])
    expect(await of.select(({ fn }) => [fn.countAll().as('count'), fn.sum('due_at').as('sum')]).execute()).toEqual([
      { count: 2, sum: 2 ** 53 },
    ] as never)
    expect(await store.all<object>({ sql: 'select 1 < 2 as yes, 2 < 1 as no', parameters: [] })).toEqual([
      { yes: 1, no: 0 },
    ])
  })

  test('finds nothing by a text with a character that it cannot store', async () => {
    await store.commit([timer(store, 'nul-1')])
    const found = (id: string) =>
      store.first<object>({ sql: 'select actor_id from timers where actor_id = $1', parameters: [id] })
    expect(await found('nul-1')).toEqual({ actor_id: 'nul-1' })
    expect(await found('nul-\u00001')).toBeUndefined()
  })

  test('refuses to update immutable rows, and allows their removal', async () => {
    await admin`insert into audit_events (organization_id, id, actor_type, actor_id, operation, resource_type,
        outcome, request_id, changed, at)
      values ('org_1', 'aud_1', 'user', 'usr_1', 'listAgents', 'agent', 'denied', 'req_1', '[]', 1)`
    const change = (sql: string) => store.commit([{ sql, parameters: [], rows: 1 }])
    await expect(change("update audit_events set actor_id = 'usr_2'")).rejects.toThrow(
      'rows of audit_events are immutable',
    )
    await expect(change('update audit_events set count = 0')).rejects.toThrow('immutable')
    await change('update audit_events set count = 2')
    await change('delete from audit_events')
  })

  describe('is refused with a one-line message', () => {
    test('while another server has the store open', async () => {
      const error = await refusal(database.address)
      expect(error).toBeInstanceOf(StoreRefused)
      expect(error.message).toMatch(
        /^The store postgres:\/\/127\.0\.0\.1:\d+\/troupe_\d+ cannot be opened: it is in use by another server; several servers need REDIS_URL, each of them the same\.$/,
      )
    })

    test.each<[string, Partial<URL>, RegExp]>([
      ['a database that does not exist', { pathname: '/nowhere' }, /database "nowhere" does not exist$/],
      ['an account that does not exist', { username: 'nobody' }, /role "nobody" does not exist$/],
      ['a server that is down', { port: '1' }, /not reachable/],
    ])('for %s, without the password', async (_, change, message) => {
      const url = Object.assign(new URL(database.address), { password: 'top-secret', ...change })
      const error = await refusal(url.href)
      expect(error).toBeInstanceOf(StoreRefused)
      expect(error.message).toMatch(message)
      expect(error.message).not.toContain('top-secret')
    })

    test.each([
      [
        'a file path given as a database',
        'postgres://localhost/data/troupe.db',
        /names no host and database; .* sqlite:PATH/,
      ],
      ['a database without a name', 'postgres://localhost', /names no host and database/],
      [
        'a database address given as a file',
        'sqlite:postgres://localhost/troupe',
        /is no file: a PostgreSQL database is named by/,
      ],
    ])('for %s', async (_, address, message) => {
      const error = await openStore(address).then(String, (error) => error)
      expect(error).toBeInstanceOf(StoreRefused)
      expect(error.message).toMatch(message)
    })

    test.each(['postgres:', 'postgres://user@:port/x'])('for the address %p', async (address) => {
      expect(await refusal(address)).toBeInstanceOf(StoreRefused)
    })
  })

  test('a connection that is closed during a commit fails the uncommitted units, and the next connection works', async () => {
    const name = (number: number) => `cut-${String(number).padStart(3, '0')}`
    const outcomes = Array.from({ length: 200 }, async (_, number) => {
      await Bun.sleep(number)
      return store.commit([timer(store, name(number))]).then(
        () => name(number),
        (error) => expect(error).toBeInstanceOf(StoreUnavailable),
      )
    })
    for (const pauseMs of [40, 60]) {
      await Bun.sleep(pauseMs)
      await admin`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'troupe'`
    }
    const said = (await Promise.all(outcomes)).filter((outcome) => typeof outcome === 'string')
    // a connection that is lost while idle goes unnoticed
    await admin`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'troupe'`
    await store.commit([timer(store, 'cut-last')])
    const found = (await stored(store)).filter((id) => id.startsWith('cut-'))
    expect(found.toSorted()).toEqual([...said, 'cut-last'].toSorted() as string[])
    expect(said.length).toBeGreaterThan(0)
  })

  describe('a connection that is cut at a commit', () => {
    let own: Database
    let proxy: ReturnType<typeof cuttingProxy>
    let behind: Store
    beforeAll(async () => {
      own = await newDatabase()
      proxy = cuttingProxy(Number(new URL(own.address).port))
      behind = await openStore(own.address.replace(/:\d+\//, `:${proxy.port}/`))
    })
    afterAll(async () => {
      await behind?.close()
      proxy?.stop()
      await own?.remove()
    })

    test('looks up the commit whose answer was lost, and reports its true outcome', async () => {
      proxy.cutNextCommit('answer')
      await behind.commit([timer(behind, 'lost-answer')])
      expect(proxy.cuts()).toBe(1)
      expect(await stored(behind)).toEqual(['lost-answer'])
    })

    test('does so although the connection was idle for so long that another one deleted its mark', async () => {
      await behind.commit([timer(behind, 'before')])
      const other = new SQL({ url: own.address, max: 1 })
      expect((await other`delete from commit_marks returning id`).length).toBeGreaterThan(0)
      await other.close()
      proxy.cutNextCommit('answer')
      await behind.commit([timer(behind, 'after-a-week')])
      expect(proxy.cuts()).toBe(2)
      expect(await stored(behind)).toContain('after-a-week')
      await behind.commit(['before', 'after-a-week'].map((name) => removedTimer(name)))
    })

    test('does not report a commit that never arrived as made, and the next commit succeeds', async () => {
      proxy.cutNextCommit('request')
      await expect(behind.commit([timer(behind, 'lost-request')])).rejects.toBeInstanceOf(StoreUnavailable)
      expect(proxy.cuts()).toBe(3)
      await behind.commit([timer(behind, 'next')])
      expect(await stored(behind)).toEqual(['lost-answer', 'next'])
    })

    test('reports the outcome as unknown when the lookup is not possible in time', async () => {
      proxy.cutNextCommit('answer', { andStayAway: true })
      await expect(behind.commit([timer(behind, 'unknown')])).rejects.toBeInstanceOf(OutcomeUnknown)
      proxy.comeBack()
      expect(await eventually('the store', () => stored(behind).catch(() => undefined))).toContain('unknown')
    })
  })

  test('a server with Redis is refused while one without Redis has the store open', async () => {
    const error = await openPostgres(database.address, { kind: 'beside', waitMs: 100 }).then(String, (error) => error)
    expect(error.message).toMatch(/in use by a server without REDIS_URL/)
  })
})
