/** What a server remembers of exclusive pools, when it cannot read them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Exclusiveness } from '../../../src/runs/runner-pools/exclusiveness.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { StoreUnavailable } from '../../../storage/errors.ts'
import { updateRunnerPool } from '../../../storage/runs/runner-pools.ts'
import type { Store } from '../../../storage/store.ts'
import { raw } from '../../events/history/feed-world.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let store: Store
let clock: HandClock
let exclusiveness: Exclusiveness
let revocations: EmbeddedRevocations
/** Whether the server cannot read the store. */
let isAway: boolean
let failures: number
beforeEach(async () => {
  store = await openMigrated()
  for (const id of ['org_1', 'org_2']) {
    await store.commit([
      raw("insert into organizations values (?, ?, 'Name', 'team', 'active', 0, 0)", id, id),
      raw('insert into runner_pools values (?, ?, ?, 0, 0, 0)', `rpl_of_${id}`, id, 'Ours'),
    ])
  }
  clock = new HandClock()
  revocations = new EmbeddedRevocations()
  isAway = false
  failures = 0
  const all: Store['all'] = (query) =>
    isAway ? Promise.reject(new StoreUnavailable('The store is not reachable.')) : store.all(query)
  exclusiveness = new Exclusiveness({
    store: { db: store.db, all } as Store,
    clock,
    revocations,
    onError: () => {
      failures += 1
    },
  })
  await exclusiveness.refresh()
})
afterEach(async () => {
  exclusiveness.stop()
  await store?.close()
})

/** Another server changes the pool and announces it. */
async function change(organizationId: string, exclusive: 0 | 1) {
  await store.commit([updateRunnerPool(store, { id: `rpl_of_${organizationId}`, name: null, exclusive, at: 0 })])
  await revocations.announce({ organizationId })
}
const isExclusive = () => ['org_1', 'org_2'].map((id) => exclusiveness.has(id))

test('a change that could not be read is read again soon', async () => {
  isAway = true
  await change('org_1', 1)
  await eventually('the failure', async () => failures === 1)
  clock.advance(5_000)
  await eventually('another failure', async () => failures === 2)
  expect(isExclusive()).toEqual([false, false])
  isAway = false
  clock.advance(5_000)
  await eventually('the change', async () => exclusiveness.has('org_1'))
  expect(clock.waiting).toBe(0)
})

test('a change of another organization brings along what could not be read', async () => {
  isAway = true
  await change('org_1', 1)
  await eventually('the failure', async () => failures === 1)
  isAway = false
  await change('org_2', 1)
  await eventually('both changes', async () => exclusiveness.has('org_2'))
  expect([isExclusive(), clock.waiting]).toEqual([[true, true], 0])
})

test('a stopped server does not read again', async () => {
  isAway = true
  await change('org_1', 1)
  await eventually('the failure', async () => failures === 1)
  exclusiveness.stop()
  expect(clock.waiting).toBe(0)
})
