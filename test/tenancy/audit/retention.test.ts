import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AuditRetention } from '../../../src/tenancy/audit/retention.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store } from '../../../storage/store.ts'
import { insertAuditEvent } from '../../../storage/tenancy/audit.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { eventually } from '../../support/process.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'
import { openWorld, ours } from '../organizations/world.ts'

const day = 86_400_000

let folder: string
let store: Store
const clock = new HandClock()
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-audit-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
})
afterEach(async () => {
  await store?.close()
  await rm(folder, { recursive: true, force: true })
})

/** This many lines of the organization, each of this age. */
const add = (organizationId: string, count: number, ageMs: number) =>
  store.commit(
    Array.from({ length: count }, () => {
      const at = clock.now() - ageMs
      return insertAuditEvent(store, {
        organization_id: organizationId,
        id: newId('aud', at),
        actor_type: 'user',
        actor_id: 'usr_1',
        ip: null,
        operation: 'updateOrganization',
        resource_type: 'organization',
        resource_id: organizationId,
        outcome: 'allowed',
        request_id: 'req_1',
        request_id_from: 'server',
        changed: '[]',
        count: 1,
        at,
      })
    }),
  )
const left = async () => {
  const rows = await store.db
    .selectFrom('audit_events')
    .select(({ fn }) => ['organization_id', fn.countAll<number>().as('count')])
    .groupBy('organization_id')
    .execute()
  return Object.fromEntries(rows.map(({ organization_id, count }) => [organization_id, count]))
}
const retention = (days: number) => new AuditRetention({ store: store.background, clock, days })

describe('retention', () => {
  test('removes lines at the end of their retention, to the millisecond', async () => {
    await add('org_a', 1, 30 * day + 1)
    await add('org_a', 1, 30 * day)
    await add('org_a', 1, 30 * day - 1)
    expect(await retention(30).prune(500)).toBe(1)
    expect(await left()).toEqual({ org_a: 2 })
  })

  test('removes one batch at a time, the oldest first, organization by organization', async () => {
    await add('org_a', 30, 40 * day)
    await add('org_a', 5, day)
    await add('org_b', 7, day)
    await add('org_c', 30, 40 * day)
    expect(await retention(30).prune(20)).toBe(20)
    expect(await left()).toEqual({ org_a: 15, org_b: 7, org_c: 30 })
    expect(await retention(30).prune(20)).toBe(20)
    expect(await left()).toEqual({ org_a: 5, org_b: 7, org_c: 20 })
    expect(await retention(30).prune(100)).toBe(20)
    expect(await left()).toEqual({ org_a: 5, org_b: 7 })
    expect(await retention(30).prune(100)).toBe(0)
  })

  test('may be a fraction of a day', async () => {
    await add('org_a', 2, day / 4)
    await add('org_a', 2, day)
    expect(await retention(0.5).prune(100)).toBe(2)
    expect(await left()).toEqual({ org_a: 2 })
  })
})

test('the server prunes its log according to TROUPE_AUDIT_RETENTION_DAYS', async () => {
  const sweepMs = 1_000
  const world = await openWorld({ TROUPE_AUDIT_RETENTION_DAYS: '2', TROUPE_SWEEP_INTERVAL_MS: `${sweepMs}` })
  try {
    await world.owner.patch(ours, { name: 'Old' })
    world.clock.advance(day)
    await world.owner.patch(ours, { name: 'Young' })
    expect(world.trail()).toHaveLength(2)
    const youngAt = world.clock.now()
    world.clock.advance(day + 1)
    // a sweep that was running at that time runs again after its interval
    await eventually('one line', () => {
      world.clock.advance(sweepMs)
      return world.trail().length === 1
    })
    expect(world.trail()[0]).toMatchObject({ at: youngAt })
  } finally {
    await world.close()
  }
})
