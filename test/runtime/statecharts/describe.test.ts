import { describe, expect, test } from 'bun:test'
import { createMachine, initialTransition, setup } from 'xstate'
import { charts } from '../../../machines/charts/all.ts'
import type { Chart } from '../../../machines/charts/chart.ts'
import { runChart } from '../../../machines/charts/run.ts'
import { entityChart } from '../../../machines/entity.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { toChartJson } from '../../../src/runtime/statecharts/chart-json.ts'
import { describeChart } from '../../../src/runtime/statecharts/describe.ts'
import { toMermaid } from '../../../src/runtime/statecharts/mermaid.ts'
import { listMoves } from '../../../src/runtime/statecharts/moves.ts'
import { deadlinesByState, leafOf } from '../../support/nested-states.ts'
import { ticketChart, ticketMachine } from './ticket.ts'

const all = [...charts, ticketChart].map((chart) => ({ kind: chart.machine.id, chart }))

/** The transitions without the place of their declaration. */
const rowsOf = (chart: Chart) =>
  describeChart(chart).transitions.map(({ from, event, guard, to, effects }) => ({ from, event, guard, to, effects }))

describe('transitions', () => {
  // from contract 5 and requirement 3
  const rows = [
    ['queued', 'leaseRequested', 'asPrepared', 'acquiring', []],
    ['queued', 'queueDeadline', null, 'expired', ['breakOffCalls']],
    ['acquiring', 'attemptLost', 'currentAndRetriesLeft', 'queued', ['offerToRunners']],
    ['acquiring', 'attemptLost', 'current', 'failed', ['withdrawApprovals', 'startNextInput']],
    ['starting', 'booted', 'current', 'running', []],
    ['running', 'progressed', 'current', 'running', ['keepReports']],
    ['running', 'completed', 'current', 'completed', ['releaseMachine', 'withdrawApprovals', 'startNextInput']],
    ['running', 'cancel', 'placeIfFirst', 'canceling', ['signalWorker', 'breakOffCalls']],
    [
      'running',
      'activeDeadline',
      null,
      'failed',
      ['signalWorker', 'releaseMachine', 'withdrawApprovals', 'startNextInput'],
    ],
    ['awaitingToolResult', 'continue', 'admittedWithAll', 'queued', ['withdrawApprovals', 'offerToRunners']],
    ['awaitingDelegateResult', 'awaitDeadline', null, 'expired', ['breakOffCalls']],
    ['canceling', 'cancelDeadline', null, 'canceled', ['releaseMachine', 'breakOffCalls', 'startNextInput']],
    ['completed', 'continue', 'admittedToContent', 'queued', ['offerToRunners']],
    ['canceled', 'cancel', 'placeIfFirst', 'canceled', ['startNextInput']],
  ] as const
  const { transitions, states } = describeChart(runChart)

  test.each(rows)('a run: %s, on %s, guard %p, to %s', (from, event, guard, to, effects) => {
    const expected = { from, event, guard, to, effects: [...effects] }
    expect(rowsOf(runChart).filter((row) => row.from === from && row.event === event && row.guard === guard)).toEqual([
      expected,
    ])
  })

  // by the names at the beginning of journals
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
    ['apply', ['create'], 'planned', ['takeUp']],
    ['alert', ['create'], 'ok', []],
    ['bulk-action', ['create'], 'running', ['actOnSome']],
  ])('of %s: created by %j in %s', (kind, events, to, effects) => {
    const guard = kind === 'run' ? 'admitted' : null
    const chart = all.find((one) => one.kind === kind)!.chart
    expect(rowsOf(chart).filter(({ from }) => from === null)).toEqual(
      events.map((event) => ({ from: null, event, guard, to, effects: [...effects] })),
    )
  })

  test('a transition of a group is one of each of its states, with the place of its declaration', () => {
    const declared = (event: string) =>
      transitions.flatMap((row) =>
        row.event === event ? [[row.from, row.guard, row.to, row.declaredAt, row.declaredTo]] : [],
      )
    expect(declared('attemptLost').filter(([, , , at]) => at === 'leased')).toEqual(
      ['starting', 'running'].flatMap((from) => [
        [from, 'drained', 'queued', 'leased', 'queued'],
        [from, 'currentAndRetriesLeft', 'queued', 'leased', 'queued'],
        [from, 'current', 'failed', 'leased', 'failed'],
      ]),
    )
    expect(declared('awaitDeadline')).toEqual([
      ['awaitingToolResult', null, 'expired', 'paused', 'expired'],
      ['awaitingDelegateResult', null, 'expired', 'paused', 'expired'],
    ])
    const updates = describeChart(entityChart).transitions.filter(({ event }) => event === 'entity/update')
    expect(updates.map(({ from, to, declaredAt, declaredTo }) => [from, to, declaredAt, declaredTo])).toEqual(
      ['open', 'paid', 'shipped', 'canceled'].map((state) => [state, state, 'entity/living', 'entity/living']),
    )
  })

  // the words of requirement 3: a live state, paused for a result, terminal; of requirement 4.14: resumable
  test('the states of a run are in groups', () => {
    expect(describeChart(runChart).groups).toEqual([
      { name: 'live', parent: null, states: ['queued', 'acquiring', 'starting', 'running', 'canceling'] },
      { name: 'leased', parent: 'live', states: ['starting', 'running'] },
      { name: 'paused', parent: null, states: ['awaitingToolResult', 'awaitingDelegateResult'] },
      { name: 'terminal', parent: null, states: ['completed', 'failed', 'canceled', 'expired'] },
      { name: 'resumable', parent: 'terminal', states: ['completed', 'failed', 'canceled'] },
    ])
  })

  test('a declared refusal is not a row', () => {
    expect(transitions.filter(({ from, event }) => from === 'awaitingDelegateResult' && event === 'continue')).toEqual(
      [],
    )
  })

  test('an expired run stays expired and counts the usage of late model calls; every other state has further rows', () => {
    const further = transitions.filter(({ event }) => event !== 'metered')
    expect(states.filter((state) => further.every(({ from }) => from !== state))).toEqual(['expired'])
    const ofExpired = transitions.filter(({ from }) => from === 'expired')
    expect(ofExpired.map(({ event, to }) => [event, to])).toEqual([['metered', 'expired']])
  })

  test('a row that does nothing is omitted; leaving and entering a state is part of a move', () => {
    expect(rowsOf(ticketChart)).toEqual([
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

    const delays = Object.values(deadlinesByState(xstate.states)).flat()
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
    expect(leafOf(initialTransition(machine)[0].value)).toBe(compile(chart.machine).initial.state)
  })

  test('keeps the refusals of a state, and no parameters', () => {
    const { xstate } = describeChart(runChart)
    expect(xstate.states.paused?.states?.awaitingDelegateResult?.meta).toHaveProperty('refuses.continue.status', 400)
    expect(JSON.stringify(xstate)).not.toContain('params')
  })

  test('refuses an unreadable chart', () => {
    const unnamed = setup({}).createMachine({ id: 'odd', initial: 'a', states: { a: { entry: () => {} } } })
    expect(() => toChartJson(unnamed)).toThrow('without a name')
  })
})

describe('the Mermaid diagram', () => {
  const word = '[A-Za-z_][A-Za-z0-9_]*'
  // Mermaid accepts any text as a label
  const event = '[A-Za-z0-9_/-]+'
  const grammar = {
    declared: new RegExp(`^ +(?:(${word})|state "([^"]+)" as (${word}))$`),
    group: new RegExp(`^ +state (?:(${word})|"([^"]+)" as (${word})) \\{$`),
    close: /^ +\}$/,
    moves: new RegExp(
      `^  (${word}|\\[\\*\\]) --> (${word}) : ((?:after )?${event})(?: \\[(${word})\\])?(?: / (${word}(?:, ${word})*))?$`,
    ),
    ends: new RegExp(`^  (${word}) --> \\[\\*\\]$`),
  }

  test.each(all)('$kind: every line is well-formed and matches the table', ({ chart }) => {
    const { mermaid, states, groups, transitions, xstate } = describeChart(chart)
    const [head, ...lines] = mermaid.split('\n')
    expect(head).toBe('stateDiagram-v2')
    expect(lines.pop()).toBe('')
    const nameOf = new Map<string, string>()
    const within = new Map(groups.map(({ name }) => [name, [] as string[]]))
    const around: string[] = []
    const found = { states: [] as string[], moves: [] as unknown[], ends: [] as unknown[] }
    for (const line of lines) {
      const declared = grammar.declared.exec(line)
      const group = grammar.group.exec(line)
      const ends = grammar.ends.exec(line)
      const move = grammar.moves.exec(line)
      if (declared) {
        const name = (declared[1] ?? declared[2])!
        nameOf.set((declared[1] ?? declared[3])!, name)
        found.states.push(name)
        for (const one of around) within.get(one)?.push(name)
      } else if (group) {
        const name = (group[1] ?? group[2])!
        nameOf.set((group[1] ?? group[3])!, name)
        expect(groups.find((one) => one.name === name)?.parent).toBe(around.at(-1) ?? null)
        around.push(name)
      } else if (grammar.close.test(line)) around.pop()
      else if (ends) found.ends.push(nameOf.get(ends[1]!))
      else if (move) {
        const [, from, to, event, guard = null, effects] = move
        const isDeadline = event!.startsWith('after ')
        const name = isDeadline ? event!.slice('after '.length) : event!
        const origin = from === '[*]' ? null : nameOf.get(from!)!
        // a transition out of a group leaves each of its states without its own
        const origins = groups.find((one) => one.name === origin)?.states ?? [origin]
        const timed = deadlinesByState(xstate.states)
        if (origin !== null) expect(origins.every((one) => timed[one!]?.includes(name))).toBe(isDeadline)
        const rows = transitions.filter(
          (row) =>
            origins.includes(row.from) &&
            (row.from === origin || row.declaredAt === origin) &&
            row.event === name &&
            row.guard === guard &&
            row.to === nameOf.get(to!) &&
            row.effects.join(', ') === (effects ?? ''),
        )
        expect(rows).not.toEqual([])
        found.moves.push(...rows)
      } else throw new Error(`Not Mermaid: ${line}`)
    }
    expect(around).toEqual([])
    expect(found.states).toEqual(states)
    expect(Object.fromEntries(within)).toEqual(Object.fromEntries(groups.map((group) => [group.name, group.states])))
    expect(new Set(found.moves)).toEqual(new Set(transitions))
    expect(found.moves).toHaveLength(transitions.length)
    expect(found.ends).toEqual(states.filter((state) => transitions.every(({ from }) => from !== state)))
  })

  test('a transition of a group is drawn once, from the group', () => {
    const { mermaid } = describeChart(runChart)
    expect(mermaid.match(/attemptLost \[drained\]/g)).toHaveLength(2)
    expect(mermaid).toContain(
      '  leased --> failed : attemptLost [current] / releaseMachine, withdrawApprovals, startNextInput\n',
    )
    expect(mermaid).toContain('  paused --> expired : after awaitDeadline / breakOffCalls\n')
  })

  test('names that Mermaid reserves or cannot parse are replaced', () => {
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
