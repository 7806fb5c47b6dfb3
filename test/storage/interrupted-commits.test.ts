/** SQLite's lock is taken, or a commit fails, between two steps of the writer: no unit of work is forgotten. */
import { Database, type Statement } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite } from '../../storage/errors.ts'
import { Pace } from '../../storage/pace.ts'
import { Statements } from '../../storage/sqlite/statements.ts'
import { GroupCommitWriter } from '../../storage/sqlite/writer.ts'
import type { Write } from '../../storage/store.ts'

let folder: string
let database: Database
/** Another connection to the file. */
let other: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-interrupted-'))
  const path = join(folder, 'troupe.db')
  database = new Database(path)
  database.run('pragma journal_mode = wal')
  database.run('create table notes (id integer primary key)')
  other = new Database(path)
})
afterEach(async () => {
  other.close()
  database.close()
  await rm(folder, { recursive: true })
})

/** Calls back before a statement with this text is executed for this time. */
class Interrupted extends Statements {
  readonly #counts = new Map<string, number>()

  constructor(private readonly before: (sql: string, count: number) => void) {
    super(database)
  }

  override of(sql: string): Statement {
    const count = (this.#counts.get(sql) ?? 0) + 1
    this.#counts.set(sql, count)
    this.before(sql, count)
    return super.of(sql)
  }
}

const writing = (before: (sql: string, count: number) => void) =>
  new GroupCommitWriter(database, new Interrupted(before), 60_000, new Pace({ used: () => 0, now: () => 0 }))
const note = (id: number): Write => ({ sql: 'insert into notes values (?)', parameters: [id] })
const stale: Write = { sql: 'delete from notes where id = ?', parameters: [9], rows: 1 }
const notes = () => database.query<{ id: number }, []>('select id from notes').all()

/** Commits three units together, of which the second fails, and another one later; returns how each ended, in order. */
async function endings(writer: GroupCommitWriter): Promise<unknown[]> {
  const settled: unknown[] = []
  const all = [[note(1)], [stale], [note(2)]].map((unit) =>
    writer.commit(unit).then(
      () => settled.push('committed'),
      (error) => settled.push(error),
    ),
  )
  await all[0]
  await writer.commit([note(3)])
  await Promise.all(all)
  return settled
}

test('units whose transaction is repeated, because one of them failed, all wait for the lock', async () => {
  const writer = writing((sql, count) => {
    if (sql !== 'begin immediate') return
    if (count === 2) other.run('begin immediate')
    if (count === 3) other.run('rollback')
  })
  expect(await endings(writer)).toEqual(['committed', expect.any(StaleWrite), 'committed'])
  expect(notes()).toEqual([1, 2, 3].map((id) => ({ id })))
})

test('they share the repeated transaction', async () => {
  const said: string[] = []
  const writer = writing((sql) => void said.push(sql))
  expect(await endings(writer)).toEqual(['committed', expect.any(StaleWrite), 'committed'])
  const [failed, repeated, ...later] = said.join('; ').split('begin immediate; ').slice(1)
  expect(failed).toEndWith('rollback; ')
  expect(repeated?.match(/commit/g)).toHaveLength(1)
  expect(later).toHaveLength(1)
  expect(writer.statistics).toEqual({ transactions: 2, units: 3, unitsMax: 2 })
})

test('if that does not fit on the disk, each unit has a transaction of its own, and all wait for the lock', async () => {
  const writer = writing((sql, count) => {
    if (sql === 'release unit' && count === 2) throw new Error('There is no room.')
    if (sql !== 'begin immediate') return
    if (count === 4) other.run('begin immediate')
    if (count === 5) other.run('rollback')
  })
  expect(await endings(writer)).toEqual(['committed', expect.any(StaleWrite), 'committed'])
  expect(notes()).toEqual([1, 2, 3].map((id) => ({ id })))
})

test('background work that failed before the commit failed is done again', async () => {
  const writer = writing((sql, count) => {
    // throws, since the writer has the lock
    if (sql === 'commit' && count === 1) other.run('begin immediate')
  })
  const settled: unknown[] = []
  const behind = [[note(1)], [stale]].map((unit) =>
    writer.commitBehind(unit).then(
      () => settled.push('behind'),
      (error) => settled.push(error),
    ),
  )
  await writer.commit([note(2)])
  await Promise.all(behind)
  expect(settled).toEqual(['behind', expect.any(StaleWrite)])
  expect(notes()).toEqual([1, 2].map((id) => ({ id })))
})

test('background work is done again after a commit that failed', async () => {
  const writer = writing((sql, count) => {
    // throws, since the writer has the lock
    if (sql === 'commit' && count === 1) other.run('begin immediate')
  })
  const settled: string[] = []
  const behind = writer.commitBehind([note(1)]).then(() => settled.push('behind'))
  await writer.commit([note(2)])
  await writer.commit([note(3)])
  expect(settled).toEqual(['behind'])
  await behind
  expect(notes()).toEqual([1, 2, 3].map((id) => ({ id })))
})
