/** The client's error for a unit of work that the store refuses. */
import { expect, test } from 'bun:test'
import { notFound } from '../../../src/platform/http/answers/errors.ts'
import { commitOr, type Refusals } from '../../../src/platform/http/changes/commit.ts'
import { MissingReference, StaleWrite, StoreUnavailable, UniqueViolation } from '../../../storage/errors.ts'

const taken = new UniqueViolation('taken', 'agents.project_id, agents.slug')
const stale = new StaleWrite('stale')
const missing = new MissingReference('missing')
const away = new StoreUnavailable('away')
const said = new Error('said')
const say = () => said

const rows: { failure: Error; refusals: Refusals; thrown: Error }[] = [
  { failure: stale, refusals: { stale: say }, thrown: said },
  { failure: stale, refusals: { stale: async () => said }, thrown: said },
  { failure: stale, refusals: { stale: (error) => error }, thrown: stale },
  { failure: stale, refusals: { unique: say, missing: say }, thrown: stale },
  { failure: missing, refusals: { missing: say }, thrown: said },
  { failure: missing, refusals: { stale: say }, thrown: missing },
  { failure: taken, refusals: { unique: say }, thrown: said },
  { failure: taken, refusals: { unique: { 'agents.slug': say } }, thrown: said },
  { failure: taken, refusals: { unique: { 'agents.name': say } }, thrown: taken },
  { failure: taken, refusals: { unique: { 'agents.name': notFound, '': say } }, thrown: said },
  { failure: away, refusals: { stale: say, unique: say, missing: say }, thrown: away },
]

test.each(rows)('$failure.message with $refusals: $thrown.message', async ({ failure, refusals, thrown }) => {
  const store = { commit: () => Promise.reject(failure) }
  expect(await commitOr(store, refusals, []).catch((error: unknown) => error)).toBe(thrown)
})

test('a refusal that looks up more throws what it finds', async () => {
  const store = { commit: () => Promise.reject(stale) }
  const find = () => Promise.reject(said)
  expect(await commitOr(store, { stale: find }, []).catch((error: unknown) => error)).toBe(said)
})
