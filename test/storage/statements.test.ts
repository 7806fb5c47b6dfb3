/** Statements, on each engine. */
import { describe, expect, test } from 'bun:test'
import { insertEffect, insertTimer, listTimers } from '../../storage/runtime/actors.ts'
import { query, write } from '../../storage/statement.ts'
import { onEachEngine } from './engines/each-engine.ts'

onEachEngine((opened) => {
  const { timer, stored } = opened
  describe('statements', () => {
    test('keep their text, whatever the values', () => {
      const one = timer('a')
      const other = insertTimer(opened.store, { kind: 'other', actor_id: 'b', name: 'n', due_at: 7 })
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
      expect(search(opened.store, { name: undefined, limit: 5 }).parameters).toEqual(['constant', null, 3, 4, 5])
      expect(search(opened.store, { name: 'x', limit: 6 }).parameters).toEqual(['constant', 'x', 3, 4, 6])
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
      const spread = insertEffect(opened.store, { attempts: 9, ...row, id: 'two' })
      const plain = insertEffect(opened.store, { ...row, attempts: 8 })
      await opened.store.commit([spread, plain])
      expect(insert(opened.store, { ...row, attempts: 1 }).sql).toContain('attempts')
      const rows = await opened.store.db.selectFrom('effects').select(['id', 'attempts']).orderBy('id').execute()
      expect(rows).toEqual([
        { id: 'one', attempts: 8 },
        { id: 'two', attempts: 9 },
      ])
      const { attempts: _, ...shorter } = { ...row, attempts: 0, id: 'three' }
      await opened.store.commit([insertEffect(opened.store, shorter as typeof row & { attempts: number })])
      expect(
        (await opened.store.db.selectFrom('effects').select('attempts').where('id', '=', 'three').execute())[0]
          ?.attempts,
      ).toBe(0)
    })
    test('store any text unchanged, and never execute it as SQL', async () => {
      const nasty = `'; drop table timers; --\n\u0000 "ünï" 🎭`.replace('\u0000', '')
      await opened.store.commit([timer(nasty)])
      expect(await stored()).toEqual([nasty])
      expect(await opened.store.first(listTimers(opened.store, { kind: 'note', actorId: nasty }))).toEqual({
        name: 'due',
        due_at: 1,
      })
    })
    test('store instants exactly, also those after 2038', async () => {
      await opened.store.commit([timer('late', 4_102_444_800_123)])
      expect((await opened.store.first(listTimers(opened.store, { kind: 'note', actorId: 'late' })))?.due_at).toBe(
        4_102_444_800_123,
      )
    })
    test('work with more texts than are kept prepared', async () => {
      for (let index = 0; index < 1_200; index += 1) {
        expect(await opened.store.first<{ n: number }>({ sql: `select ${index} as n`, parameters: [] })).toEqual({
          n: index,
        })
      }
      expect(await opened.store.first<{ n: number }>({ sql: 'select 0 as n', parameters: [] })).toEqual({ n: 0 })
    })
    test('a missing row is undefined', async () =>
      expect(await opened.store.first(listTimers(opened.store, { kind: 'no', actorId: 'body' }))).toBeUndefined())
  })
})
