/** What a removal looks for is found by an index: nobody else's rows are looked at. Source: design 7; contract 2, "Deletion". */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openStore } from '../../storage/open.ts'
import type { Keys, Target } from '../../storage/removal-piece.ts'
import { pieces } from '../../storage/removal-pieces.ts'
import type { Store } from '../../storage/store.ts'

let store: Store
beforeAll(async () => {
  store = await openStore('sqlite::memory:')
})
afterAll(() => store?.close())

const looks = pieces.flatMap((piece, index) =>
  (Object.keys(piece.keys) as Target[]).map((target) => [index, target] as const),
)

test.each(looks)('piece %d of an %s is found without a scan', async (index, target) => {
  const keys = pieces[index]?.keys as Record<Target, Keys>
  const { sql, parameters } = keys[target](store, { id: 'x', organizationId: 'x', limit: 10 })
  const plan = await store.all<{ detail: string }>({ sql: `explain query plan ${sql}`, parameters })
  expect(plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SCAN'))).toEqual([])
})
