/** Units of work, on each engine; and addresses that name no store. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { StaleWrite, StoreRefused, StoreUnavailable, UniqueViolation } from '../../storage/errors.ts'
import { openStore } from '../../storage/open.ts'
import { dueTimers, insertEffect, insertTimer } from '../../storage/runtime/actors.ts'
import { write } from '../../storage/statement.ts'
import type { Write } from '../../storage/store.ts'
import { onEachEngine } from './engines/each-engine.ts'

onEachEngine((opened) => {
  const { timer, stored } = opened
  const effect = (id: string): Write =>
    insertEffect(opened.store, { id, kind: 'note', actor_id: id, name: 'say', params: 'null', due_at: 1, attempts: 0 })
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
  const outcomes = async (units: Write[][]) =>
    (await Promise.allSettled(units.map((unit) => opened.store.commit(unit)))).map((result) =>
      result.status === 'fulfilled' ? 'committed' : (result.reason as Error),
    )

  describe('units of work', () => {
    test('of one turn share a transaction', async () => {
      const before = { ...opened.store.statistics }
      expect(
        await outcomes(Array.from({ length: 200 }, (_, index) => [timer(`a${index}`), effect(`a${index}`)])),
      ).toEqual(Array(200).fill('committed'))
      expect(opened.store.statistics.transactions - before.transactions).toBe(1)
      expect(opened.store.statistics.units - before.units).toBe(200)
      expect(opened.store.statistics.unitsMax).toBe(200)
      expect(await stored()).toHaveLength(200)
    })

    test('are committed in order of arrival', async () => {
      const steps = Array.from({ length: 50 }, (_, index) => [
        moveTimer(opened.store, { actorId: 'a', from: index, to: index + 1 }),
      ])
      expect(await outcomes([[timer('a', 0)], ...steps])).toEqual(Array(51).fill('committed'))
    })

    test('are all committed, also when they do not fit into one transaction', async () => {
      const all = await outcomes(Array.from({ length: 2_500 }, (_, index) => [timer(`a${index}`)]))
      expect(all.every((outcome) => outcome === 'committed')).toBe(true)
      expect(await stored()).toHaveLength(2_500)
    })

    test('an empty unit is committed', async () => expect(opened.store.commit([])).resolves.toBeUndefined())

    test('a unit that fails does not fail its neighbors, and each gets its own error', async () => {
      await opened.store.commit([timer('taken')])
      const [first, unique, stale, bad, constraint, last] = await outcomes([
        [timer('first')],
        [timer('beside-unique'), timer('taken')],
        [timer('beside-stale'), moveTimer(opened.store, { actorId: 'taken', from: 99, to: 100 })],
        [timer('beside-bad'), broken],
        [
          timer('beside-null'),
          insertTimer(opened.store, { kind: 'note', actor_id: 'x', name: 'due', due_at: null as unknown as number }),
        ],
        [timer('last')],
      ])
      expect(first).toBe('committed')
      expect(last).toBe('committed')
      expect(unique).toBeInstanceOf(UniqueViolation)
      expect((unique as UniqueViolation).columns).toContain('actor_id')
      expect(stale).toBeInstanceOf(StaleWrite)
      // Bugs of ours keep the error text of the engine.
      for (const bug of [bad, constraint]) {
        expect(bug).toBeInstanceOf(Error)
        for (const known of [StaleWrite, UniqueViolation, StoreUnavailable]) expect(bug).not.toBeInstanceOf(known)
      }
      expect(await stored()).toEqual(['first', 'last', 'taken'])
    })

    test('share a transaction also beside many that fail', async () => {
      const { statistics } = opened.store
      const before = { ...statistics }
      const stale = () => moveTimer(opened.store, { actorId: 'nobody', from: 1, to: 2 })
      const units = Array.from({ length: 60 }, (_, at) =>
        at % 3 === 1 ? [timer(`a${at}`), stale()] : [timer(`a${at}`)],
      )
      const all = await outcomes(units)
      expect(all.filter((outcome) => outcome === 'committed')).toHaveLength(40)
      expect(all.filter((outcome) => outcome instanceof StaleWrite)).toHaveLength(20)
      expect([statistics.transactions - before.transactions, statistics.units - before.units]).toEqual([1, 40])
      expect(await stored()).toHaveLength(40)
    })

    test('leave no transaction open when they fail', async () => {
      expect((await outcomes([[broken]]))[0]).toBeInstanceOf(Error)
      await opened.store.commit([timer('after')])
      expect(await stored()).toEqual(['after'])
    })

    test('affect exactly as many rows as they declare', async () => {
      await opened.store.commit([timer('a', 1), timer('b', 1)])
      const all = write((db, values: { to: number }) => db.updateTable('timers').set({ due_at: values.to }), 1)
      const [result] = await outcomes([[all(opened.store, { to: 5 })]])
      expect(result).toBeInstanceOf(StaleWrite)
      expect(await opened.store.all(dueTimers(opened.store, { now: 4, limit: 9 }))).toHaveLength(2)
    })

    test('give the hint of a shared statement only where it touched rows', async () => {
      const hints: string[] = []
      const shared = (from: number) => {
        const move = moveTimer(opened.store, { actorId: 'a', from, to: from + 1 })
        const { rows: _, ...statement } = move
        return { ...statement, together: 'rows' as const, once: `${from}`, committed: () => void hints.push(`${from}`) }
      }
      const hinted = (id: string): Write => ({ ...timer(id), committed: () => void hints.push(id) })
      await opened.store.commit([timer('a', 1)])
      // alone, then beside others
      await opened.store.commit([shared(7), hinted('b')])
      await opened.store.commit([shared(1), hinted('c')])
      expect(hints.splice(0).toSorted()).toEqual(['1', 'b', 'c'])
      const others = ['d', 'e'].map((id) => ({ ...hinted(id), together: 'rows' as const }))
      await Promise.all(others.map((other) => opened.store.commit([shared(8), other, shared(2)])))
      expect([...new Set(hints)].toSorted()).toEqual(['2', 'd', 'e'])
    })

    test('are rejected after close; those submitted before it are committed', async () => {
      const last = opened.store.commit([timer('last')])
      await opened.store.close()
      await last
      const late = [
        opened.store.commit([timer('late')]),
        opened.store.ping(),
        opened.store.all(dueTimers(opened.store, { now: 1, limit: 1 })),
      ]
      for (const result of await Promise.allSettled(late))
        expect(result).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailable) })
      await opened.store.close()
      await opened.reopen()
      expect(await stored()).toEqual(['last'])
    })
  })

  describe('a process that is killed at any moment', () => {
    const program = join(import.meta.dir, 'engines/committer.ts')

    /** Lets a process commit until it has printed that many ids, then kills it; ids printed later count too. */
    async function commitAndDie(name: string, count: number): Promise<string[]> {
      const child = Bun.spawn([process.execPath, program, opened.place.address, name], {
        stdout: 'pipe',
        stderr: 'inherit',
      })
      const decoder = new TextDecoder()
      let said = ''
      for await (const chunk of child.stdout) {
        said += decoder.decode(chunk, { stream: true })
        if (said.split('\n').length > count) child.kill('SIGKILL')
      }
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      // The last line may be cut off.
      return said.split('\n').slice(0, -1)
    }

    test('has committed everything that it printed, and no partial unit', async () => {
      await opened.store.close()
      const said: string[] = []
      for (const [round, count] of [1, 40, 400].entries()) said.push(...(await commitAndDie(`round${round}`, count)))
      await opened.reopen()
      const timers = new Set(await stored())
      expect(said.length).toBeGreaterThan(400)
      expect(said.filter((id) => !timers.has(id))).toEqual([])
      const effects = await opened.store.db.selectFrom('effects').select('id').execute()
      expect(effects.map(({ id }) => id).toSorted()).toEqual([...timers].toSorted())
    })
  })
})

test.each(['mysql:x', 'nonsense', ''])('the address %p is rejected', async (address) => {
  await expect(openStore(address)).rejects.toBeInstanceOf(StoreRefused)
})
test('an empty path is rejected: it would be a temporary file', async () => {
  await expect(openStore('sqlite:')).rejects.toThrow(/names no file/)
})
