/** However much there is to be removed, nobody else waits for long: each commit is small. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite } from '../../../storage/errors.ts'
import { openStore } from '../../../storage/open.ts'
import { nextRuns } from '../../../storage/run-removal.ts'
import type { Store } from '../../../storage/store.ts'
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
  store = await openStore(`sqlite:${join(folder, 'troupe.db')}`)
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

test('2,000 runs go in commits of at most 100 runs and some 1,000 rows; a huge run goes in parts', async () => {
  const database = openFile(join(folder, 'troupe.db'))
  const place = { organizationId, agentId: 'agt_system_assistant' }
  database.transaction(() => {
    for (let count = 0; count < 2_000; count += 1) insertRun(database, place, 'completed', 1 + (count % 7))
    insertRun(database, place, 'failed', 5_000)
  })()
  const rowsOf = (table: string) =>
    database.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? 0
  const total = () => tables.map(rowsOf)
  let before = total()
  let commits = 0
  for (let batch = await nextRuns(store, doomed); batch; batch = await nextRuns(store, doomed)) {
    await store.commit(batch.writes)
    commits += 1
    const after = total()
    const removed = before.map((count, index) => count - (after[index] as number))
    expect(batch.ids.length).toBeLessThanOrEqual(100)
    expect(Math.max(...removed)).toBeLessThanOrEqual(1_000)
    expect(removed.reduce((one, other) => one + other)).toBeLessThanOrEqual(2_000)
    expect(removed[0]).toBe(batch.ids.length)
    before = after
  }
  expect(before).toEqual(tables.map(() => 0))
  expect(commits).toBeGreaterThan(20)
  database.close()
})

test('a run that lives again at the moment of the commit stays, and so does all that would have gone with it', async () => {
  const database = openFile(join(folder, 'troupe.db'))
  const place = { organizationId, agentId: 'agt_system_assistant' }
  const ids = [insertRun(database, place, 'completed'), insertRun(database, place, 'completed')]
  const batch = await nextRuns(store, doomed)
  database.query("update runs set state = 'queued' where id = ?").run(ids[1] as string)
  expect(await store.commit(batch?.writes ?? []).catch((error) => error)).toBeInstanceOf(StaleWrite)
  expect(tables.map((table) => database.query(`select count(*) as n from ${table}`).get())).toEqual(
    tables.map(() => ({ n: 2 })),
  )
  database.close()
})
