/** Stored answers after their time, before the clean-up has removed them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { notFound } from '../../../src/platform/http/answers/errors.ts'
import { answersKeptMs, Idempotency } from '../../../src/platform/http/changes/idempotency.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import type { Store } from '../../../storage/store.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

let opened: Store
let clock: ManualClock
let idempotency: Idempotency
beforeEach(async () => {
  opened = await openMigrated()
  clock = new ManualClock(1_800_000_000_000)
  // other servers may share the store
  const store = {
    first: (query: never) => opened.first(query),
    all: (query: never) => opened.all(query),
    commit: (unit: never, scope: never) => opened.commit(unit, scope),
    db: opened.db,
    background: opened.background,
    membership: {},
  }
  idempotency = new Idempotency({ store: store as unknown as Store, clock })
})
afterEach(() => opened.close())

function send(work: () => Promise<unknown>, body: unknown = 'first') {
  const request = new Request('http://localhost/', { headers: { 'idempotency-key': 'again' } })
  const set: { headers: Record<string, string | number> } = { headers: {} }
  const caller = { userId: 'usr_a', organizationId: 'org_a' }
  const answer = idempotency.answer(
    { request, set, requestId: 'req_a', record: () => [] },
    { operation: 'POST /things', caller, path: [], body },
    work,
  )
  return answer.then((data) => ({ data, isReplayed: 'idempotency-replayed' in set.headers }))
}

test.each([
  ['refused', notFound()],
  ['in conflict with another row', new UniqueViolation('taken', 'things.name')],
])('a request that is %s after the answer has expired is not answered with it', async (_, refusal) => {
  const made = async () => ({ thing: 1 })
  const refused = () => Promise.reject(refusal)
  expect(await send(made)).toEqual({ data: { thing: 1 }, isReplayed: false })
  expect(await send(refused)).toEqual({ data: { thing: 1 }, isReplayed: true })
  await clock.advance(answersKeptMs)
  await expect(send(refused)).rejects.toBe(refusal)
  await expect(send(refused, 'another request')).rejects.toBe(refusal)
  expect(await send(async () => ({ thing: 2 }))).toEqual({ data: { thing: 2 }, isReplayed: false })
})
