import { describe, expect, test } from 'bun:test'
import { environmentMachine } from '../../machines/environment.ts'
import { begin, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From requirement 3, "Environment lifecycle", and contract 2 and 3: states in rows, events in columns; after the
 * colon, the sender's expectation. The entry is the next state, `=` accepted and in the same state, `.` 409.
 */
const rows = `
              activate:provisioning  activate:active  activate:deleting  takeConfiguration:head  takeConfiguration:other  admitDeployment  activateDeployment:3  activateDeployment:2  activateDeployment:4  delete
provisioning  active                 .                .                  .                       .                        .                .                     .                     .                     deleting
active        .                      .                .                  =                       .                        =                =                     .                     .                     deleting
deleting      .                      .                .                  .                       .                        .                .                     .                     .                     =
`

const { columns: events, cells } = movesOf(rows)

const table = compile(environmentMachine)
const context = {
  generation: 3,
  activeDeploymentId: 'dep_a',
  previousDeploymentId: 'dep_b',
  headRevisionId: 'head',
  headNumber: 5,
}
const stamped = (event: { type: string; [field: string]: unknown }) => ({ ...event, at: 0, chance: 0 })
const eventOf = (name: string) => {
  const [type = '', expected] = name.split(':')
  return stamped({
    type,
    expected,
    expectedHead: expected,
    revisionId: 'next',
    deploymentId: 'dep_c',
    expectedGeneration: Number(expected),
  })
}

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(decide(table, given, context, eventOf(event))?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  const named = new Set(events.map((event) => event.split(':')[0]))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual(
    [...named].sort() as string[],
  )
})

test.each(['activate', 'provision', 'cancel', 'takeConfiguration', 'activateDeployment'])(
  "%s without the sender's expectation changes nothing",
  (type) => {
    for (const state of table.states) expect(decide(table, state, context, stamped({ type }))).toBeUndefined()
  },
)

test('an Environment begins in provisioning, with an empty configuration and no serving Deployment', () => {
  expect(begin(table, { headRevisionId: 'cfr_0' })).toEqual({
    state: 'provisioning',
    context: {
      generation: 0,
      activeDeploymentId: null,
      previousDeploymentId: null,
      headRevisionId: 'cfr_0',
      headNumber: 0,
    },
    moved: true,
    effects: [],
    timersStarted: [],
  })
})

describe('the data of an Environment after an event', () => {
  test.each([
    ['takeConfiguration:head', { headRevisionId: 'next', headNumber: 6 }],
    ['activateDeployment:3', { generation: 4, activeDeploymentId: 'dep_c', previousDeploymentId: 'dep_a' }],
    ['admitDeployment', {}],
    ['delete', { activeDeploymentId: null, previousDeploymentId: 'dep_a' }],
  ])('%s', (event, changes) => {
    const decision = decide(table, 'active', context, eventOf(event))
    expect(decision?.context).toEqual({ ...context, ...changes })
    expect([decision?.effects, decision?.timersStarted]).toEqual([[], []])
  })
})

test('deleting an Environment again while it is deleting changes nothing', () => {
  expect(decide(table, 'deleting', context, stamped({ type: 'delete' }))).toEqual({
    state: 'deleting',
    context,
    moved: false,
    effects: [],
    timersStarted: [],
  })
})
