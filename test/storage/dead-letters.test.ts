/** Dead letters are counted by a walk along an index of their own: no other delivery is looked at, and no row of a table. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { firstDeadLetter, walkDeadLetters } from '../../storage/events/dead-letters.ts'
import type { Store } from '../../storage/store.ts'
import { openMigrated } from '../support/migrated-store.ts'

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
])('a stretch of %s goes on where the last one ended', async (_, scope, searched) => {
  const values = { organizationId: 'o', after: firstDeadLetter, eventsUntil: 1, limit: 10 }
  const { sql, parameters } = walkDeadLetters(store, { ...values, ...scope })
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  const steps = plan.map(({ detail }) => detail)
  expect(steps.filter((step) => step.includes(' deliveries '))).toEqual([`${ofDeliveries} (${searched})`])
  // what is scanned is the stretch that the walk has found
  expect(steps.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN walked'])
})
