/** Runs that are continued while the clean-up removes them. Source: contract 9, "Decided since". */
import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ContentRetention } from '../../src/runs/records/content-retention.ts'
import { RunRetention } from '../../src/runs/retention/run-retention.ts'
import type { Store } from '../../storage/store.ts'
import { insertOrganization } from '../../storage/tenancy/organizations.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'
import { insertRun, traces } from '../tenancy/deletions/rows.ts'

const day = 86_400_000
const now = 1_900_000_000_000

let folder: string
let store: Store
let database: Database
let runId: string
let before: Record<string, number>
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-retention-'))
  const path = join(folder, 'troupe.db')
  store = await openMigrated(`sqlite:${path}`)
  const organization = { id: 'org_a', slug: 'a', name: 'a', kind: 'team', status: 'active' } as const
  await store.commit([insertOrganization(store, { ...organization, created_at: 1, updated_at: 1 })])
  database = new Database(path)
  // removed in pieces
  runId = insertRun(database, { organizationId: 'org_a', agentId: 'agt_a' }, 'completed', 500)
  database.query('delete from effects').run()
  database.query('update runs set updated_at = ?').run(now - 3 * day)
  before = traces(database, [runId])
})
afterEach(async () => {
  database?.close()
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

/** Another server continues the run. */
const continueRun = () =>
  database.query("update runs set state = 'queued', version = version + 1, updated_at = ?").run(now)
/** It has ended again. */
const endRun = () =>
  database.query("update runs set state = 'completed', version = version + 1, updated_at = ?").run(now)

/** The clean-up of runs; `meanwhile` happens before and after the content of a long run is removed. */
function retention(meanwhile: { before?: () => unknown; after?: () => unknown }): RunRetention {
  const parts = {
    store: store.background,
    actors: { forget: () => {} },
    streams: { forget: () => {} },
    clock: { now: () => now },
  }
  const content = new ContentRetention(parts)
  return new RunRetention({
    ...parts,
    content: {
      async removeOf(...given) {
        meanwhile.before?.()
        try {
          await content.removeOf(...given)
        } finally {
          meanwhile.after?.()
        }
      },
    },
  })
}
const contentRemovedAt = () =>
  database.query<{ at: number | null }, []>('select content_removed_at as at from runs').get()?.at

test('a run that was continued and has ended again since it was found keeps everything', async () => {
  const isContinued = () => {
    continueRun()
    endRun()
  }
  expect(await retention({ before: isContinued }).prune(1, 10)).toBe(0)
  expect([contentRemovedAt(), traces(database, [runId])]).toEqual([null, before])
})

test('a run that is continued while its content is removed, and ends soon after, keeps everything', async () => {
  expect(await retention({ before: continueRun, after: endRun }).prune(1, 10)).toBe(0)
  expect([contentRemovedAt(), traces(database, [runId])]).toEqual([null, before])
})

test('a run that was not continued is removed', async () => {
  expect(await retention({}).prune(1, 10)).toBe(1)
  expect(traces(database, [runId])).toEqual({})
})
