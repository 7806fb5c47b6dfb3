import { describe, expect, test } from 'bun:test'
import { begin, beginBy } from '../../../src/runtime/decisions/decide.ts'
import {
  admission,
  admit,
  admittedAt,
  approved,
  type EventName,
  eventIn,
  events,
  follow,
  type Given,
  inState,
  pathTo,
  type State,
  send,
  states,
  table,
  tool,
} from './runs.ts'
import { variants } from './variants.ts'

/**
 * From requirement 3, "Agent Run lifecycle states", and contract 5, "Statechart": states in rows, events of the current
 * attempt in columns, with retries left. The entry is the next state, `=` accepted and unchanged, `.` 409 with the
 * current state, or the status of a refusal that the state declares.
 */
const commands = `
                        cancel     continue  enqueue startNow
queued                  canceled   .         =       =
acquiring               canceled   .         =       .
starting                canceled   .         =       .
running                 canceling  .         =       .
awaitingToolResult      canceled   queued    =       .
awaitingDelegateResult  canceled   400       =       .
canceling               =          .         =       .
completed               .          queued    .       .
failed                  .          queued    .       .
canceled                =          queued    .       .
expired                 .          .         .       .
`

const facts = `
                        leaseRequested  leased    booted   progressed  completed  failed  toolResultNeeded    delegateResultNeeded    attemptLost  reported  delegateResult  toolResult   callApproved  metered
queued                  acquiring       .         .        .           .          .       .                   .                       .            .         .               .            .             .
acquiring               .               starting  .        .           .          .       .                   .                       queued       .         .               .            .             .
starting                .               .         running  .           .          .       .                   .                       queued       .         .               .            .             .
running                 .               .         .        =           completed  failed  awaitingToolResult  awaitingDelegateResult  queued       .         .               .            .             .
awaitingToolResult      .               .         .        .           .          .       .                   .                       .            .         .               queued       .             .
awaitingDelegateResult  .               .         .        .           .          .       .                   .                       .            .         queued          .            .             .
canceling               .               .         .        =           .          .       .                   .                       canceled     canceled  .               .            .             .
completed               .               .         .        .           .          .       .                   .                       .            .         .               .            .             .
failed                  .               .         .        .           .          .       .                   .                       .            .         .               .            .             .
canceled                .               .         .        .           .          .       .                   .                       .            .         .               .            .             .
expired                 .               .         .        .           .          .       .                   .                       .            .         .               .            .             .
`

const deadlines = `
                        queueDeadline  acquireDeadline  startDeadline  activeDeadline  awaitDeadline  cancelDeadline
queued                  expired        .                .              .               .              .
acquiring               .              queued           .              .               .              .
starting                .              .                queued         .               .              .
running                 .              .                .              failed          .              .
awaitingToolResult      .              .                .              .               expired        .
awaitingDelegateResult  .              .                .              .               expired        .
canceling               .              .                .              .               .              canceled
completed               .              .                .              .               .              .
failed                  .              .                .              .               .              .
canceled                .              .                .              .               .              .
expired                 .              .                .              .               .              .
`

interface Row {
  given: State
  event: EventName
  next: string
}

function rowsOf(text: string): Row[] {
  const [header, ...lines] = text.trim().split('\n')
  const names = (header as string).trim().split(/\s+/) as EventName[]
  return lines.flatMap((line) => {
    const [given, ...outcomes] = line.split(/\s+/) as [State, ...string[]]
    if (outcomes.length !== names.length) throw new Error(`A row has gaps: ${line}`)
    return outcomes.map((outcome, index) => ({ given, event: names[index] as EventName, next: outcome }))
  })
}
const rows = [commands, facts, deadlines].flatMap(rowsOf)

const nextState = (given: string, next: string) => (next === '=' || next === '.' || next === '400' ? given : next)

describe('every state answers every event as the requirement and the contract define', () => {
  test.each(rows)('$given, on $event: $next', ({ given, event, next }) => {
    const run = inState(given)
    const after = send(run, eventIn(given, event))
    expect(after !== undefined).toBe(next !== '.' && next !== '400')
    expect((after ?? run).state).toBe(nextState(given, next))
  })

  test.each(variants)(
    '$given, when $when, on $event.type: $next',
    ({ given, event, maxRetries, before, next, begins }) => {
      const run = before ? follow(before, admit(maxRetries, begins)) : inState(given, maxRetries)
      expect(run.state).toBe(given)
      const after = send(run, event)
      expect(after !== undefined).toBe(next !== '.')
      expect((after ?? run).state).toBe(nextState(given, next))
    },
  )

  test('an approved call waits for no approval any more, and others still do', () => {
    const asking = follow([
      ...pathTo.running,
      { ...events.toolResultNeeded, awaiting: [approved('c1'), approved('c2')] },
    ])
    const { context, effects, timersStarted } = follow([events.callApproved], asking)
    const { approvalId: _, ...call } = approved('c1')
    expect(context.awaiting).toEqual([{ ...call, waitsFor: 'operation' }, approved('c2')])
    expect([effects, timersStarted]).toEqual([[], []])
    expect(send({ ...asking, context }, events.callApproved)).toBeUndefined()
  })

  test.each(['completed', 'failed', 'canceled'] as const)(
    'continue of a %s run without its content is 409, with the reason',
    (state) => {
      const run = inState(state)
      const gone = { ...run, context: { ...run.context, contentRemoved: true } }
      expect(send(gone, events.continue)).toBeUndefined()
      const refusals = [table.refusals.get(state)?.continue ?? []].flat()
      expect(refusals.find(({ when }) => when === 'contentRemoved')).toMatchObject({
        status: 409,
        code: 'invalid_transition',
        conflictReason: 'content_removed',
      })
    },
  )

  // requirement 3: "credential authorized, budget left"; unknown facts count as false
  const facts = Object.keys(admission) as (keyof typeof admission)[]
  const without = (fact: string, known: boolean) => ({ ...admission, [fact]: known ? false : undefined })
  const resting = ['awaitingToolResult', 'completed', 'failed', 'canceled'] as const
  test.each(resting)('continue while %s requires everything that a start requires', (state) => {
    for (const fact of facts) {
      for (const known of [true, false]) {
        expect(send(inState(state), { ...events.continue, ...without(fact, known) })).toBeUndefined()
      }
    }
  })
  test.each(['awaitingToolResult'] as const)('nor are partial results accepted while %s', (state) => {
    const two = follow([...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }])
    expect(two.state).toBe(state)
    for (const fact of facts) expect(send(two, { ...events.continue, ...without(fact, true) })).toBeUndefined()
  })
  // permanent obstacles are reported before temporary ones
  test.each([
    ['awaitingToolResult', [404, 402, 422]],
    ['completed', [404, 409, 409, 402, 422, 422]],
    ['failed', [404, 409, 409, 402, 422, 422]],
    ['canceled', [404, 409, 409, 402, 422, 422]],
  ])('a continue while %s is refused with the first obstacle of %j', (state, statuses) => {
    expect([table.refusals.get(state)?.continue ?? []].flat().map(({ status }): number => status)).toEqual(statuses)
  })
  test('and a run does not start without them', () => {
    const input = { maxRetries: 2, at: admittedAt }
    const event = { type: 'start', at: admittedAt, chance: 0 }
    expect(beginBy(table, { ...event, ...admission }, input)).toEqual(begin(table, input))
    for (const fact of facts) {
      for (const known of [true, false]) {
        expect(beginBy(table, { ...event, ...without(fact, known) }, input)).toBeUndefined()
      }
    }
  })

  test('continue while a delegate’s result is awaited is refused by the state: 400', () => {
    expect(table.refusals.get('awaitingDelegateResult')?.continue).toEqual({
      status: 400,
      code: 'run_awaiting_external_result',
      message: 'The run waits for the result of an external delegate.',
    })
    const declared = [...table.refusals].flatMap(([state, refusals]) =>
      Object.entries(refusals)
        .filter(([, refusal]) => [refusal].flat().some(({ status }) => status === 400))
        .map(([event]) => [state, event]),
    )
    expect(declared).toEqual(rows.filter(({ next }) => next === '400').map(({ given, event }) => [given, event]))
  })

  const fenced = [
    'booted',
    'progressed',
    'completed',
    'failed',
    'toolResultNeeded',
    'delegateResultNeeded',
    'attemptLost',
    'reported',
  ] as const
  test.each(states.flatMap((given) => fenced.map((event) => ({ given, event }))))(
    '$given refuses $event of an older attempt, and of an attempt that never existed',
    ({ given, event }) => {
      for (const fencingToken of [6, 8, -1]) {
        expect(send(inState(given), { ...events[event], fencingToken } as Given)).toBeUndefined()
      }
    },
  )

  test('a drained attempt with an older token is refused as well', () => {
    for (const given of ['starting', 'running'] as const)
      expect(send(inState(given), { ...events.attemptLost, drained: true, fencingToken: 6 })).toBeUndefined()
  })

  test('an unknown event is refused in every state', () => {
    for (const given of states) expect(send(inState(given), { type: 'neverHeardOfDeadline' })).toBeUndefined()
  })
})

describe('the table above and the statechart agree', () => {
  const documented = new Set(
    [...rows, ...variants.map(({ given, event, next }) => ({ given, event: event.type, next }))]
      .filter(({ next }) => next !== '.' && next !== '400')
      .map(({ given, event, next }) => `${given} –${event}→ ${nextState(given, next)}`),
  )
  const written = new Set(
    [...table.rows].flatMap(([state, byEvent]) =>
      [...byEvent].flatMap(([event, candidates]) =>
        candidates.map(({ target }) => `${state} –${event}→ ${target ?? state}`),
      ),
    ),
  )

  test('every move of the statechart is documented', () => {
    expect([...written].filter((move) => !documented.has(move))).toEqual([])
  })
  test('every documented move is in the statechart', () => {
    expect([...documented].filter((move) => !written.has(move))).toEqual([])
  })
  test('there is a row for every state and every event', () => {
    expect(table.states.toSorted()).toEqual([...states].toSorted())
    const known = new Set([...table.rows.values()].flatMap((byEvent) => [...byEvent.keys()]))
    expect([...known].toSorted()).toEqual(Object.keys(events).toSorted())
    const pairs = rows.map(({ given, event }) => `${given}/${event}`)
    expect(new Set(pairs).size).toBe(pairs.length)
    expect(pairs.length).toBe(states.length * Object.keys(events).length)
  })
  test('every state is reachable from queued', () => {
    const reached = new Set<string>(['queued'])
    for (const state of reached) {
      for (const candidates of table.rows.get(state)?.values() ?? [])
        for (const { target } of candidates) if (target) reached.add(target)
    }
    expect([...reached].toSorted()).toEqual([...states].toSorted())
  })

  const ends: State[] = ['completed', 'failed', 'canceled', 'expired']
  const lasting = states.filter((state) => !ends.includes(state))
  test.each(lasting)('%s has one deadline, which leaves it, and a path to an end', (state) => {
    const { timersStarted } = inState(state)
    expect(timersStarted).toHaveLength(1)
    const after = send(inState(state, 0), { type: timersStarted[0]?.timer as `${string}Deadline` })
    expect(ends).toContain(after?.state as State)
  })
  test.each(ends)('%s has no deadline and only continue leaves it', (state) => {
    expect(inState(state).timersStarted).toEqual([])
    const leaving = [...(table.rows.get(state) ?? [])].filter(([, candidates]) =>
      candidates.some(({ target }) => target !== null && target !== state),
    )
    expect(leaving.map(([event]) => event)).toEqual(state === 'expired' ? [] : ['continue'])
  })
})
