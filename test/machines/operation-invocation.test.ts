import { describe, expect, test } from 'bun:test'
import {
  createInvocationMachine,
  type InvocationContext,
  invocationStates,
} from '../../machines/operation-invocation.ts'
import { begin, type Decision, decide } from '../../src/runtime/decisions/decide.ts'
import { compile } from '../../src/runtime/decisions/table.ts'
import { refusalOf } from '../../src/runtime/decisions/turn.ts'
import { movesOf } from './move-table.ts'

/**
 * From contract 6: states in rows, events in columns. The entry is the next state, `.` 409. The late ones are
 * reports of an earlier execution, `gone` a process that has ended after it sent the call, `idle` one that had sent
 * nothing, `again` one with a repeatable call, `ofStep` the resolution of a call by a step of a workflow run.
 */
const rows = `
                  approve  reject    withdraw  cancel    approvalDeadline  sending  performed  failed  lost     late  lateFailed  lateLost  gone     idle     again    ours  resolve    noEffect  ofStep
pending_approval  running  rejected  rejected  rejected  rejected          .        .          .       .        .     .           .         .        .        .        .     .          .         .
running           .        .         .         running   .                 running  succeeded  failed  unknown  .     .           .         unknown  running  running  .     .          .         .
succeeded         .        .         .         .         .                 .        .          .       .        .     .           .         .        .        .        .     .          .         .
failed            .        .         .         .         .                 .        .          .       .        .     .           .         .        .        .        .     .          .         .
rejected          .        .         .         .         .                 .        .          .       .        .     .           .         .        .        .        .     .          .         .
unknown           .        .         .         .         .                 .        .          .       .        .     .           .         .        .        .        .     succeeded  failed    .
`
const { cells } = movesOf(rows)

const at = 1_000_000
const hour = 3_600_000
const input = { repeatable: false, awaited: false, performer: 'here' }
const table = compile(createInvocationMachine())
const atOnce = compile(createInvocationMachine(undefined, 'running'))
const pending = begin(table, input)
const running = begin(atOnce, input)
const cause = { code: 'tool_error', message: 'No.' }

const events: Record<string, { type: string } & Record<string, unknown>> = {
  approve: { type: 'approve', performer: 'here' },
  reject: { type: 'reject' },
  withdraw: { type: 'withdraw' },
  cancel: { type: 'cancel' },
  approvalDeadline: { type: 'approvalDeadline' },
  sending: { type: 'sending', performance: 1 },
  performed: { type: 'performed', performance: 1, output: 1 },
  failed: { type: 'failed', performance: 1, cause, conflict: null },
  lost: { type: 'lost', performance: 1, cause },
  late: { type: 'performed', performance: 0, output: 1 },
  lateFailed: { type: 'failed', performance: 0, cause, conflict: null },
  lateLost: { type: 'lost', performance: 0, cause },
  gone: { type: 'performerLost', performer: 'elsewhere' },
  idle: { type: 'performerLost', performer: 'elsewhere' },
  again: { type: 'performerLost', performer: 'elsewhere' },
  ours: { type: 'performerLost', performer: 'here' },
  resolve: { type: 'resolve', outcome: 'succeeded' },
  noEffect: { type: 'resolve', outcome: 'failed' },
  ofStep: { type: 'resolve', outcome: 'succeeded', ofStep: true },
}
/** What is known of the call before the event. */
const known: Record<string, Partial<InvocationContext>> = {
  gone: { unsent: null },
  idle: { unsent: 1 },
  again: { unsent: null, repeatable: true },
}
const context = (decision: Decision | undefined) => decision?.context as unknown as InvocationContext
const send = (state: string, event: string, changes: Partial<InvocationContext> & { note?: string } = {}) => {
  const { note, ...rest } = changes
  const before = state === 'pending_approval' ? pending.context : running.context
  const given = { ...before, ...known[event], ...rest }
  return decide(table, state, given, { ...events[event]!, at: at + 1, chance: 0, ...(note ? { note } : {}) })
}
const names = (decision: Decision | undefined) => decision?.effects.map(({ name }) => name)

test.each(cells)('$given, on $event: $next', ({ given, event, next }) => {
  expect(send(given, event)?.state ?? '.').toBe(next)
})

test('the rows name every state and every event of the machine', () => {
  expect([...new Set(cells.map(({ given }) => given))]).toEqual([...table.states])
  expect([...table.states]).toEqual([...invocationStates])
  const named = new Set(Object.values(events).map(({ type }) => type))
  expect([...new Set([...table.rows.values()].flatMap((row) => [...row.keys()]))].sort()).toEqual([...named].sort())
})

describe('its beginning', () => {
  test('with an approval: it is not executed, and the approval expires after 72 hours', () => {
    expect(pending).toMatchObject({ state: 'pending_approval', effects: [] })
    expect(pending.timersStarted).toEqual([{ timer: 'approvalDeadline', delayMs: 72 * hour }])
    expect(context(pending)).toMatchObject({ approval: 'pending', performer: null })
  })
  test('without one: it is executed at once, without a deadline', () => {
    expect(running).toMatchObject({ state: 'running', timersStarted: [] })
    expect(running.effects).toEqual([{ name: 'perform', params: { performance: 1 } }])
    expect(context(running)).toMatchObject({ approval: null, performer: 'here', performances: 1 })
  })
})

describe('the decision', () => {
  test.each([
    ['approve', 'approved', null],
    ['reject', 'rejected', 'approval_rejected'],
    ['withdraw', 'canceled', 'approval_canceled'],
    ['cancel', 'canceled', 'call_canceled'],
    ['approvalDeadline', 'expired', 'approval_expired'],
  ] as const)('%s: the approval is %s', (event, approval, code) => {
    const after = send('pending_approval', event)
    expect(context(after)).toMatchObject({ approval, decidedAt: at + 1 })
    expect(context(after).cause?.code ?? null).toBe(code)
    expect(names(after)).toContain('tellOrigin')
  })
  test('after an approval, the process that stores the decision executes it', () => {
    const after = send('pending_approval', 'approve')
    expect(context(after)).toMatchObject({ performer: 'here', performances: 1 })
    expect(after?.effects).toContainEqual({ name: 'perform', params: { performance: 1 } })
    expect(after?.timersStarted).toEqual([])
  })
  test('the note of a rejection is part of the reason', () => {
    expect(context(send('pending_approval', 'reject', { note: 'Too dear' })).cause?.message).toBe(
      'The call was not approved: Too dear',
    )
  })
})

describe('who is notified of the end', () => {
  test.each(['performed', 'failed', 'lost', 'gone'])('%s: only those that wait for it', (event) => {
    expect(names(send('running', event))).toEqual([])
    expect(names(send('running', event, { awaited: true }))).toEqual(['tellOrigin'])
  })
})

describe('an invocation that is canceled during its execution', () => {
  const canceled = send('running', 'cancel')
  test('is aborted, and continues until its outcome is reported', () => {
    expect([canceled?.moved, names(canceled)]).toEqual([false, ['breakOff']])
    expect(context(canceled)).toMatchObject({ canceled: true, performances: 1 })
    for (const [event, state] of [
      ['performed', 'succeeded'],
      ['failed', 'failed'],
      ['lost', 'unknown'],
    ] as const) {
      expect(send('running', event, { canceled: true })?.state).toBe(state)
    }
  })
  test('is still to be aborted when another process takes it over', () => {
    expect(context(send('running', 'again', { canceled: true }))).toMatchObject({ canceled: true, performances: 2 })
  })
})

test('a repeatable call is taken over by another process, with a new execution number', () => {
  const after = send('running', 'again')
  expect(after?.moved).toBe(true)
  expect(context(after)).toMatchObject({ performer: 'elsewhere', performances: 2 })
  expect(after?.effects).toEqual([{ name: 'perform', params: { performance: 2 } }])
  expect(decide(table, 'running', after!.context, { ...events.performed!, at, chance: 0 })).toBeUndefined()
})

describe('a call that must not be repeated, and was not sent when its process died', () => {
  const after = send('running', 'idle')
  test('is made by another process, with a new execution number', () => {
    expect(after?.moved).toBe(true)
    expect(context(after)).toMatchObject({ performer: 'elsewhere', performances: 2, unsent: 2, cause: null })
    expect(after?.effects).toEqual([{ name: 'perform', params: { performance: 2 } }])
  })
  test('is refused to the process that was taken for dead', () => {
    expect(decide(table, 'running', after!.context, { ...events.sending!, at, chance: 0 })).toBeUndefined()
  })
  test('is announced once more if the answer to its announcement was lost, and then never made again', () => {
    const announced = send('running', 'sending')
    expect([announced?.moved, announced?.effects, context(announced).unsent]).toEqual([false, [], null])
    const again = decide(table, 'running', announced!.context, { ...events.sending!, at, chance: 0 })
    expect([again?.state, context(again).unsent]).toEqual(['running', null])
    expect(decide(table, 'running', again!.context, { ...events.gone!, at, chance: 0 })?.state).toBe('unknown')
  })
  test('is known only of executions that announce what they send', () => {
    const { unsent: _, ...earlier } = running.context as unknown as InvocationContext
    // of a server of an earlier version, and one that such a server has taken on
    for (const given of [earlier, { ...earlier, unsent: 1, performances: 2 }]) {
      const decision = decide(table, 'running', given as never, { ...events.gone!, at, chance: 0 })
      expect(decision?.state).toBe('unknown')
    }
  })
  test('keeps its cancellation', () => {
    expect(context(send('running', 'idle', { canceled: true }))).toMatchObject({ canceled: true, performances: 2 })
  })
  test('after an approval it is not sent either', () => {
    expect(context(send('pending_approval', 'approve')).unsent).toBe(1)
  })
  test('is nothing that is kept of a repeatable call', () => {
    expect(context(begin(atOnce, { ...input, repeatable: true })).unsent).toBeNull()
    expect(context(send('running', 'again')).unsent).toBeNull()
  })
})

test('a resolution notifies nobody, and says why there is no output', () => {
  const unknown = { cause, awaited: true }
  const found = send('unknown', 'resolve', unknown)
  expect([names(found), context(found).cause]).toEqual([[], null])
  const failed = send('unknown', 'noEffect', { ...unknown, note: 'The invoice is not there' })
  expect(names(failed)).toEqual([])
  expect(context(failed).cause?.message).toBe('The call had no effect: The invoice is not there')
})

test('the call of a step is resolved with its workflow run, and says so', () => {
  const step = { ...events.ofStep!, at, chance: 0 }
  for (const outcome of ['succeeded', 'failed']) {
    expect(decide(table, 'unknown', running.context, { ...step, outcome })).toBeUndefined()
  }
  const refusal = refusalOf({ table, context: running.context, state: 'unknown' }, step)
  expect(refusal).toMatchObject({ status: 409, code: 'invalid_transition', details: { currentState: 'unknown' } })
  expect(refusal.message).toContain('resolve-unknown')
})

test('a call that must not be repeated is unknown, and says so', () => {
  expect(context(send('running', 'gone')).cause).toMatchObject({ code: 'outcome_unknown' })
})

test('a refusal keeps the state of the refused resource', () => {
  const after = decide(table, 'running', running.context, {
    ...events.failed!,
    conflict: 'closed',
    at,
    chance: 0,
  })
  expect(context(after)).toMatchObject({ cause, conflict: 'closed' })
})
