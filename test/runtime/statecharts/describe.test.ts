import { describe, expect, test } from 'bun:test'
import { createMachine, initialTransition, setup } from 'xstate'
import { charts } from '../../../machines/charts/all.ts'
import { runChart } from '../../../machines/charts/run.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { toChartJson } from '../../../src/runtime/statecharts/chart-json.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { toMermaid } from '../../../src/runtime/statecharts/mermaid.ts'
import { listMoves } from '../../../src/runtime/statecharts/moves.ts'
import { ticketChart, ticketMachine } from './ticket.ts'

const all = [...charts, ticketChart].map((chart) => ({ kind: chart.machine.id, chart }))

describe('transitions', () => {
  // typed from contract 5 and requirement 3
  const rows = [
    ['queued', 'leaseRequested', null, 'acquiring', []],
    ['queued', 'queueDeadline', null, 'expired', ['breakOffCalls']],
    ['acquiring', 'attemptLost', 'currentAndRetriesLeft', 'queued', ['offerToRunners']],
    ['acquiring', 'attemptLost', 'current', 'failed', ['withdrawApprovals']],
    ['starting', 'booted', 'current', 'running', []],
    ['running', 'progressed', 'current', 'running', ['keepReports']],
    ['running', 'completed', 'current', 'completed', ['releaseMachine', 'withdrawApprovals']],
    ['running', 'cancel', null, 'canceling', ['signalWorker', 'breakOffCalls']],
    ['running', 'activeDeadline', null, 'failed', ['signalWorker', 'releaseMachine', 'withdrawApprovals']],
    ['awaitingToolResult', 'continue', 'admittedWithAll', 'queued', ['withdrawApprovals', 'offerToRunners']],
    ['awaitingDelegateResult', 'awaitDeadline', null, 'expired', ['breakOffCalls']],
    ['canceling', 'cancelDeadline', null, 'canceled', ['releaseMachine', 'breakOffCalls']],
    ['completed', 'continue', 'admittedToContent', 'queued', ['offerToRunners']],
    ['canceled', 'cancel', null, 'canceled', []],
  ] as const
  const { transitions, states } = describeChart(runChart)

  test.each(rows)('a run: %s, on %s, guard %p, to %s', (from, event, guard, to, effects) => {
    const expected = { from, event, guard, to, effects: [...effects] }
    expect(transitions.filter((row) => row.from === from && row.event === event && row.guard === guard)).toEqual([
      expected,
    ])
  })

  // by the names that journals begin with
  test.each([
    ['run', ['start'], 'queued', ['offerToRunners']],
    ['environment', ['create'], 'provisioning', []],
    ['deployment', ['create'], 'queued', ['takeUp']],
    ['delivery', ['create', 'replay', 'test'], 'pending', []],
    ['operation-invocation', ['invoke'], 'pending_approval', []],
    ['agent-job', ['create'], 'disabled', []],
    ['workflow-run', ['start'], 'running', ['beginSteps']],
    ['deletion', ['delete'], 'draining', ['endRuns']],
    ['integration', ['register'], 'active', []],
    ['entity', ['create'], 'open', []],
    ['subscription', ['create'], 'none', []],
    ['webhook-recovery', ['create'], 'running', ['recoverSome']],
  ])('of %s: born by %j in %s', (kind, events, to, effects) => {
    const guard = kind === 'run' ? 'admitted' : null
    const chart = all.find((one) => one.kind === kind)!.chart
    expect(describeChart(chart).transitions.filter(({ from }) => from === null)).toEqual(
      events.map((event) => ({ from: null, event, guard, to, effects: [...effects] })),
    )
  })

  test('a declared refusal is not a row', () => {
    expect(transitions.filter(({ from, event }) => from === 'awaitingDelegateResult' && event === 'continue')).toEqual(
      [],
    )
  })

  test('an expired run has no row, and every other state has one', () => {
    expect(states.filter((state) => transitions.every(({ from }) => from !== state))).toEqual(['expired'])
  })

  test('a row that does nothing is none; leaving and entering a state is part of a move', () => {
    expect(describeChart(ticketChart).transitions).toEqual([
      { from: null, event: 'create', guard: null, to: 'draft', effects: [] },
      { from: 'draft', event: 'submit', guard: null, to: 'in-review', effects: ['announce'] },
      { from: 'draft', event: 'note', guard: null, to: 'draft', effects: [] },
      { from: 'in-review', event: 'approve', guard: 'tagged', to: 'open', effects: ['stopClock', 'tell', 'announce'] },
      { from: 'in-review', event: 'reject', guard: null, to: 'draft', effects: ['stopClock'] },
      { from: 'in-review', event: 'reviewDeadline', guard: null, to: 'draft', effects: ['stopClock'] },
      { from: 'open', event: 'park', guard: null, to: 'note', effects: [] },
      { from: 'open', event: 'close', guard: null, to: 'closed', effects: [] },
      { from: 'open', event: 'note', guard: null, to: 'open', effects: ['announce'] },
      { from: 'open', event: 'scribble', guard: null, to: 'open', effects: [] },
      { from: 'note', event: 'resume', guard: null, to: 'open', effects: ['announce'] },
    ])
  })
})

describe('the JSON config', () => {
  /** Every name under a key, anywhere in the config. */
  const namesUnder = (value: unknown, keys: string[]): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, inner]) =>
          keys.includes(key) ? [inner].flat().map((item) => (item as { type: string }).type) : namesUnder(inner, keys),
        )
  const dummies = <Value>(names: string[], value: Value) => Object.fromEntries(names.map((name) => [name, value]))

  test.each(all)('$kind: createMachine makes the same chart of it', ({ chart }) => {
    const { xstate, states, transitions } = describeChart(chart)
    const text = JSON.stringify(xstate)
    expect(JSON.parse(text)).toEqual(xstate)

    const delays = Object.values(xstate.states).flatMap(({ after = {} }) => Object.keys(after))
    const machine = createMachine(JSON.parse(text), {
      actions: dummies(namesUnder(xstate, ['actions', 'entry', 'exit']), () => {}),
      guards: dummies(namesUnder(xstate, ['guard']), () => true),
      delays: dummies(delays, 1_000),
    })
    const table = compile(machine)
    const effects = new Set(transitions.flatMap((move) => move.effects))
    // computed changes of the context are actions like any other here
    const moves = listMoves(table).map((move) => ({
      ...move,
      effects: move.effects.filter((name) => effects.has(name)),
    }))

    expect([...table.states]).toEqual(states)
    expect(moves).toEqual(transitions)
    expect(machine.version).toBe(chart.machine.version)
    expect(initialTransition(machine)[0].value).toBe(compile(chart.machine).initial.state)
  })

  test('keeps what a state refuses, and no parameters', () => {
    const { xstate } = describeChart(runChart)
    expect(xstate.states.awaitingDelegateResult?.meta).toHaveProperty('refuses.continue.status', 400)
    expect(JSON.stringify(xstate)).not.toContain('params')
  })

  test('refuses a chart that nobody could read', () => {
    const unnamed = setup({}).createMachine({ id: 'odd', initial: 'a', states: { a: { entry: () => {} } } })
    expect(() => toChartJson(unnamed)).toThrow('without a name')
  })
})

describe('the Mermaid diagram', () => {
  const word = '[A-Za-z_][A-Za-z0-9_]*'
  // Mermaid takes any text for a label
  const event = '[A-Za-z0-9_/-]+'
  const grammar = {
    declared: new RegExp(`^  (?:(${word})|state "([^"]+)" as (${word}))$`),
    moves: new RegExp(
      `^  (${word}|\\[\\*\\]) --> (${word}) : ((?:after )?${event})(?: \\[(${word})\\])?(?: / (${word}(?:, ${word})*))?$`,
    ),
    ends: new RegExp(`^  (${word}) --> \\[\\*\\]$`),
  }

  test.each(all)('$kind: every line is well-formed and says what the table says', ({ chart }) => {
    const { mermaid, states, transitions, xstate } = describeChart(chart)
    const [head, ...lines] = mermaid.split('\n')
    expect(head).toBe('stateDiagram-v2')
    expect(lines.pop()).toBe('')
    const stateOf = new Map<string, string>()
    const found: Record<string, unknown[]> = { moves: [], ends: [] }
    for (const line of lines) {
      const declared = grammar.declared.exec(line)
      const ends = grammar.ends.exec(line)
      const move = grammar.moves.exec(line)
      if (declared) stateOf.set((declared[1] ?? declared[3])!, (declared[1] ?? declared[2])!)
      else if (ends) found.ends!.push(stateOf.get(ends[1]!))
      else if (move) {
        const [, from, to, event, guard = null, effects] = move
        const deadline = event!.startsWith('after ')
        const name = deadline ? event!.slice('after '.length) : event
        expect(Object.keys(xstate.states[stateOf.get(from!) ?? '']?.after ?? {}).includes(name!)).toBe(deadline)
        found.moves!.push({
          from: from === '[*]' ? null : stateOf.get(from!),
          event: name,
          guard,
          to: stateOf.get(to!),
          effects: effects?.split(', ') ?? [],
        })
      } else throw new Error(`Not Mermaid: ${line}`)
    }
    expect([...stateOf.values()]).toEqual(states)
    expect(found).toEqual({
      moves: transitions,
      ends: states.filter((state) => transitions.every(({ from }) => from !== state)),
    })
  })

  test('names that Mermaid keeps to itself, or cannot read, are given others', () => {
    const chart = setup({}).createMachine({
      id: 'names',
      initial: 'state',
      states: { state: {}, 'a-b': {}, a_b: {}, '2nd': {}, End: {} },
    })
    expect(toMermaid(compile(chart)).split('\n').slice(1, 6)).toEqual([
      '  state "state" as state_',
      '  state "a-b" as a_b',
      '  state "a_b" as a_b_',
      '  state "2nd" as _2nd',
      '  state "End" as End_',
    ])
    expect(toMermaid(compile(ticketMachine))).toContain('  note_ --> open : resume / announce\n')
  })
})
