/** The cost of every statement of the storage layer, by its plan: none reads a whole table or sorts without a bound. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../../storage/open.ts'
import { exceptions } from './exceptions.ts'
import { needed } from './needed.ts'
import { planOf, type Statement } from './plan.ts'

let folder: string
let database: Database
let statements: Statement[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-plans-'))
  const file = join(folder, 'troupe.db')
  await (await openStore(`sqlite:${file}`)).close()
  database = new Database(file)
  const { stdout, exitCode, stderr } = Bun.spawnSync([process.execPath, join(import.meta.dir, 'collect.ts')])
  if (exitCode !== 0) throw new Error(stderr.toString())
  statements = JSON.parse(stdout.toString())
})
afterAll(async () => {
  database?.close()
  await rm(folder, { recursive: true, force: true })
})

const named = (name: string): Statement => {
  const statement = statements.find((each) => each.name === name)
  if (!statement) throw new Error(`There is no statement ${name}.`)
  return statement
}

/** The statements without an exception whose plan is costly. */
const costly = () =>
  statements
    .filter(({ name }) => !Object.hasOwn(exceptions, name))
    .map((statement) => ({ name: statement.name, costly: planOf(database, statement).costly }))
    .filter((each) => each.costly.length > 0)

/** Runs the callback on a store without the index, then restores the index. */
function without(index: string, look: () => void) {
  database.run('begin')
  try {
    database.run(`drop index ${index}`)
    look()
  } finally {
    database.run('rollback')
  }
}

interface Index {
  name: string
  table: string
}

const indexes = () =>
  database
    .query<Index, []>("select name, tbl_name as 'table' from sqlite_schema where type = 'index' and sql is not null")
    .all()
const columnsOf = (index: string) =>
  database
    .query<{ name: string | null }, []>(`pragma index_info(${index})`)
    .all()
    .map(({ name }) => name)

interface Reference {
  table: string
  columns: string[]
}

/** The foreign key columns: when a row is deleted, the rows that refer to it are looked up. */
function references(): Reference[] {
  const tables = database.query<{ name: string }, []>("select name from sqlite_schema where type = 'table'").all()
  return tables.flatMap(({ name: table }) => {
    const keys = database.query<{ id: number; from: string }, []>(`pragma foreign_key_list(${table})`).all()
    const ids = [...new Set(keys.map(({ id }) => id))]
    return ids.map((id) => ({ table, columns: keys.filter((key) => key.id === id).map(({ from }) => from) }))
  })
}

const serves = (index: readonly (string | null)[], { columns }: Reference) =>
  columns.every((column) => index.slice(0, columns.length).includes(column))

test('all statements are collected: exported ones, private ones and those built per call', () => {
  expect(statements.length).toBeGreaterThan(800)
  for (const name of ['deliveries listDueDeliveries', 'runs lastGroup', 'bounds entities', 'steps listStepsById'])
    named(name)
})

test('no statement reads a whole table or a whole index, or sorts without a bound, except the listed ones', () => {
  expect(costly(), 'Add an index, or the reason why this is bounded to exceptions.ts.').toEqual([])
})

test('every exception is needed', () => {
  const idle = Object.keys(exceptions).filter((name) => planOf(database, named(name)).costly.length === 0)
  expect(idle).toEqual([])
})

describe('a dropped index is noticed', () => {
  test.each([
    ['deliveries_due', 'deliveries listDueDeliveries'],
    ['timers_due', 'actors dueTimers'],
    ['runs_due', 'actors dueRunTimers'],
    ['effects_due', 'actors dueEffects'],
    ['runs_queued', 'run-queue queuedOf'],
    ['runs_with_content', 'content-retention listExpiredContent'],
    ['idempotency_keys_expiry', 'idempotency listExpiredAnswers'],
    ['deliveries_by_age', 'deliveries listExpiredDeliveries'],
  ])('%s', (index, name) => {
    without(index, () => expect(costly().map((each) => each.name)).toContain(name))
    expect(costly()).toEqual([])
  })

  test('for every index, by the statement that needs it', () => {
    for (const [index, name] of Object.entries(needed)) {
      expect([index, name, planOf(database, named(name)).indexes]).toEqual([
        index,
        name,
        expect.arrayContaining([index]),
      ])
    }
  })
})

test('every index serves a statement, a foreign key or a uniqueness constraint', () => {
  const used = new Set(statements.flatMap((statement) => planOf(database, statement).indexes))
  const referring = references()
  const unique = (name: string) =>
    database
      .query<{ n: number }, [string]>("select sql like 'create unique%' as n from sqlite_schema where name = ?")
      .get(name)!.n
  const idle = indexes().filter(
    ({ name, table }) =>
      !used.has(name) &&
      !unique(name) &&
      !referring.some((reference) => reference.table === table && serves(columnsOf(name), reference)),
  )
  expect(
    idle.map(({ name }) => name),
    'Remove these indexes, or write the statements that need them.',
  ).toEqual([])
})

test('rows that refer to a deleted row are found by an index', () => {
  const lists = database
    .query<{ name: string; tbl_name: string }, []>("select name, tbl_name from sqlite_schema where type = 'index'")
    .all()
  const keys = (table: string) =>
    database
      .query<{ name: string; pk: number }, []>(`pragma table_info(${table})`)
      .all()
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map(({ name }) => name)
  const found = ({ table, columns }: Reference) =>
    [keys(table), ...lists.filter(({ tbl_name }) => tbl_name === table).map(({ name }) => columnsOf(name))].some(
      (index) => serves(index, { table, columns }),
    )
  // except the single row that names the first organization
  expect(references().filter((reference) => !found(reference) && reference.table !== 'installation')).toEqual([])
})
