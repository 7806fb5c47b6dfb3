/** What every engine promises. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { dueTimers, insertEffect, insertTimer, listTimers } from '../../storage/actors.ts'
import { Counter } from '../../storage/counters.ts'
import { StaleWrite, StoreRefused, StoreUnavailable, UniqueViolation } from '../../storage/errors.ts'
import { migrate } from '../../storage/migrations.ts'
import { openStore } from '../../storage/open.ts'
import { query, write } from '../../storage/statement.ts'
import type { Store, Write } from '../../storage/store.ts'
import { engines, type Place } from './engines.ts'

describe.each(engines)('$name', (engine) => {
  let place: Place
  let store: Store
  beforeEach(async () => {
    place = await engine.place()
    store = await openStore(place.address)
  })
  afterEach(async () => {
    await store.close()
    await place.remove()
  })

  const timer = (actorId: string, dueAt = 1): Write =>
    insertTimer(store, { kind: 'note', actor_id: actorId, name: 'due', due_at: dueAt })
  const effect = (id: string): Write =>
    insertEffect(store, { id, kind: 'note', actor_id: id, name: 'say', params: 'null', due_at: 1, attempts: 0 })
  const moveTimer = write(
    (db, values: { actorId: string; from: number; to: number }) =>
      db
        .updateTable('timers')
        .set({ due_at: values.to })
        .where('actor_id', '=', values.actorId)
        .where('due_at', '=', values.from),
    1,
  )
  const broken: Write = { sql: 'insert into nothing values (1)', parameters: [] }
  const stored = async () =>
    (await store.all(dueTimers(store, { now: Number.MAX_SAFE_INTEGER, limit: 100_000 })))
      .map(({ actor_id }) => actor_id)
      .toSorted()
  const outcomes = async (units: Write[][]) =>
    (await Promise.allSettled(units.map((unit) => store.commit(unit)))).map((result) =>
      result.status === 'fulfilled' ? 'committed' : (result.reason as Error),
    )

  describe('units of work', () => {
    test('of one turn share a transaction', async () => {
      const before = { ...store.statistics }
      expect(
        await outcomes(Array.from({ length: 300 }, (_, index) => [timer(`a${index}`), effect(`a${index}`)])),
      ).toEqual(Array(300).fill('committed'))
      expect(store.statistics.transactions - before.transactions).toBe(1)
      expect(store.statistics.units - before.units).toBe(300)
      expect(store.statistics.unitsMax).toBe(300)
      expect(await stored()).toHaveLength(300)
    })

    test('are committed in the order in which they came', async () => {
      const steps = Array.from({ length: 50 }, (_, index) => [
        moveTimer(store, { actorId: 'a', from: index, to: index + 1 }),
      ])
      expect(await outcomes([[timer('a', 0)], ...steps])).toEqual(Array(51).fill('committed'))
    })

    test('many more than fit into one transaction are all committed', async () => {
      const all = await outcomes(Array.from({ length: 2_500 }, (_, index) => [timer(`a${index}`)]))
      expect(all.every((outcome) => outcome === 'committed')).toBe(true)
      expect(await stored()).toHaveLength(2_500)
    })

    test('an empty one is committed', async () => expect(store.commit([])).resolves.toBeUndefined())

    test('one that fails does not fail its neighbours, and each gets its own error', async () => {
      await store.commit([timer('taken')])
      const [first, unique, stale, bad, constraint, last] = await outcomes([
        [timer('first')],
        [timer('beside-unique'), timer('taken')],
        [timer('beside-stale'), moveTimer(store, { actorId: 'taken', from: 99, to: 100 })],
        [timer('beside-bad'), broken],
        [
          timer('beside-null'),
          insertTimer(store, { kind: 'note', actor_id: 'x', name: 'due', due_at: null as unknown as number }),
        ],
        [timer('last')],
      ])
      expect(first).toBe('committed')
      expect(last).toBe('committed')
      expect(unique).toBeInstanceOf(UniqueViolation)
      expect((unique as UniqueViolation).columns).toContain('actor_id')
      expect(stale).toBeInstanceOf(StaleWrite)
      // Bugs of ours keep the engine's own words.
      for (const bug of [bad, constraint]) {
        expect(bug).toBeInstanceOf(Error)
        for (const known of [StaleWrite, UniqueViolation, StoreUnavailable]) expect(bug).not.toBeInstanceOf(known)
      }
      expect(await stored()).toEqual(['first', 'last', 'taken'])
    })

    test('leave no transaction open when they fail', async () => {
      expect((await outcomes([[broken]]))[0]).toBeInstanceOf(Error)
      await store.commit([timer('after')])
      expect(await stored()).toEqual(['after'])
    })

    test('touch as many rows as they say, not fewer and not more', async () => {
      await store.commit([timer('a', 1), timer('b', 1)])
      const all = write((db, values: { to: number }) => db.updateTable('timers').set({ due_at: values.to }), 1)
      const [result] = await outcomes([[all(store, { to: 5 })]])
      expect(result).toBeInstanceOf(StaleWrite)
      expect(await store.all(dueTimers(store, { now: 4, limit: 9 }))).toHaveLength(2)
    })

    test('that come after close are refused, those before it are committed', async () => {
      const last = store.commit([timer('last')])
      await store.close()
      await last
      for (const late of [
        store.commit([timer('late')]),
        store.ping(),
        store.all(dueTimers(store, { now: 1, limit: 1 })),
      ])
        await expect(late).rejects.toBeInstanceOf(StoreUnavailable)
      await store.close()
      store = await openStore(place.address)
      expect(await stored()).toEqual(['last'])
    })
  })

  describe('a process that is killed at any moment', () => {
    const program = join(import.meta.dir, 'committer.ts')

    /** Lets a process commit until it has said so many ids, then kills it; what it said afterwards counts too. */
    async function commitAndDie(name: string, count: number): Promise<string[]> {
      const child = Bun.spawn([process.execPath, program, place.address, name], { stdout: 'pipe', stderr: 'inherit' })
      const decoder = new TextDecoder()
      let said = ''
      for await (const chunk of child.stdout) {
        said += decoder.decode(chunk, { stream: true })
        if (said.split('\n').length > count) child.kill('SIGKILL')
      }
      await child.exited
      // The last line may be cut off.
      return said.split('\n').slice(0, -1)
    }

    test('has committed all that it said, and nothing by halves', async () => {
      await store.close()
      const said: string[] = []
      for (const [round, count] of [1, 40, 400].entries()) said.push(...(await commitAndDie(`round${round}`, count)))
      store = await openStore(place.address)
      const timers = new Set(await stored())
      expect(said.length).toBeGreaterThan(400)
      expect(said.filter((id) => !timers.has(id))).toEqual([])
      const effects = await store.db.selectFrom('effects').select('id').execute()
      expect(effects.map(({ id }) => id).toSorted()).toEqual([...timers].toSorted())
    })
  })

  describe('statements', () => {
    test('keep their text, whatever the values', () => {
      const one = timer('a')
      const other = insertTimer(store, { kind: 'other', actor_id: 'b', name: 'n', due_at: 7 })
      expect(other.sql).toBe(one.sql)
      expect(other.parameters).toEqual(['other', 'b', 'n', 7])
    })
    test('take undefined as null and keep constants', () => {
      const search = query((db, values: { name: string | undefined; limit: number }) =>
        db
          .selectFrom('timers')
          .select('actor_id')
          .where('kind', '=', 'constant')
          .where('name', '=', values.name as string)
          .where('due_at', 'in', [3, 4])
          .limit(values.limit),
      )
      expect(search(store, { name: undefined, limit: 5 }).parameters).toEqual(['constant', null, 3, 4, 5])
      expect(search(store, { name: 'x', limit: 6 }).parameters).toEqual(['constant', 'x', 3, 4, 6])
    })
    test('of a row name exactly the columns that the row has, in any order', async () => {
      const insert = write(
        (
          db,
          row: {
            id: string
            kind: string
            actor_id: string
            name: string
            params: string
            due_at: number
            attempts?: number
          },
        ) => db.insertInto('effects').values({ ...row, attempts: row.attempts ?? 3 }),
      )
      const row = { id: 'one', kind: 'k', actor_id: 'a', name: 'n', params: '{}', due_at: 1 }
      const spread = insertEffect(store, { attempts: 9, ...row, id: 'two' })
      const plain = insertEffect(store, { ...row, attempts: 8 })
      await store.commit([spread, plain])
      expect(insert(store, { ...row, attempts: 1 }).sql).toContain('attempts')
      const rows = await store.db.selectFrom('effects').select(['id', 'attempts']).orderBy('id').execute()
      expect(rows).toEqual([
        { id: 'one', attempts: 8 },
        { id: 'two', attempts: 9 },
      ])
      const { attempts: _, ...shorter } = { ...row, attempts: 0, id: 'three' }
      await store.commit([insertEffect(store, shorter as typeof row & { attempts: number })])
      expect(
        (await store.db.selectFrom('effects').select('attempts').where('id', '=', 'three').execute())[0]?.attempts,
      ).toBe(0)
    })
    test('carry any text unharmed, and none of it is SQL', async () => {
      const nasty = `'; drop table timers; --\n\u0000 "ünï" 🎭`.replace('\u0000', '')
      await store.commit([timer(nasty)])
      expect(await stored()).toEqual([nasty])
      expect(await store.first(listTimers(store, { kind: 'note', actorId: nasty }))).toEqual({ name: 'due', due_at: 1 })
    })
    test('keep instants exactly, also those after 2038', async () => {
      await store.commit([timer('late', 4_102_444_800_123)])
      expect((await store.first(listTimers(store, { kind: 'note', actorId: 'late' })))?.due_at).toBe(4_102_444_800_123)
    })
    test('more texts than are kept prepared all work', async () => {
      for (let index = 0; index < 1_200; index += 1) {
        expect(await store.first<{ n: number }>({ sql: `select ${index} as n`, parameters: [] })).toEqual({ n: index })
      }
      expect(await store.first<{ n: number }>({ sql: 'select 0 as n', parameters: [] })).toEqual({ n: 0 })
    })
    test('an absent row is undefined', async () =>
      expect(await store.first(listTimers(store, { kind: 'no', actorId: 'body' }))).toBeUndefined())
  })

  describe('counters', () => {
    test('give every number once, also to many who ask at the same moment', async () => {
      const counters = [new Counter(store, 'steps'), new Counter(store, 'steps')]
      const numbers = await Promise.all(Array.from({ length: 30_000 }, (_, index) => counters[index % 2]?.take()))
      expect(new Set(numbers).size).toBe(30_000)
      expect(Math.min(...(numbers as number[]))).toBe(1)
    })
    test('count each name for itself', async () => {
      expect([await new Counter(store, 'a').take(), await new Counter(store, 'b').take()]).toEqual([1, 1])
    })
    test('give no number again after a restart or in another process', async () => {
      const counter = new Counter(store, 'steps')
      const numbers = [await counter.take(), await counter.take()]
      await store.close()
      for (let round = 0; round < 2; round += 1) {
        const child = Bun.spawn([process.execPath, join(import.meta.dir, 'numberer.ts'), place.address, '10500'], {
          stdout: 'pipe',
        })
        numbers.push(...(await new Response(child.stdout).text()).trim().split('\n').map(Number))
        expect(await child.exited).toBe(0)
      }
      store = await openStore(place.address)
      numbers.push(await new Counter(store, 'steps').take())
      expect(numbers).toHaveLength(21_003)
      expect(new Set(numbers).size).toBe(numbers.length)
    })
    test('fail with the store, and go on with it', async () => {
      const counter = new Counter(store, 'steps')
      await store.close()
      await expect(counter.take() as Promise<number>).rejects.toBeInstanceOf(StoreUnavailable)
      store = await openStore(place.address)
      expect(await new Counter(store, 'steps').take()).toBe(1)
    })
  })

  describe('migrations', () => {
    const make = (name: string) => ({
      up: async (db: Kysely<unknown>) => {
        await sql`create table ${sql.table(name)} (id integer)`.execute(db)
      },
    })
    const tables = async () => (await store.db.introspection.getTables()).map(({ name }) => name)
    const history = async () =>
      (await sql<{ name: string }>`select name from kysely_migration order by name`.execute(store.db)).rows.map(
        ({ name }) => name,
      )

    test('bring a fresh store up, and leave one that is up as it is', async () => {
      expect(await tables()).toContain('transitions')
      const before = await history()
      expect(before.length).toBeGreaterThan(0)
      await store.commit([timer('kept')])
      await store.close()
      store = await openStore(place.address)
      expect(await history()).toEqual(before)
      expect(await stored()).toEqual(['kept'])
    })
    test('go on from where the store is', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(store, { ...known, '9998-a': make('a'), '9999-b': make('b') })
      expect(await tables()).toEqual(expect.arrayContaining(['a', 'b']))
      expect((await history()).slice(-2)).toEqual(['9998-a', '9999-b'])
    })
    test('refuse the store of a newer program and say what to do', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await migrate(store, { ...known, '9999-future': make('future') })
      await store.close()
      const opening = openStore(place.address)
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
      const migrating = migrate(store, { ...known, '9998-a': make('a'), '9999-b': failing })
      await expect(migrating).rejects.toBeInstanceOf(StoreRefused)
      await expect(migrating).rejects.toThrow(/migration 9999-b of the store failed: .*nothing/)
      expect({ tables: await tables(), history: await history() }).toEqual(before)
      await store.commit([timer('goes-on')])
      await migrate(store, { ...known, '9998-a': make('a') })
      expect(await tables()).toContain('a')
    })
    test('two programs that start at once both find the store up', async () => {
      const known = Object.fromEntries((await history()).map((name) => [name, make('unused')]))
      await Promise.all([migrate(store, known), migrate(store, known)])
    })
  })
})

test.each(['mysql:x', 'nonsense', ''])('the address %p is refused', async (address) => {
  await expect(openStore(address)).rejects.toBeInstanceOf(StoreRefused)
})
test('an empty path is refused: it would be a temporary file', async () => {
  await expect(openStore('sqlite:')).rejects.toThrow(/names no file/)
})
