import { expect, test } from 'bun:test'
import { type AgentJobContext, agentJobMachine } from '../../machines/agent-job.ts'
import { begin, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 6, Jobs: states in rows, events in columns. The entry is the next state, `.` 409. `stale` is a change
 * by a client that has not seen the last one, `late` a report of another tick, `ended` one without a next tick.
 */
const rows = `
           enable     disable   stale  tick    fired      ended     late  firingOverdue
disabled   scheduled  disabled  .      .       .          .         .     .
scheduled  scheduled  disabled  .      firing  .          .         .     .
firing     firing     firing    .      .       scheduled  disabled  .     firing
`

const { cells } = movesOf(rows)

const minute = 60_000
const planned = 1_000_000
const now = planned + 5
const table = compile(agentJobMachine)
const born = begin(table, {})

const contexts: Record<string, Partial<AgentJobContext>> = {
  disabled: { changes: 3 },
  scheduled: { changes: 3, enabled: true, nextRunAt: planned },
  firing: { changes: 3, enabled: true, firing: { scheduledFor: planned, at: now } },
}
const change = { type: 'change', seen: 3, enabled: true, nextRunAt: planned + 3 * minute }
const fired = {
  type: 'fired',
  scheduledFor: planned,
  lastTickAt: planned,
  outcome: 'started',
  agentRunId: 'run_1',
  nextRunAt: planned + minute,
  cause: null,
}
const events: Record<string, { type: string }> = {
  enable: change,
  disable: { ...change, enabled: false, nextRunAt: null } as { type: string },
  stale: { ...change, seen: 2 } as { type: string },
  tick: { type: 'tick' },
  fired,
  ended: { ...fired, nextRunAt: null } as { type: string },
  late: { ...fired, scheduledFor: planned - minute } as { type: string },
  firingOverdue: { type: 'firingOverdue' },
}

const answer = (state: string, event: { type: string }, context: Partial<AgentJobContext> = {}) =>
  decide(table, state, { ...born.context, ...contexts[state], ...context }, { ...event, at: now, chance: 0.5 })
const contextOf = (decision: ReturnType<typeof answer>) => decision?.context as unknown as AgentJobContext

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(answer(given, events[event]!)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

test('a job begins disabled, with nothing scheduled or requested', () => {
  expect(born).toMatchObject({ state: 'disabled', effects: [], timersStarted: [] })
  expect(born.context).toEqual({ enabled: false, changes: 0, nextRunAt: null, lastTickAt: null, firing: null })
})

test.each(['disabled', 'scheduled'])('from %s, a schedule arms the next tick, and counts the change', (state) => {
  const decision = answer(state, change)
  expect(decision?.timersStarted).toEqual([{ timer: 'tick', delayMs: change.nextRunAt - now }])
  expect(contextOf(decision)).toMatchObject({ enabled: true, changes: 4, nextRunAt: change.nextRunAt })
})

test('a tick is begun with its scheduled time, and requested once', () => {
  const decision = answer('scheduled', events.tick!)
  expect(decision?.effects.map(({ name }) => name)).toEqual(['fire'])
  expect(contextOf(decision)).toMatchObject({ firing: { scheduledFor: planned, at: now }, nextRunAt: null })
})

test('a completed tick schedules the next one, even if that has passed meanwhile', () => {
  const decision = answer('firing', fired)
  expect(decision?.timersStarted).toEqual([{ timer: 'tick', delayMs: fired.nextRunAt - now }])
  expect(contextOf(decision)).toMatchObject({ firing: null, lastTickAt: planned, nextRunAt: fired.nextRunAt })
  expect(answer('firing', { ...fired, nextRunAt: planned + 1 } as { type: string })?.timersStarted).toEqual([
    { timer: 'tick', delayMs: 0 },
  ])
})

test('a change during a tick schedules what follows it', () => {
  const changed = contextOf(answer('firing', change))
  expect(changed).toMatchObject({ firing: { scheduledFor: planned }, nextRunAt: change.nextRunAt })
  expect(contextOf(answer('firing', fired, changed))).toMatchObject({ nextRunAt: change.nextRunAt })
})

test('a job that is disabled during a tick stays disabled', () => {
  const decision = answer('firing', fired, contextOf(answer('firing', events.disable!)))
  expect(decision).toMatchObject({ state: 'disabled', timersStarted: [] })
  expect(contextOf(decision)).toMatchObject({ enabled: false, nextRunAt: null })
})

test('a job without a next tick is disabled', () => {
  expect(contextOf(answer('firing', events.ended!))).toMatchObject({ enabled: false, nextRunAt: null })
})

test('a firing without a report is requested again, with the same tick', () => {
  const decision = answer('firing', events.firingOverdue!)
  expect(decision).toMatchObject({ moved: true, timersStarted: [{ timer: 'firingOverdue', delayMs: 10 * minute }] })
  expect(decision?.effects.map(({ name }) => name)).toEqual(['fire'])
  expect(contextOf(decision).firing).toEqual({ scheduledFor: planned, at: now })
})
