/** A removal of any size delays others only briefly: each commit is small. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite } from '../../../storage/errors.ts'
import { nextRuns, removeEndedRun, removeRowsOfRun, rowsAtOnce, rowsLeft } from '../../../storage/runs/run-removal.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { insertRun, openFile } from './rows.ts'

const organizationId = 'org_01h455vb4pex5vsknk084sn02q'
const doomed = { target: 'organization', id: organizationId, organizationId } as const
const tables = [
  'runs',
  'run_events',
  'agent_steps',
  'checkpoints',
  'call_results',
  'run_inputs',
  'transitions',
] as const

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-batches-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

test('runs are removed one by one, in units of work of a few hundred rows; a huge run in parts', async () => {
  const database = openFile(join(folder, 'troupe.db'))
  const place = { organizationId, agentId: 'agt_system_assistant' }
  database.transaction(() => {
    for (let count = 0; count < 120; count += 1) insertRun(database, place, 'completed', 1 + (count % 7))
    insertRun(database, place, 'failed', 5_000)
  })()
  const total = () =>
    tables.map(
      (table) => database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? Number.NaN,
    )
  const most = { rows: 0, runs: 0 }
  const commit = async (unit: readonly Write[]) => {
    const before = total()
    await store.background.commit(unit)
    const removed = total().map((count, index) => (before[index] as number) - count)
    most.rows = Math.max(
      most.rows,
      removed.reduce((one, other) => one + other),
    )
    most.runs = Math.max(most.runs, removed[0] as number)
  }
  let units = 0
  for (let found = await nextRuns(store, doomed, 50); found.length > 0; found = await nextRuns(store, doomed, 50)) {
    expect(found.length).toBeLessThanOrEqual(50)
    for (const { id, rows } of found) {
      for (let left: number | undefined = rows; left !== undefined && left > rowsAtOnce; units += 1) {
        await commit(removeRowsOfRun(store, id))
        left = await rowsLeft(store, id)
      }
      await commit(removeEndedRun(store, id))
    }
  }
  expect(total()).toEqual(tables.map(() => 0))
  expect(most.runs).toBe(1)
  expect(most.rows).toBeLessThanOrEqual(rowsAtOnce)
  expect(units).toBeGreaterThan(20)
  database.close()
})

test('a run that lives again at the moment of the commit stays, with everything of it', async () => {
  const database = openFile(join(folder, 'troupe.db'))
  const place = { organizationId, agentId: 'agt_system_assistant' }
  const ids = [insertRun(database, place, 'completed'), insertRun(database, place, 'completed')]
  database.query("update runs set state = 'queued' where id = ?").run(ids[1] as string)
  const units = [removeEndedRun, removeRowsOfRun].map((remove) => remove(store, ids[1] as string))
  for (const unit of units) {
    expect(await store.background.commit(unit).catch((error) => error)).toBeInstanceOf(StaleWrite)
  }
  expect(tables.map((table) => database.query(`select count(*) as n from ${table}`).get())).toEqual(
    tables.map(() => ({ n: 2 })),
  )
  database.close()
})
