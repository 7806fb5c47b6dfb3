/** What is PostgreSQL's own: its statements, its refusals, and a connection that is lost. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Socket, SQL } from 'bun'
import { StoreRefused, StoreUnavailable } from '../../storage/errors.ts'
import { openStore } from '../../storage/open.ts'
import { openPostgres } from '../../storage/postgres/store.ts'
import { dueTimers, insertTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import { type Database, newDatabase, postgresIsInstalled } from '../support/postgres.ts'

const timer = (store: Store, actorId: string) =>
  insertTimer(store, { kind: 'note', actor_id: actorId, name: 'due', due_at: 2 ** 52 })
const stored = async (store: Store) =>
  (await store.all(dueTimers(store, { now: Number.MAX_SAFE_INTEGER, limit: 10_000 }))).map(({ actor_id }) => actor_id)
const refusal = (address: string) => openPostgres(address, 100).then(String, (error) => error)

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

  test('takes every statement that there is', async () => {
    const other = await newDatabase()
    const program = join(import.meta.dir, 'plans/collect.ts')
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
  }, 60_000)

  test('compares all texts by their bytes, whatever the collation of the database', async () => {
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

  test('answers whole numbers as numbers, sums too, and truths as 1 and 0', async () => {
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

  test('refuses to change what is immutable, and takes it away', async () => {
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

  describe('is refused with one line', () => {
    test('while another server has it open', async () => {
      const error = await refusal(database.address)
      expect(error).toBeInstanceOf(StoreRefused)
      expect(error.message).toMatch(
        /^The store postgres:\/\/127\.0\.0\.1:\d+\/troupe_\d+ cannot be opened: .* in use by another server\.$/,
      )
    })

    test.each<[string, Partial<URL>, RegExp]>([
      ['a database that there is not', { pathname: '/nowhere' }, /database "nowhere" does not exist$/],
      ['an account that there is not', { username: 'nobody' }, /role "nobody" does not exist$/],
      ['a server that is away', { port: '1' }, /not reachable/],
    ])('for %s, without the password', async (_, change, message) => {
      const url = Object.assign(new URL(database.address), { password: 'top-secret', ...change })
      const error = await refusal(url.href)
      expect(error).toBeInstanceOf(StoreRefused)
      expect(error.message).toMatch(message)
      expect(error.message).not.toContain('top-secret')
    })

    test.each(['postgres:', 'postgres://user@:port/x'])('for the address %p', async (address) => {
      expect(await refusal(address)).toBeInstanceOf(StoreRefused)
    })
  })

  test('a connection that is ended in the middle fails what it has not committed, and the next one goes on', async () => {
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
    // one that is lost while nobody asks for anything is noticed by nobody
    await admin`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'troupe'`
    await store.commit([timer(store, 'cut-last')])
    const found = (await stored(store)).filter((id) => id.startsWith('cut-'))
    expect(found.toSorted()).toEqual([...said, 'cut-last'].toSorted() as string[])
    expect(said.length).toBeGreaterThan(0)
  })

  test('a commit whose answer is lost is looked up, and told as it was', async () => {
    const own = await newDatabase()
    const proxy = cuttingProxy(Number(new URL(own.address).port))
    const behind = await openStore(own.address.replace(/:\d+\//, `:${proxy.port}/`))
    proxy.cutNextCommit()
    await behind.commit([timer(behind, 'lost-answer')])
    expect(proxy.cuts()).toBe(1)
    expect(await stored(behind)).toEqual(['lost-answer'])
    await behind.close()
    proxy.stop()
    await own.remove()
  })
})

/** Forwards to a port of this machine, and cuts the connection in the place of the answer to a `commit`, when it is told to. */
function cuttingProxy(port: number) {
  interface Side {
    other?: Promise<Socket<Side>>
    cutting?: boolean
  }
  let wanted = false
  let cuts = 0
  const proxy = Bun.listen<Side>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        client.data = {
          other: Bun.connect<Side>({
            hostname: '127.0.0.1',
            port,
            socket: {
              data(_, bytes) {
                if (!client.data.cutting) return void client.write(bytes)
                cuts += 1
                client.terminate()
              },
              close: () => void client.end(),
            },
          }),
        }
      },
      async data(client, bytes) {
        if (wanted && /\bcommit\b/.test(Buffer.from(bytes).toString('latin1'))) {
          wanted = false
          client.data.cutting = true
        }
        const copy = Uint8Array.from(bytes)
        ;(await client.data.other)?.write(copy)
      },
      close: (client) => void client.data.other?.then((server) => server.end()),
    },
  })
  return {
    port: proxy.port,
    cutNextCommit() {
      wanted = true
    },
    cuts: () => cuts,
    stop: () => proxy.stop(true),
  }
}
