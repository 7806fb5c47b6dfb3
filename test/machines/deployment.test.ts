import { expect, test } from 'bun:test'
import { type DeploymentContext, deploymentMachine } from '../../machines/deployment.ts'
import { begin, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 3, "Deployment": states in rows, events in columns. The entry is the next state, `=` accepted and
 * unchanged, `.` 409.
 */
const rows = `
               taken       validated     provisioned    materialized  rejected  cancel    activate  stepDeadline
queued         validating  .             .              .             failed    canceled  .         failed
validating     .           provisioning  .              .             failed    canceled  .         failed
provisioning   .           .             materializing  .             failed    canceled  .         failed
materializing  .           .             .              ready         failed    canceled  .         failed
ready          .           .             .              .             .         .         =         .
failed         .           .             .              .             .         .         .         .
canceled       .           .             .              .             .         =         .         .
`

const { columns: events, cells } = movesOf(rows)

const table = compile(deploymentMachine)
const born = begin(table, undefined)
const failure = { code: 'validation_failed', message: 'Something is missing.', issues: [] }
const answer = (state: string, type: string, context: Record<string, unknown> = born.context) =>
  decide(table, state, context, { type, failure, digest: 'sha256:0', at: 7, chance: 0 })

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...events].sort())
})

test('a Deployment begins queued, and requests its turn', () => {
  expect(born).toMatchObject({
    state: 'queued',
    effects: [{ name: 'takeUp' }],
    timersStarted: [{ timer: 'stepDeadline', delayMs: 600_000 }],
  })
})

test.each([
  ['queued', 'taken', 'validate'],
  ['validating', 'validated', 'provision'],
  ['provisioning', 'provisioned', 'materialize'],
])('from %s, on %s, the next work is requested and has ten minutes', (state, event, work) => {
  expect(answer(state, event)).toMatchObject({
    effects: [{ name: work }],
    timersStarted: [{ timer: 'stepDeadline', delayMs: 600_000 }],
  })
})

test.each([
  ['materializing', 'materialized', { failure: null, digest: 'sha256:0', readyAt: 7 }],
  ['validating', 'rejected', { failure, digest: null, readyAt: null }],
  ['queued', 'cancel', { failure: null, digest: null, readyAt: null }],
] as const)('from %s, on %s, it ends and keeps its outcome', (state, event, context) => {
  const decision = answer(state, event)
  expect(decision?.context as unknown as DeploymentContext).toEqual(context as unknown as DeploymentContext)
  expect([decision?.effects, decision?.timersStarted]).toEqual([[], []])
})

test.each(['queued', 'validating', 'provisioning', 'materializing'])(
  'one that stays %s for ten minutes fails',
  (state) => {
    expect(answer(state, 'stepDeadline')?.context).toMatchObject({ failure: { code: 'deadline_exceeded' } })
  },
)

test.each(['queued', 'validating', 'provisioning', 'materializing'])(
  'one that is %s begins its work again if its ten minutes passed while the server was down',
  (state) => {
    const late = { type: 'stepDeadline', lateMs: 3_600_000, at: 7, chance: 0 }
    const decision = decide(table, state, born.context, late)
    expect(decision).toMatchObject({ state, timersStarted: [{ timer: 'stepDeadline', delayMs: 600_000 }] })
    expect(decision?.effects).toHaveLength(1)
  },
)
