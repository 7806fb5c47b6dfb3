/** Dead letters are counted along an index of their own: no other delivery is read, and no table row. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { firstDeadLetter, walkDeadLetters } from '../../storage/events/dead-letters.ts'
import type { Store } from '../../storage/store.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const ofDeliveries = 'SEARCH deliveries USING COVERING INDEX deliveries_dead'
const behind = (columns: string) => `(${columns})>(${columns.replace(/\w+/g, '?')})`

test.each([
  ['an organization', {}, `organization_id=? AND ${behind('project_id,environment_id,webhook_id,id')}`],
  [
    'a Project',
    { project_id: 'p' },
    `organization_id=? AND project_id=? AND ${behind('environment_id,webhook_id,id')}`,
  ],
  [
    'an Environment',
    { environment_id: 'e' },
    `organization_id=? AND project_id=? AND environment_id=? AND ${behind('webhook_id,id')}`,
  ],
  [
    'an Environment and its Project',
    { project_id: 'p', environment_id: 'e' },
    `organization_id=? AND project_id=? AND environment_id=? AND ${behind('webhook_id,id')}`,
  ],
])('a page of %s continues where the last one ended', async (_, scope, searched) => {
  const values = { organizationId: 'o', after: firstDeadLetter, eventsUntil: 1, limit: 10 }
  const { sql, parameters } = walkDeadLetters(store, { ...values, ...scope })
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  const steps = plan.map(({ detail }) => detail)
  expect(steps.filter((step) => step.includes(' deliveries '))).toEqual([`${ofDeliveries} (${searched})`])
  // the scan covers only the range that the walk found
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN walked'])
})
