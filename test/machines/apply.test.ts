import { expect, test } from 'bun:test'
import { type ApplyContext, applyMachine } from '../../machines/apply.ts'
import { begin, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 10, "Apply", for one with changes and an Activation: states in rows, events in columns. The entry is
 * the next state, `=` accepted and unchanged, `.` 409.
 */
const rows = `
             taken    written    released     configured  deployed    activated  rejected  cancel    stepDeadline  deploymentDeadline
planned      writing  .          .            .           .           .          failed    canceled  failed        .
writing      .        releasing  .            .           .           .          failed    canceled  failed        .
releasing    .        .          configuring  .           .           .          failed    canceled  failed        .
configuring  .        .          .            deploying   .           .          failed    canceled  failed        .
deploying    .        .          .            .           activating  .          failed    canceled  .             failed
activating   .        .          .            .           .           applied    failed    .         .             .
applied      .        .          .            .           .           .          .         .         .             .
failed       .        .          .            .           .           .          .         .         .             .
canceled     .        .          .            .           .           .          .         =         .             .
`

const { columns: events, cells } = movesOf(rows)

const table = compile(applyMachine)
const born = begin(table, { activate: true, serving: null })
const failure = { code: 'validation_failed', message: 'Something is missing.' }
const made = { releaseId: 'rel_1', configurationRevisionId: 'cfr_1', deploymentId: 'dep_1', activationId: 'act_1' }
const answer = (state: string, type: string, context: Record<string, unknown> = {}) =>
  decide(table, state, { ...born.context, ...context }, { type, failure, ...made, at: 7, chance: 0 })

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))].sort()).toEqual([...table.states].sort())
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...events].sort())
})

test('an Apply begins planned, and requests its work', () => {
  expect(born).toMatchObject({
    state: 'planned',
    effects: [{ name: 'takeUp' }],
    timersStarted: [{ timer: 'stepDeadline', delayMs: 600_000 }],
  })
})

test('one without changes is applied at once, and requests no work', () => {
  const decision = answer('planned', 'taken', { unchanged: true })
  expect(decision).toMatchObject({ state: 'applied', effects: [], timersStarted: [], context: { endedAt: 7 } })
})

test('one without an Activation is applied as soon as its Deployment is ready', () => {
  const decision = answer('deploying', 'deployed', { activate: false })
  expect(decision).toMatchObject({ state: 'applied', effects: [], context: { deploymentId: 'dep_1', endedAt: 7 } })
})

test.each([
  ['planned', 'taken', 'write', {}, 600_000],
  ['writing', 'written', 'release', {}, 600_000],
  ['releasing', 'released', 'configure', { releaseId: 'rel_1' }, 600_000],
  ['configuring', 'configured', 'deploy', { configurationRevisionId: 'cfr_1' }, 3_600_000],
  ['deploying', 'deployed', 'activate', { deploymentId: 'dep_1' }, undefined],
] as const)('from %s, on %s, it requests %s, and keeps what was created', (state, event, work, noted, delayMs) => {
  const decision = answer(state, event)
  expect(decision?.effects).toMatchObject([{ name: work }])
  expect(decision?.timersStarted.map((timer) => timer.delayMs)).toEqual(delayMs === undefined ? [] : [delayMs])
  expect(decision?.context as unknown as ApplyContext).toEqual({
    ...born.context,
    ...noted,
    step: 2,
  } as unknown as ApplyContext)
})

test.each([
  ['activating', 'activated', { activationId: 'act_1' }],
  ['activating', 'rejected', { failure }],
  ['writing', 'rejected', { failure }],
  ['releasing', 'cancel', {}],
] as const)('from %s, on %s, it ends and keeps its outcome', (state, event, noted) => {
  const decision = answer(state, event)
  expect(decision?.context as unknown as ApplyContext).toEqual({
    ...born.context,
    ...noted,
    endedAt: 7,
  } as unknown as ApplyContext)
  const abandons = event === 'activated' ? [] : [{ name: 'abandon' }]
  expect(decision?.effects).toMatchObject(abandons)
  expect(decision?.timersStarted).toEqual([])
})

test.each(['planned', 'writing', 'releasing', 'configuring', 'deploying', 'activating'])(
  'one that is %s does not fail because the work of an earlier state failed',
  (state) => {
    const failed = (step: number) =>
      decide(table, state, { ...born.context, step: 3 }, { type: 'rejected', failure, step, at: 7, chance: 0 })?.state
    expect([failed(2), failed(3)]).toEqual([undefined, 'failed'])
  },
)

const deadlines = [
  ['planned', 'stepDeadline'],
  ['writing', 'stepDeadline'],
  ['releasing', 'stepDeadline'],
  ['configuring', 'stepDeadline'],
  ['deploying', 'deploymentDeadline'],
] as const
test.each(deadlines)('one that stays %s for too long fails', (state, deadline) => {
  expect(answer(state, deadline)?.context).toMatchObject({ failure: { code: 'deadline_exceeded' }, endedAt: 7 })
})

test.each(deadlines)(
  'one that is %s begins its work again if its time passed while the server was down',
  (state, type) => {
    const decision = decide(table, state, born.context, { type, lateMs: 3_600_000, at: 7, chance: 0 })
    expect(decision).toMatchObject({ state, timersStarted: [{ timer: type }], context: { step: 2, endedAt: null } })
    expect(decision?.effects).toHaveLength(1)
  },
)
