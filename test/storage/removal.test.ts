/** A removal finds its rows by an index and reads no rows of others. Source: design 7; contract 2, "Deletion". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { nextRuns } from '../../storage/runs/run-removal.ts'
import { countRunsBehind } from '../../storage/runs/run-stretches.ts'
import type { Keys, Target } from '../../storage/runtime/deletion-step.ts'
import { deletionSteps } from '../../storage/runtime/deletion-steps.ts'
import type { Store } from '../../storage/store.ts'
import { openMigrated } from '../support/stores/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
})
afterAll(() => store?.close())

const looks = deletionSteps.flatMap((piece, index) =>
  (Object.keys(piece.keys) as Target[]).map((target) => [index, target] as const),
)

test.each(looks)('piece %d of an %s is found without a scan', async (index, target) => {
  const keys = deletionSteps[index]?.keys as Record<Target, Keys>
  const { sql, parameters } = keys[target](store, { id: 'x', organizationId: 'x', limit: 10 })
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  expect(plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))).toEqual([])
})

const targets: Target[] = ['organization', 'project', 'agent']
test.each(targets)('the runs of an %s are found and counted along their own index', async (target) => {
  const asked: { sql: string; parameters: readonly unknown[] }[] = []
  const watched = {
    db: store.db,
    all: async (query: (typeof asked)[number]) => {
      asked.push(query)
      return []
    },
    first: async (query: (typeof asked)[number]) => void asked.push(query),
  }
  const doomed = { target, id: 'x', organizationId: 'x' }
  await nextRuns(watched, doomed, 10)
  await countRunsBehind(watched, doomed, '', 10)
  const index = { organization: 'runs_by_creation', project: 'runs_by_project', agent: 'runs_by_agent' }[target]
  expect(asked).toHaveLength(2)
  for (const { sql, parameters } of asked) {
    const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
    const details = plan.map(({ detail }) => detail)
    expect(details.some((detail) => new RegExp(`^SEARCH runs USING (COVERING )?INDEX ${index} `).test(detail))).toBe(
      true,
    )
    expect(details.filter((detail) => /^SCAN (?!\(subquery|some|counted)|TEMP B-TREE/.test(detail))).toEqual([])
  }
})
