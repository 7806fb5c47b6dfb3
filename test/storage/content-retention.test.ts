/** The removal of content finds its rows by an index: runs that were already processed are not read again. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { listExpiredContent, removeContent, removeFirstGroups } from '../../storage/runs/content-retention.ts'
import { listLongEnded } from '../../storage/runs/run-stretches.ts'
import type { Store, Write } from '../../storage/store.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const planOf = async ({ sql, parameters }: Pick<Write, 'sql' | 'parameters'>) => {
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  return plan.map(({ detail }) => detail)
}

/** Iterating over the result of a subquery is allowed; scanning a table is not. */
const isScan = (detail: string) => /^SCAN (?!\(subquery|counted)/.test(detail)

test('expired runs are found in order of expiry', async () => {
  const plan = await planOf(listExpiredContent(store, { now: 1, unchangedSince: 1, limit: 10 }))
  expect(plan[0]).toMatch(/^SEARCH runs USING INDEX runs_with_content \(/)
  expect(plan.filter((detail) => isScan(detail) || detail.includes('TEMP B-TREE'))).toEqual([])
})

test('the rows that belong to a run are found without a scan', async () => {
  const run = { id: 'x', from: 1, version: 1, context: '{}', at: 1 }
  for (const each of [...removeContent(store, run), ...removeFirstGroups(store, run)]) {
    expect((await planOf(each)).filter(isScan)).toEqual([])
  }
})

test('runs that ended long ago are found in order of their end, and their rows without a scan', async () => {
  const plan = await planOf(listLongEnded(store, { until: 1, limit: 10 }))
  expect(plan[0]).toMatch(/^SEARCH runs USING INDEX runs_ended \(/)
  expect(plan.filter((detail) => isScan(detail) || detail.includes('TEMP B-TREE'))).toEqual([])
})
