/** Deletions of an organization with a paid contract. Source: requirement 4.5. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { loadPlans } from '../../../src/billing/plans.ts'
import type { Provider } from '../../../src/billing/provider.ts'
import { contractEndCheck } from '../../../src/billing/service.ts'
import { SubscriptionWork } from '../../../src/billing/subscription-work.ts'
import { ApiError } from '../../../src/platform/http/answers/errors.ts'
import { Idempotency } from '../../../src/platform/http/changes/idempotency.ts'
import { recordNothing } from '../../../src/platform/http/changes/request-record.ts'
import { runAddress } from '../../../src/runs/record.ts'
import { removeRun } from '../../../src/runs/retention/removal.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { EmbeddedRevocations } from '../../../src/tenancy/authority/revocations.ts'
import { DeletionWorker } from '../../../src/tenancy/deletions/deletion-worker.ts'
import { type AssertContractEnded, Deletions } from '../../../src/tenancy/deletions/requests.ts'
import type { Store } from '../../../storage/store.ts'
import { findOrganization } from '../../../storage/tenancy/organizations.ts'
import { organizations, tenants } from '../../runs/tenants.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { callerWith } from '../../support/callers.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const revocations = new EmbeddedRevocations()
let store: Store
beforeAll(async () => {
  store = await openMigrated()
  await store.commit(tenants(store))
})
afterAll(() => store?.close())

let clock: HandClock
let actors: Actors
let work: SubscriptionWork
beforeEach(() => {
  clock = new HandClock()
  actors = new Actors({ store, clock })
  const runs = { address: runAddress, remove: removeRun }
  work = new SubscriptionWork({ actors, provider: null })
  actors.register([new DeletionWorker({ store, actors, revocations, runs }).kind, work.kind])
})

/** The outcome of a request to delete our organization. */
function remove(assertContractEnded: AssertContractEnded): Promise<unknown> {
  const idempotency = new Idempotency({ store, clock })
  const deletions = new Deletions({ store, actors, revocations, idempotency, assertContractEnded })
  const context = {
    request: new Request('http://localhost/'),
    set: { headers: {} },
    requestId: 'r',
    record: recordNothing,
  }
  return deletions
    .organization(context, callerWith({ organizationId: organizations.ours }))
    .catch((error: ApiError) => [error.status, error.code])
}

const statusOfOurs = async () => (await store.first(findOrganization(store, { id: organizations.ours })))?.status

test('an organization whose paid contract has not ended answers 409 billing_active, and stays', async () => {
  const asked: string[] = []
  const removal = remove((organizationId) => {
    asked.push(organizationId)
    throw new ApiError(409, 'billing_active', 'The paid contract must be fully canceled first.')
  })
  expect(await removal).toEqual([409, 'billing_active'])
  expect(asked).toEqual([organizations.ours])
  expect(await statusOfOurs()).toBe('active')
})

test('an organization whose contract begins while its deletion is requested stays', async () => {
  const provider = { name: 'embedded' } as Provider
  const check = contractEndCheck({ store, clock, billing: { plans: loadPlans(null), provider } })
  const removal = remove(async (organizationId) => {
    const ended = await check(organizationId)
    const pay = { type: 'pay', planKey: 'pro', interval: 'month' }
    await work.send(organizationId, pay, 'embedded').catch(() => {})
    return ended
  })
  expect(await removal).toEqual([409, 'billing_active'])
  expect(await statusOfOurs()).toBe('active')
})
