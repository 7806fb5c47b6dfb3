/** The compiled table and XState make the same decisions. XState is the definition; the table is what runs. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type AnyEventObject,
  type AnyStateMachine,
  assign,
  initialTransition,
  type StateValue,
  setup,
  transition,
} from 'xstate'
import { effect } from '../../../machines/words.ts'
import { eventName } from '../../../src/runtime/decisions/acts.ts'
import { begin, type Decision, decide } from '../../../src/runtime/decisions/decide.ts'
import { pathOf } from '../../../src/runtime/decisions/nesting.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { leafNode, leafNodes, leafOf, stateValueOf } from '../../support/nested-states.ts'
import { context, count, moment, payload, run, runEvents, runStates, stamped } from '../run-arbitraries.ts'

type Context = Record<string, unknown>
type Snapshot = ReturnType<typeof initialTransition>[0]

/** XState's decision in the terms of the table. */
function inOurWords(next: Snapshot, actions: ReturnType<typeof initialTransition>[1]) {
  const { value, context } = next as unknown as { value: StateValue; context: Context }
  const effects: Decision['effects'] = []
  const timersStarted: Decision['timersStarted'] = []
  const timersCanceled: string[] = []
  for (const { type, params } of actions) {
    const given = params as { event?: { type: string }; delay?: number; sendId?: string }
    if (type === 'xstate.raise')
      timersStarted.push({ timer: eventName(given.event?.type ?? ''), delayMs: given.delay as number })
    else if (type === 'xstate.cancel') timersCanceled.push(eventName(given.sendId ?? ''))
    else effects.push({ name: type, params })
  }
  return { state: leafOf(value), context, effects, timersStarted, timersCanceled }
}

/** The deadlines of a state by XState's name and ours. */
const deadlinesOf = (machine: AnyStateMachine, state: string): string[] =>
  pathOf(leafNode(machine, state)).flatMap(({ after }) => after.map(({ eventType }) => eventType))

/** Decides with XState and with the table, and compares all results. */
function compare(machine: AnyStateMachine, state: string, context: Context, event: AnyEventObject) {
  const table = compile(machine)
  const snapshot = machine.resolveState({ value: stateValueOf(machine, state), context })
  const ours = decide(table, state, context, { ...event, type: eventName(event.type) })
  expect(ours !== undefined).toBe(snapshot.can(event))

  const theirs = inOurWords(...transition(machine, snapshot, event))
  if (!ours) {
    expect(theirs).toEqual({ state, context, effects: [], timersStarted: [], timersCanceled: [] })
    return
  }
  const { moved, ...decided } = ours
  // Leaving a state ends all of its deadlines; the runtime deletes them together.
  const ended = new Set<string>(moved ? deadlinesOf(machine, state).map(eventName) : [])
  const { timersCanceled, ...expected } = theirs
  expect(decided).toEqual(expected)
  expect(new Set(timersCanceled)).toEqual(ended)
}

describe('the run', () => {
  test.each(runStates)('is decided alike while %s, for any event and any history', (state) => {
    const own: string[] = deadlinesOf(run, state)
    for (const type of runEvents) {
      // Two states may use the same name for their deadlines; a timer is never another state's, since leaving a state
      // ends its timers.
      if (!own.includes(type) && own.map(eventName).includes(eventName(type))) continue
      fc.assert(
        fc.property(context, payload, stamped, (before, carried, stamp) =>
          compare(run, state, before, { ...carried, ...stamp, type }),
        ),
        { numRuns: 12 },
      )
    }
  })

  test('begins alike', () => {
    const table = compile(run)
    fc.assert(
      fc.property(count, moment, (maxRetries, at) => {
        const { timersCanceled, ...theirs } = inOurWords(...initialTransition(run, { maxRetries, at }))
        const { moved, ...ours } = begin(table, { maxRetries, at })
        expect(ours).toEqual(theirs)
        expect({ moved, timersCanceled }).toEqual({ moved: true, timersCanceled: [] })
      }),
    )
  })

  test('has the same states, events and deadlines', () => {
    const table = compile(run)
    expect(table.states).toEqual(runStates)
    for (const state of runStates) {
      const declared = pathOf(leafNode(run, state)).flatMap(({ transitions }) => [...transitions.keys()])
      expect([...(table.rows.get(state)?.keys() ?? [])]).toEqual([...new Set(declared.map(eventName))])
    }
  })
})

describe('features that a run does not use', () => {
  const chart = setup({
    types: { context: {} as { n: number; last: string }, events: {} as AnyEventObject },
    guards: { small: ({ context }) => context.n < 3, never: () => false },
    delays: { soon: ({ context }) => context.n * 10, later: 500 },
    actions: {
      add: assign(({ context }, params: { by: number }) => ({ n: context.n + params.by })),
      set: assign({ n: 7, last: (_, params: { to: string }) => params.to }),
      say: effect as (_: unknown, params: { n: number }) => void,
      shout: effect,
    },
  }).createMachine({
    id: 'odd-one',
    context: { n: 1, last: '' },
    initial: 'one',
    states: {
      one: {
        entry: [
          { type: 'add', params: ({ context }) => ({ by: context.n }) },
          { type: 'say', params: ({ context }) => ({ n: context.n }) },
        ],
        exit: ['shout', { type: 'add', params: { by: 100 } }],
        after: { soon: { target: 'two' }, later: { target: 'one', reenter: true }, 2000: { actions: 'shout' } },
        on: {
          go: { target: 'two', actions: { type: 'say', params: ({ context }) => ({ n: context.n }) } },
          again: { target: 'one', reenter: true },
          stay: { target: 'one', actions: 'shout' },
          quiet: {},
          forbidden: undefined,
          never: { target: 'two', guard: 'never' },
          choose: [{ guard: 'small' }, { target: 'two' }],
          inline: { actions: assign({ last: ({ event }) => String(event.type) }) },
          set: { actions: { type: 'set', params: ({ context }) => ({ to: `after ${context.n}` }) } },
        },
      },
      two: { entry: { type: 'say', params: { n: 0 } }, on: { back: 'one' } },
    },
  })
  const types = [
    ...(chart.states.one as unknown as { transitions: Map<string, unknown> }).transitions.keys(),
    'back',
    'unknown',
  ]

  test.each(types)('%s is decided alike', (type) => {
    for (const n of [0, 2, 3, 50]) for (const state of ['one', 'two']) compare(chart, state, { n, last: '' }, { type })
  })
  test('begins alike', () => {
    const { timersCanceled: _, ...theirs } = inOurWords(...initialTransition(chart, undefined))
    const { moved: __, ...ours } = begin(compile(chart), undefined)
    expect(ours).toEqual(theirs)
  })
})

describe('states within groups', () => {
  const say = (from: string) => ({ type: 'say', params: { from } }) as const
  const nested = setup({
    types: { context: {} as { n: number }, events: {} as AnyEventObject },
    guards: { small: ({ context }) => context.n < 3, never: () => false },
    delays: { patience: 100, soon: ({ context }) => context.n * 10 },
    actions: { add: assign(({ context }) => ({ n: context.n + 1 })), say: (_, _params: { from: string }) => {} },
  }).createMachine({
    id: 'nested',
    context: { n: 0 },
    initial: 'outer',
    states: {
      outer: {
        entry: [say('outer entry'), 'add'],
        exit: say('outer exit'),
        initial: 'inner',
        on: {
          leave: { target: 'away', actions: say('leave') },
          inside: { target: '.two', actions: say('inside') },
          anew: { target: '.two', reenter: true },
          count: { actions: 'add' },
          choose: [{ guard: 'small', target: '#asleep' }, { actions: say('chosen') }],
          refused: { target: 'away' },
        },
        states: {
          inner: {
            entry: say('inner entry'),
            exit: say('inner exit'),
            initial: 'one',
            on: { count: { guard: 'never' }, across: '#two', round: { target: '.one' } },
            states: {
              one: {
                entry: say('one entry'),
                exit: say('one exit'),
                after: { soon: '#two' },
                on: {
                  next: 'other',
                  choose: { guard: 'never', target: 'other' },
                  refused: undefined,
                  leave: '#asleep',
                },
              },
              other: { exit: ['add', say('other exit')], on: { again: { target: 'other', reenter: true } } },
            },
          },
          two: {
            id: 'two',
            entry: say('two entry'),
            on: { back: '#nested.outer.inner.other', self: { target: 'two' } },
          },
        },
      },
      waiting: {
        entry: say('waiting entry'),
        exit: say('waiting exit'),
        after: { patience: { target: 'away', actions: say('patience') } },
        initial: 'asleep',
        states: { asleep: { id: 'asleep', on: { wake: '#two' } } },
      },
      away: { on: { sleep: '#asleep' } },
    },
  })
  const states = leafNodes(nested).map(({ key }) => key)
  const types = [
    ...new Set(leafNodes(nested).flatMap((leaf) => pathOf(leaf).flatMap(({ transitions }) => [...transitions.keys()]))),
    'unknown',
  ]

  test.each(types)('%s is decided alike', (type) => {
    for (const state of states) {
      const own = deadlinesOf(nested, state)
      if (!own.includes(type) && own.map(eventName).includes(eventName(type))) continue
      for (const n of [0, 2, 3]) compare(nested, state, { n }, { type })
    }
  })
  test('begins alike, in the innermost state', () => {
    const { timersCanceled: _, ...theirs } = inOurWords(...initialTransition(nested, undefined))
    const { moved: __, ...ours } = begin(compile(nested), undefined)
    expect(ours).toEqual(theirs)
    expect(ours.state).toBe('one')
  })
  test('the table has the innermost states, and the members of each group', () => {
    const { states: all, groups } = compile(nested)
    expect(all).toEqual(['one', 'other', 'two', 'asleep', 'away'])
    expect(groups).toEqual([
      { name: 'outer', parent: null, states: ['one', 'other', 'two'] },
      { name: 'inner', parent: 'outer', states: ['one', 'other'] },
      { name: 'waiting', parent: null, states: ['asleep'] },
    ])
  })
})
