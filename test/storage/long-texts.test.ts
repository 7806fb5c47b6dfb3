/** Long texts of runs: committed in pieces, read whole, and removed when nothing refers to them. */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite } from '../../storage/errors.ts'
import { getRunInput, insertRunInput } from '../../storage/runs/runs.ts'
import { insertTimer } from '../../storage/runtime/actors.ts'
import type { Store } from '../../storage/store.ts'
import { listLooseTexts, loosenTexts } from '../../storage/texts.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let folder: string
let path: string
let store: Store
let outside: Database
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-texts-'))
  path = join(folder, 'troupe.db')
  store = await openMigrated(`sqlite:${path}`)
  outside = new Database(path)
})
afterEach(async () => {
  outside?.close()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const input = (runId: string, body: string, chain = 1) =>
  insertRunInput(store, { run_id: runId, chain, body, created_at: 1 })
const read = async (runId: string) =>
  (await store.first<{ body: string }>(getRunInput(store, { runId, chain: 1 })))?.body
const count = (table: string) => outside.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n

const mebibyte = 1024 * 1024
const texts = [
  { what: 'ASCII', text: JSON.stringify('x'.repeat(3 * mebibyte)) },
  { what: 'three-byte characters', text: JSON.stringify('語'.repeat(mebibyte)) },
  { what: 'surrogate pairs, which a piece must not split', text: `"${'😀'.repeat(mebibyte)}"` },
  { what: 'text that looks like a reference', text: JSON.stringify(`\u0001run_a x${'y'.repeat(mebibyte)}`) },
]

test.each(texts)('$what are read back unchanged, one by one and by a query', async ({ text }) => {
  await store.commit([input('run_a', text)])
  expect((await read('run_a')) === text).toBe(true)
  const rows = await store.db.selectFrom('run_inputs').selectAll().where('run_id', '=', 'run_a').execute()
  expect(rows.map(({ body }) => body === text)).toEqual([true])
  expect(outside.query<{ size: number }, []>('select length(body) as size from run_inputs').get()?.size).toBeLessThan(
    200,
  )
})

test('no transaction takes a large part of them, and other units are committed in between', async () => {
  const before = store.statistics.transactions
  const long = Promise.all(
    ['a', 'b', 'c'].map((name) => store.commit([input(`run_${name}`, 'x'.repeat(4 * mebibyte))])),
  )
  let between = 0
  let isDone = false
  const others = (async () => {
    for (; !isDone; between += 1) {
      await store.commit([insertTimer(store, { kind: 'note', actor_id: `${between}`, name: 'n', due_at: 1 })])
    }
  })()
  await long
  isDone = true
  await others
  // twelve mebibytes, one at a time
  expect(store.statistics.transactions - before).toBeGreaterThanOrEqual(12)
  expect(between).toBeGreaterThanOrEqual(6)
})

test('a unit that fails leaves none of its text', async () => {
  const stale = { sql: "update runs set version = version where id = 'none'", parameters: [], rows: 1 }
  await expect(store.commit([input('run_a', 'x'.repeat(mebibyte)), stale])).rejects.toBeInstanceOf(StaleWrite)
  expect([count('run_inputs'), count('text_pieces'), count('loose_texts')]).toEqual([0, 0, 0])
})

test('uncommitted text of a killed process is removed at the next start, the rest stays', async () => {
  await store.commit([input('run_a', 'x'.repeat(mebibyte))])
  outside.run("insert into loose_texts values ('run_b', 'text')")
  for (let number = 0; number < 20; number += 1) {
    outside.run('insert into text_pieces (owner_id, text_id, number, body) values (?, ?, ?, ?)', [
      'run_b',
      'text',
      number,
      'x',
    ])
  }
  await store.close()
  store = await openMigrated(`sqlite:${path}`)
  expect(count("text_pieces where owner_id = 'run_b'")).toBe(0)
  expect(count('loose_texts')).toBe(0)
  expect((await read('run_a'))?.length).toBe(mebibyte)
})

test('unreferenced texts are removed by the next sweep, those being written are not', async () => {
  await store.commit([input('run_a', 'x'.repeat(2 * mebibyte))])
  await store.commit([
    { sql: "delete from run_inputs where run_id = 'run_a'", parameters: [] },
    loosenTexts(store, { ownerId: 'run_a' }),
  ])
  const writing = store.commit([input('run_b', 'y'.repeat(2 * mebibyte))])
  expect(await store.sweepTexts()).toBe(1)
  await writing
  expect(count("text_pieces where owner_id = 'run_a'")).toBe(0)
  expect((await read('run_b'))?.length).toBe(2 * mebibyte)
})

test('a text that is committed while a sweep removes others stays', async () => {
  await store.commit([input('run_a', 'x'.repeat(mebibyte))])
  await store.commit([
    { sql: "delete from run_inputs where run_id = 'run_a'", parameters: [] },
    loosenTexts(store, { ownerId: 'run_a' }),
  ])
  const writing = store.commit([input('run_b', 'y'.repeat(4 * mebibyte))])
  while ((await store.all(listLooseTexts(store, {}))).length < 2) await new Promise((turn) => setImmediate(turn))
  // the sweep has found both texts, and is still at the first one when the second is committed
  const { background } = store
  const commit = background.commit.bind(background)
  background.commit = async (...given) => {
    await writing
    return commit(...given)
  }
  await store.sweepTexts()
  expect([count('loose_texts'), count("text_pieces where owner_id = 'run_a'")]).toEqual([0, 0])
  expect((await read('run_b'))?.length).toBe(4 * mebibyte)
})
