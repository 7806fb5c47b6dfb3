/** The pieces in which a move reads tables: few at a time where rows are large, whatever the rows before them were. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Kysely } from 'kysely'
import { movedTables, piecesOf, type Row } from '../../../storage/moving/tables.ts'
import { insertRunInput } from '../../../storage/runs/runs.ts'
import type { Store } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const mebibyte = 1024 * 1024
const inputs = [
  ...Array.from({ length: 300 }, (_, number) => `"${number}"`),
  // stored apart
  ...Array.from({ length: 4 }, (_, number) => `"${number}${'x'.repeat(mebibyte)}"`),
  // in its row
  ...Array.from({ length: 40 }, (_, number) => `"${number}${'é'.repeat(120 * 1024)}"`),
  ...Array.from({ length: 2_100 }, (_, number) => `"${number}"`),
]

test('rows are read whole and in order, and no more than a few MiB at a time', async () => {
  const idOf = (place: number) => `run_${String(place).padStart(6, '0')}`
  for (const [place, body] of inputs.entries())
    await store.commit([insertRunInput(store, { run_id: idOf(place), chain: 1, body, created_at: 1 })])
  const db = store.db as unknown as Kysely<unknown>
  const table = (await movedTables(db)).find(({ name }) => name === 'run_inputs')!
  const rows: Row[] = []
  const lengths: number[] = []
  for await (const piece of piecesOf(db, table)) {
    rows.push(...piece.rows)
    lengths.push(piece.rows.reduce((sum, { body }) => sum + Buffer.byteLength(String(body)), 0))
    expect(JSON.parse(piece.json)).toEqual(piece.rows)
  }
  expect(rows.map(({ run_id: id, body }, place) => id === idOf(place) && body === inputs[place])).toEqual(
    inputs.map(() => true),
  )
  expect(Math.max(...lengths)).toBeLessThan(3 * mebibyte)
  expect(lengths.length).toBeLessThan(20)
})
