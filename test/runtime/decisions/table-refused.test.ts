/** Statecharts that cannot be compiled, and the reasons. */
import { describe, expect, test } from 'bun:test'
import {
  type AnyEventObject,
  type AnyStateMachine,
  and,
  cancel,
  createMachine,
  emit,
  enqueueActions,
  raise,
  setup,
} from 'xstate'
import { effect } from '../../../machines/words.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'

describe('a chart that the table cannot express is refused at the start', () => {
  const named = setup({
    types: { events: {} as AnyEventObject },
    actions: {
      both: enqueueActions(() => {}),
      tell: emit({ type: 'told' }),
      shout: effect,
      again: raise({ type: 'go' }),
    },
    guards: { yes: () => true, combined: and(['yes']), takes: (_, _params) => true },
    delays: { soon: 5 },
  })
  const charts: [string, AnyStateMachine, RegExp][] = [
    [
      'a parallel state within a group',
      createMachine({
        initial: 'a',
        states: { a: { initial: 'b', states: { b: { type: 'parallel', states: { c: {} } } } } },
      }),
      /state b is parallel/,
    ],
    [
      'a move to a group',
      createMachine({ initial: 'a', states: { a: { on: { go: 'b' } }, b: { initial: 'c', states: { c: {} } } } }),
      /state a moves to .+b, which is not one of its states/,
    ],
    [
      'a move within a group with a deadline, which would restart',
      named.createMachine({
        initial: 'a',
        states: { a: { after: { soon: 'd' }, initial: 'b', states: { b: { on: { go: 'c' } }, c: {} } }, d: {} },
      }),
      /group a has a deadline, and moves within it/,
    ],
    [
      "a deadline of a state with the name of its group's",
      named.createMachine({
        initial: 'a',
        states: { a: { after: { soon: 'd' }, initial: 'b', states: { b: { after: { soon: '#d' } } } }, d: { id: 'd' } },
      }),
      /state b has two rows named soon/,
    ],
    [
      'two states with the same name',
      createMachine({ initial: 'a', states: { a: { initial: 'b', states: { b: {} } }, b: {} } }),
      /two states named b/,
    ],
    [
      'an action before the first state of a group',
      named.createMachine({
        initial: 'a',
        states: { a: { initial: { target: 'b', actions: 'shout' }, states: { b: {} } } },
      }),
      /group a acts before/,
    ],
    [
      'a wildcard of a group',
      createMachine({ initial: 'a', states: { a: { on: { '*': 'd' }, initial: 'b', states: { b: {} } }, d: {} } }),
      /state a has a wildcard/,
    ],
    [
      'a parallel state',
      createMachine({ initial: 'a', states: { a: { type: 'parallel', states: { b: {} } } } }),
      /state a is parallel/,
    ],
    ['a parallel chart', createMachine({ type: 'parallel', states: { a: {}, b: {} } }), /is parallel, not a choice/],
    ['no states', createMachine({}), /is atomic, not a choice/],
    ['a final state', createMachine({ initial: 'a', states: { a: { type: 'final' } } }), /state a is final/],
    [
      'a history state',
      createMachine({ initial: 'a', states: { a: {}, h: { type: 'history' } } }),
      /state h is history/,
    ],
    ['an invocation', createMachine({ initial: 'a', states: { a: { invoke: { src: 'x' } } } }), /state a invokes/],
    [
      'a transition without an event',
      createMachine({ initial: 'a', states: { a: { always: 'b' }, b: {} } }),
      /moves by itself/,
    ],
    [
      'a wildcard',
      createMachine({ initial: 'a', states: { a: { on: { '*': 'b' } }, b: {} } }),
      /state a has a wildcard/,
    ],
    [
      'a partial wildcard',
      createMachine({ initial: 'a', states: { a: { on: { 'x.*': 'b' } }, b: {} } }),
      /has a wildcard/,
    ],
    [
      'transitions of the root',
      createMachine({ initial: 'a', states: { a: {} }, on: { go: '.a' } }),
      /outside its states/,
    ],
    [
      'an entry action of the root',
      named.createMachine({ entry: 'shout', initial: 'a', states: { a: {} } }),
      /outside its states/,
    ],
    [
      'an action before its first state',
      named.createMachine({ initial: { target: 'a', actions: 'shout' }, states: { a: {} } }),
      /acts before/,
    ],
    [
      'an action without a name',
      createMachine({ initial: 'a', states: { a: { entry: () => {} } } }),
      /has no name of its own/,
    ],
    ['an unknown action', createMachine({ initial: 'a', states: { a: { entry: 'x' } } }), /action x is neither/],
    [
      'enqueueActions',
      named.createMachine({ initial: 'a', states: { a: { entry: 'both' } } }),
      /action both is neither/,
    ],
    [
      'enqueueActions in place',
      createMachine({ initial: 'a', states: { a: { entry: enqueueActions(() => {}) } } }),
      /written in place/,
    ],
    [
      'an emitted event',
      named.createMachine({ initial: 'a', states: { a: { entry: 'tell' } } }),
      /action tell is neither/,
    ],
    [
      'a raised event',
      named.createMachine({ initial: 'a', states: { a: { entry: 'again' } } }),
      /action again is neither/,
    ],
    [
      'a raised event in place',
      createMachine({ initial: 'a', states: { a: { entry: raise({ type: 'go' }, { delay: 5 }) } } }),
      /uses xstate\.raise/,
    ],
    [
      'a cancel in place',
      createMachine({ initial: 'a', states: { a: { entry: cancel('go') } } }),
      /uses xstate\.cancel/,
    ],
    [
      'a combined guard',
      named.createMachine({ initial: 'a', states: { a: { on: { go: { target: 'a', guard: 'combined' } } } } }),
      /guard combined is not/,
    ],
    [
      'a combined guard in place',
      createMachine({ initial: 'a', states: { a: { on: { go: { target: 'a', guard: and([]) } } } } }),
      /guard without a name/,
    ],
    [
      'a guard without a name',
      createMachine({ initial: 'a', states: { a: { on: { go: { target: 'a', guard: () => true } } } } }),
      /guard without a name/,
    ],
    [
      'a guard with parameters',
      named.createMachine({
        initial: 'a',
        states: { a: { on: { go: { target: 'a', guard: { type: 'takes', params: { n: 1 } } } } } },
      }),
      /guard takes is not/,
    ],
    [
      'an unknown guard',
      createMachine({ initial: 'a', states: { a: { on: { go: { target: 'a', guard: 'x' } } } } }),
      /guard x is not/,
    ],
    ['an unknown delay', createMachine({ initial: 'a', states: { a: { after: { x: 'a' } } } }), /delay x is unknown/],
    [
      'an event with the name of a deadline',
      named.createMachine({ initial: 'a', states: { a: { on: { soon: 'a' }, after: { soon: 'a' } } } }),
      /two rows named soon/,
    ],
    [
      'a move to the chart itself',
      createMachine({ id: 'top', initial: 'a', states: { a: { on: { go: '#top' } } } }),
      /not one of its states/,
    ],
  ]
  test.each(charts)('%s', (_, machine, message) => {
    expect(() => compile(machine)).toThrow(message)
    expect(() => compile(machine)).toThrow(/^The statechart .+ cannot be compiled: /)
  })
})
