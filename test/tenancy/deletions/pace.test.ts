/** The commands of a removal, and its own end, are committed at the pace of background work. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Actors } from '../../../src/runtime/actors.ts'
import type { SendOptions } from '../../../src/runtime/command.ts'
import type { Address } from '../../../src/runtime/kind.ts'
import { DeletionWorker } from '../../../src/tenancy/deletions/deletion-worker.ts'
import type { Store } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { insertRun, openFile } from './rows.ts'

const organizationId = 'org_01h455vb4pex5vsknk084sn02q'
const doomed = { id: organizationId, target: 'organization', organization_id: organizationId }

let folder: string
let store: Store
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-pace-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
})
afterAll(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

const rounds: { round: 'endRuns' | 'removeBatch'; runs: number; sent: Record<string, number> }[] = [
  { round: 'endRuns', runs: 25, sent: { cancel: 25, runsEnded: 1 } },
  { round: 'removeBatch', runs: 0, sent: { removed: 1 } },
]

/** A worker of the first round, among queued runs that a cancel ends unless it is slow. */
function workerAmong(runs: number, { isSlow = false } = {}) {
  const database = openFile(join(folder, 'troupe.db'))
  const place = { organizationId, agentId: 'agt_system_assistant' }
  for (let count = 0; count < runs; count += 1) insertRun(database, place, 'queued')
  const commands: Record<string, number> = {}
  const actors = {
    read: async () => ({ row: doomed, context: { round: 1 } }),
    async send({ kind, id }: Address, { type }: { type: string }, options: SendOptions) {
      expect({ type, background: options.background }).toEqual({ type, background: true })
      commands[type] = (commands[type] ?? 0) + 1
      const state = isSlow ? 'canceling' : 'canceled'
      if (kind === 'run') database.query('update runs set state = ? where id = ?').run(state, id)
    },
    forget() {},
  } as unknown as Actors
  const revocations = { announce: async () => {} } as never
  const worker = new DeletionWorker({
    store,
    actors,
    revocations,
    runs: { address: (id: string) => ({ kind: 'run', id }), remove: async () => {} } as never,
  })
  const close = () => {
    database.query('delete from runs').run()
    database.close()
  }
  return { worker, commands, close }
}

test.each(rounds)('$round with $runs live runs', async ({ round, runs, sent }) => {
  const { worker, commands, close } = workerAmong(runs)
  expect(await worker[round]('del_x', 1)).toBeUndefined()
  expect(commands).toEqual(sent)
  close()
})

test('while runs wind down, the round is not answered and looks again after a second', async () => {
  const { worker, commands, close } = workerAmong(3, { isSlow: true })
  expect(await worker.endRuns('del_x', 1)).toEqual({ againMs: 1_000 })
  expect(Object.keys(commands)).toEqual(['cancel'])
  close()
})
