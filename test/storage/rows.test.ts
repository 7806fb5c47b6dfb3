/** The generic statements of a table, on each engine. */
import { beforeEach, describe, expect, test } from 'bun:test'
import { StaleWrite } from '../../storage/errors.ts'
import { insertFrom, rowsOf } from '../../storage/rows.ts'
import { write } from '../../storage/statement.ts'
import type { EffectRow } from '../../storage/tables.ts'
import { onEachEngine } from './engines/each-engine.ts'

const effects = rowsOf('effects', 'id')
const counters = rowsOf('counters', 'name')
const insert = effects.insert<EffectRow>()
const find = effects.find()
const ofActor = effects.only('id').find('actor_id', 'kind')
const newest = effects.only('id').newest('id', 'actor_id')
const named = effects.only('id').newestByName('id', 'name', 'actor_id')
const untried = effects.where(({ eb }) => eb('attempts', '=', 0))
const untriedOf = untried.only('id').newest('id', 'actor_id')
const due = effects.only('id').due('due_at')
const older = effects.only('id').before('due_at')
const count = effects.count('actor_id')
const remove = effects.remove('actor_id')
const removeOne = effects.removeOne()
const removeUntried = untried.removeOne()
const keep = counters.insertOrKeep()
const next = counters.only('next').find()
const insertBeside = write(
  (db, { beside, ...row }: EffectRow & { beside: string }) =>
    insertFrom(db, 'effects', row, db.selectFrom('effects').where('id', '=', beside)),
  1,
)

const row = (id: string, changes: Partial<EffectRow> = {}): EffectRow => ({
  id,
  kind: 'k',
  actor_id: 'a',
  name: `name of ${id}`,
  params: '{}',
  due_at: 5,
  attempts: 0,
  holder: null,
  ...changes,
})

onEachEngine((opened) => {
  const ids = async (query: Parameters<typeof opened.store.all<{ id: string }>>[0]) =>
    (await opened.store.all(query)).map(({ id }) => id)

  describe('of a table with a few rows', () => {
    beforeEach(() =>
      opened.store.commit([
        insert(opened.store, row('1', { due_at: 9 })),
        insert(opened.store, row('2', { attempts: 3 })),
        insert(opened.store, row('3', { due_at: 7 })),
        insert(opened.store, row('4', { actor_id: 'b', due_at: 90 })),
      ]),
    )

    test('a row is found by its key, and rows by camel-case columns', async () => {
      const { store } = opened
      expect(await store.first(find(store, { id: '2' }))).toEqual(row('2', { attempts: 3 }))
      expect(await store.first(find(store, { id: '5' }))).toBeUndefined()
      expect((await ids(ofActor(store, { actorId: 'a', kind: 'k' }))).toSorted()).toEqual(['1', '2', '3'])
      expect(await store.first(count(store, { actorId: 'a' }))).toEqual({ count: 3 })
    })
    test('a page continues after a position; a name and a condition narrow it', async () => {
      const { store } = opened
      const page = { actorId: 'a', before: '~', limit: 2 }
      expect(await ids(newest(store, page))).toEqual(['3', '2'])
      expect(await ids(newest(store, { ...page, before: '2' }))).toEqual(['1'])
      expect(await ids(named(store, { ...page, named: null }))).toEqual(['3', '2'])
      expect(await ids(named(store, { ...page, named: 'name of 1' }))).toEqual(['1'])
      expect(await ids(untriedOf(store, page))).toEqual(['3', '1'])
    })
    test('due or expired rows are returned longest overdue first', async () => {
      const { store } = opened
      expect(await ids(due(store, { now: 9, limit: 10 }))).toEqual(['2', '3', '1'])
      expect(await ids(older(store, { before: 9, limit: 10 }))).toEqual(['2', '3'])
    })
    test('any number of rows can be removed; `removeOne` requires exactly one', async () => {
      const { store } = opened
      await expect(store.commit([removeUntried(store, { id: '2' })])).rejects.toThrow(StaleWrite)
      await store.commit([removeOne(store, { id: '2' })])
      await expect(store.commit([removeOne(store, { id: '2' })])).rejects.toThrow(StaleWrite)
      await store.commit([remove(store, { actorId: 'a' })])
      await store.commit([remove(store, { actorId: 'a' })])
      expect(await ids(due(store, { now: 99, limit: 10 }))).toEqual(['4'])
    })
    test('a row is stored only if its source row exists, without the columns that only the condition uses', async () => {
      const { store } = opened
      await store.commit([insertBeside(store, { ...row('5'), beside: '4' })])
      expect(await store.first(find(store, { id: '5' }))).toEqual(row('5'))
      await expect(store.commit([insertBeside(store, { ...row('6'), beside: '9' })])).rejects.toThrow(StaleWrite)
    })
  })

  test('an existing row is left unchanged', async () => {
    const { store } = opened
    await store.commit([keep(store, { name: 'n', next: 3 })])
    await store.commit([keep(store, { name: 'n', next: 4 })])
    expect(await store.first(next(store, { name: 'n' }))).toEqual({ next: 3 })
  })
})
