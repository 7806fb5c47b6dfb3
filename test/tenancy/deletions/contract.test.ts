/** A case that no request can create yet: an organization with a paid contract. Source: requirement 4.5. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { Idempotency } from '../../../src/platform/http/changes/idempotency.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import { runAddress } from '../../../src/runs/record.ts'
import { removeRun } from '../../../src/runs/retention/removal.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { DeletionWorker } from '../../../src/tenancy/deletions/deletion-worker.ts'
import { Deletions } from '../../../src/tenancy/deletions/requests.ts'
import type { Store } from '../../../storage/store.ts'
import { findOrganization } from '../../../storage/tenancy/organizations.ts'
import { organizations, tenants } from '../../runs/tenants.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { openMigrated } from '../../support/migrated-store.ts'

let store: Store
beforeAll(async () => {
  store = await openMigrated()
  await store.commit(tenants(store))
})
afterAll(() => store?.close())

test('an organization whose paid contract has not ended answers 409 billing_active, and stays', async () => {
  const clock = new HandClock()
  const asked: string[] = []
  const actors = new Actors({ store, clock })
  const revocations = new EmbeddedRevocations()
  const runs = { address: runAddress, remove: removeRun }
  actors.register([new DeletionWorker({ store, actors, revocations, runs }).kind])
  const deletions = new Deletions({
    store,
    actors,
    revocations,
    idempotency: new Idempotency({ store, clock }),
    assertContractEnded(organizationId) {
      asked.push(organizationId)
      throw new ApiError(409, 'billing_active', 'The paid contract must be fully canceled first.')
    },
  })
  const context = {
    request: new Request('http://localhost/'),
    set: { headers: {} },
    requestId: 'r',
    record: recordNothing,
  }
  const removal = deletions.organization(context, callerWith({ organizationId: organizations.ours }))
  expect(await removal.catch((error: ApiError) => [error.status, error.code])).toEqual([409, 'billing_active'])
  expect(asked).toEqual([organizations.ours])
  const found = await store.first(findOrganization(store, { organizationId: organizations.ours }))
  expect(found?.status).toBe('active')
})
