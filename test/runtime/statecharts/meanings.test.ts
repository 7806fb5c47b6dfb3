/** Statecharts describe themselves: every name in every public one, over the API. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { setup } from 'xstate'
import { charts } from '../../../machines/charts/all.ts'
import { entityChart } from '../../../machines/entity.ts'
import { createInvocationMachine, operationInvocationChart } from '../../../machines/operation-invocation.ts'
import { effect } from '../../../machines/words.ts'
import { chartOfEntity } from '../../../src/authoring/definitions/entity-chart.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'
import { type ChartDescription, describeOwn } from '../../../src/runtime/statecharts/describe.ts'
import { explain } from '../../../src/runtime/statecharts/explain.ts'
import { deadlinesByState } from '../../support/nested-states.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { ticketChart } from './ticket.ts'

let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe()
})
afterAll(() => troupe?.stop())

const all = charts.map((chart) => ({ kind: chart.machine.id, chart }))
/** The client validates each answer with its schema. */
const machineOf = async (kind: string): Promise<ChartDescription> =>
  (await troupe.owner.get(`/api/v1/machines/${kind}`)).body.data
const names = (given: Iterable<string>) => [...new Set(given)].sort()

describe.each(all)('$kind', ({ kind, chart }) => {
  test('describes itself', async () => {
    const { about } = await machineOf(kind)
    expect(about).toMatch(/^[A-Z].+\.$/)
  })

  test('describes every event, guard, effect and deadline, each once', async () => {
    const { transitions, xstate, events, guards, effects, deadlines } = await machineOf(kind)
    const timed = names(Object.values(deadlinesByState(xstate.states)).flat())
    const initial = compile(chart.machine).initial.acts.flatMap((act) => (act.do === 'effect' ? [act.name] : []))
    expect(deadlines.map(({ event }) => event).sort()).toEqual(timed)
    expect(events.map(({ event }) => event).sort()).toEqual(
      names(transitions.map(({ event }) => event).filter((event) => !timed.includes(event))),
    )
    expect(guards.map(({ guard }) => guard).sort()).toEqual(
      names(transitions.flatMap(({ guard }) => (guard === null ? [] : [guard]))),
    )
    expect(effects.map((one) => one.effect).sort()).toEqual(
      names([...initial, ...transitions.flatMap((move) => move.effects)]),
    )
  })

  test('does so in sentences', async () => {
    const { events, guards, effects, deadlines } = await machineOf(kind)
    const said = [
      ...events.map(({ says }) => says),
      ...guards.map(({ holdsWhen }) => holdsWhen),
      ...effects.map(({ bringsAbout }) => bringsAbout),
      ...deadlines.map(({ limits }) => limits),
    ]
    expect(said.filter((sentence) => !/^[A-Z`].+\.$/.test(sentence))).toEqual([])
  })

  test('shows each deadline in its states, with a default duration', async () => {
    const { deadlines, xstate } = await machineOf(kind)
    for (const { event, states, defaultMs } of deadlines) {
      const timersStarted = Object.entries(deadlinesByState(xstate.states)).filter(([, names]) => names.includes(event))
      expect(states).toEqual(timersStarted.map(([state]) => state))
      expect(defaultMs).not.toBe(0)
    }
  })

  test('names existing operations', async () => {
    const { paths } = (await troupe.owner.get('/docs/json', { unchecked: true })).body
    const { events, about } = await machineOf(kind)
    const calls = [about, ...events.map(({ says }) => says)].flatMap((text) => [
      ...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) ([^`]*)`/g),
    ])
    const generic = (path: string) => path.replace(/^(\/api\/v1\/actors\/[^/]+\/)\{[^}]+\}/, '$1{id}')
    expect(
      calls.map(([call, method, path]) => [call, paths[generic(path!)]?.[method!.toLowerCase()] ? 'is' : 'is not']),
    ).toEqual(calls.map(([call]) => [call, 'is']))
  })
})

test('the list describes each kind', async () => {
  const { items } = (await troupe.owner.get('/api/v1/machines')).body.data
  for (const { kind, about } of items) expect(about).toBe((await machineOf(kind)).about)
})

test.each([
  ['run', 'queueDeadline', 86_400_000, 'TROUPE_QUEUE_TTL_MS'],
  ['run', 'activeDeadline', 3_600_000, 'TROUPE_ACTIVE_LIMIT_MS'],
  ['delivery', 'leaseExpired', 60_000, 'TROUPE_WEBHOOK_LEASE_MS'],
  ['deployment', 'stepDeadline', 600_000, null],
  ['agent-job', 'tick', null, null],
  ['workflow-run', 'lookAgain', null, null],
  ['subscription', 'due', null, null],
])('of %s, %s is %p ms by default, set by %p', async (kind, event, defaultMs, setting) => {
  const { deadlines } = await machineOf(kind)
  expect(deadlines.find((one) => one.event === event)).toMatchObject({ defaultMs, setting })
})

test.each([
  ['run', 'cancel', 'command'],
  ['run', 'progressed', 'report'],
  ['run', 'leaseRequested', 'server'],
  ['run', 'delegateResult', 'command'],
  ['environment', 'activateDeployment', 'command'],
  ['subscription', 'fetched', 'report'],
  ['entity', 'pay', 'command'],
  ['entity', 'entity/delete', 'command'],
])('of %s, %s is sent by: %s', async (kind, event, by) => {
  const { events } = await machineOf(kind)
  expect(events.find((one) => one.event === event)?.by).toBe(by as (typeof events)[number]['by'])
})

describe("an entity's own statechart", () => {
  const states = {
    initial: 'open',
    states: { open: { on: { constructor: 'done', toString: 'open' } }, done: { final: true } },
  }
  const own = describeOwn(entityChart, { title: 'Entity order', machine: chartOfEntity('order', states) })

  test('has the events of its Definition, sent by operations, whatever their names', () => {
    expect(own.events.map(({ event }) => event)).toEqual([
      'create',
      'constructor',
      'toString',
      'entity/update',
      'entity/delete',
    ])
    expect(own.events[1]).toEqual({ event: 'constructor', ...entityChart.otherEvents! })
    expect(own.events[1]?.says).toStartWith('An operation with this event')
    expect(own.events[3]?.says).toContain('`update`')
  })

  test("describes Troupe's own names only as such", () => {
    expect(own.guards.map(({ guard }) => guard)).toEqual(['versionExpected'])
    expect([own.kind, own.title]).toEqual(['entity', 'Entity order'])
    expect(own.about).not.toContain('stands for all')
  })
})

test.each(['pending_approval', 'running'] as const)('an invocation that begins in %s is described', (initial) => {
  const machine = createInvocationMachine(undefined, initial)
  const { events, effects, deadlines } = describeOwn(operationInvocationChart, { title: 'One', machine })
  expect(events.length).toBe(11)
  expect(effects.map((one) => one.effect).sort()).toEqual(['breakOff', 'perform', 'tellOrigin'])
  expect(deadlines).toMatchObject([{ event: 'approvalDeadline', defaultMs: 259_200_000 }])
})

test('a name that users cannot have given must be described', () => {
  expect(() => explain({ ...ticketChart, events: {} })).toThrow('The statechart ticket does not explain create.')
  const odd = setup({ actions: { toString: effect } }).createMachine({
    id: 'odd',
    initial: 'a',
    states: { a: { entry: 'toString' } },
  })
  expect(() => explain({ ...ticketChart, machine: odd })).toThrow('does not explain toString')
})
