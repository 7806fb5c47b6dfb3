/** Lines of refusals: a limited number, and none lost when the store is unavailable. */
import { beforeEach, expect, test } from 'bun:test'
import { Refusals } from '../../../src/tenancy/audit/refusals.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let store: Store
let clock: HandClock
const logged: unknown[] = []
beforeEach(async () => {
  store = await openMigrated()
  clock = new HandClock()
  logged.length = 0
})

const logger = { error: (...line: unknown[]) => void logged.push(line) } as never
const rowOf = (organizationId: string) => () => ({
  organization_id: organizationId,
  id: newId('aud', clock.now()),
  actor_type: 'user' as const,
  actor_id: 'usr_1',
  ip: null,
  operation: 'updateOrganization',
  resource_type: 'organization',
  resource_id: organizationId,
  outcome: 'denied' as const,
  request_id: 'req_1',
  request_id_from: 'server' as const,
  changed: '[]',
  count: 1,
  at: clock.now(),
})
const counts = async () =>
  (await store.db.selectFrom('audit_events').select(['organization_id', 'count']).orderBy('id').execute()).map(
    ({ organization_id, count }) => [organization_id, count],
  )
const refuse = (refusals: Refusals, organizationId: string, kind: string) =>
  refusals.count(kind, { organizationId, actorId: 'usr_1' }, rowOf(organizationId))

test('an organization has a limited number of lines per minute, separate from others', async () => {
  const refusals = new Refusals({ store, clock, logger, linesOfOrganizationMax: 3, linesMax: 5 })
  for (let kind = 0; kind < 10; kind += 1) refuse(refusals, 'org_1', `operation ${kind}`)
  refuse(refusals, 'org_1', 'operation 0')
  refuse(refusals, 'org_2', 'operation 0')
  await refusals.flush()
  expect(await counts()).toEqual([
    ['org_1', 2],
    ['org_1', 1],
    ['org_1', 1],
    ['org_2', 1],
  ])
  // the next minute starts over
  clock.advance(60_000)
  refuse(refusals, 'org_1', 'operation 9')
  await refusals.flush()
  expect(await counts()).toHaveLength(5)
})

test('an idle server has no timer, and a busy one stores its counts by itself', async () => {
  const refusals = new Refusals({ store, clock, logger })
  for (let asked = 0; asked < 1_000; asked += 1) refuse(refusals, 'org_1', 'operation')
  await refusals.flush()
  expect(await counts()).toEqual([['org_1', 1_000]])
  refuse(refusals, 'org_1', 'operation')
  refuse(refusals, 'org_1', 'operation')
  clock.advance(60_000)
  await refusals.flush()
  expect(await counts()).toEqual([
    ['org_1', 1_000],
    ['org_1', 2],
  ])
})

test('a line that the store did not accept is written with its count at the end of the minute', async () => {
  let isAway = true
  const flaky: Store = Object.create(store, {
    commit: { value: (unit: never) => (isAway ? Promise.reject(new Error('away')) : store.commit(unit)) },
  })
  const refusals = new Refusals({ store: flaky, clock, logger })
  for (let asked = 0; asked < 5; asked += 1) refuse(refusals, 'org_1', 'operation')
  await Bun.sleep(0)
  isAway = false
  await refusals.flush()
  expect(await counts()).toEqual([['org_1', 5]])
  expect(logged).toHaveLength(1)
})
