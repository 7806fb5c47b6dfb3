import { expect, test } from 'bun:test'
import { type IntegrationContext, integrationMachine, integrationStates } from '../../machines/integration.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From requirement 4.8 and contract 4, "Integration": states in rows, events in columns. The entry is the next state,
 * `.` 409. `late` is the result for a client that was replaced since.
 */
const rows = `
               verified  verificationFailed  rotated  lateSuccess  lateFailure  lateRotation
active         active    misconfigured       active   .            .            .
misconfigured  active    misconfigured       active   .            .            .
`

const { cells } = movesOf(rows)

const createdAt = 1_000_000
const later = createdAt + 60_000
const table = compile(integrationMachine)
const born = begin(table, { at: createdAt, versionId: 'inv_1', clientId: 'first' })
const second: IntegrationContext = { ...(born.context as unknown as IntegrationContext), number: 2, versionId: 'inv_2' }

const verified = { type: 'verified', number: 2 }
const failed = { type: 'verificationFailed', number: 2, code: 'integration_invalid_client', message: 'No.' }
const rotated = { type: 'rotated', number: 2, versionId: 'inv_3', clientId: 'third' }
const events: Record<string, { type: string }> = {
  verified,
  verificationFailed: failed,
  rotated,
  lateSuccess: { ...verified, number: 1 } as { type: string },
  lateFailure: { ...failed, number: 1 } as { type: string },
  lateRotation: { ...rotated, number: 1 } as { type: string },
}

const answer = (state: string, event: string) =>
  decide(table, state, { ...second }, { ...(events[event] as { type: string }), at: later, chance: 0.5 })
const contextOf = (decision: Decision | undefined) => decision?.context as unknown as IntegrationContext

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  expect([...table.states]).toEqual([...integrationStates])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('it begins active, verified at that time, with version 1', () => {
  expect(born).toMatchObject({ state: 'active', effects: [], timersStarted: [] })
  expect(born.context).toEqual({
    number: 1,
    versionId: 'inv_1',
    clientId: 'first',
    verifiedAt: createdAt,
    lastVerification: { outcome: 'verified', code: null, message: 'The provider accepts the client.', at: createdAt },
  })
})

test.each(integrationStates)('%s: a success is recorded with its time', (state) => {
  expect(contextOf(answer(state, 'verified'))).toEqual({
    ...second,
    verifiedAt: later,
    lastVerification: { outcome: 'verified', code: null, message: 'The provider accepts the client.', at: later },
  })
})

test.each(integrationStates)('%s: a failure is recorded, and the time of the last success is kept', (state) => {
  expect(contextOf(answer(state, 'verificationFailed'))).toEqual({
    ...second,
    lastVerification: { outcome: 'failed', code: 'integration_invalid_client', message: 'No.', at: later },
  })
})

test.each(integrationStates)('%s: a rotation makes the next version the current one, verified now', (state) => {
  expect(contextOf(answer(state, 'rotated'))).toMatchObject({
    number: 3,
    versionId: 'inv_3',
    clientId: 'third',
    verifiedAt: later,
    lastVerification: { outcome: 'verified', at: later },
  })
})
