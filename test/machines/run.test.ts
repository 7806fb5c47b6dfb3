import { describe, expect, test } from 'bun:test'
import {
  admit,
  admittedAt,
  delegate,
  type EventName,
  eventIn,
  events,
  follow,
  type Given,
  inState,
  pathTo,
  type State,
  secondMs,
  send,
  states,
  table,
  tool,
} from './runs.ts'

/**
 * Typed from requirement 3, "Agent Run lifecycle states", and contract 5, "Statechart": a state downwards, an event of
 * the current attempt across, retries left. The entry is the next state, `=` accepted and unchanged, `.` 409 with the
 * current state, or the status of a refusal that the state declares.
 */
const commands = `
                        cancel     continue
queued                  canceled   .
acquiring               canceled   .
starting                canceled   .
running                 canceling  .
awaitingToolResult      canceled   queued
awaitingDelegateResult  canceled   400
canceling               =          .
completed               .          queued
failed                  .          queued
canceled                =          queued
expired                 .          .
`

const facts = `
                        leaseRequested  leased    booted   progressed  completed  failed  toolResultNeeded    delegateResultNeeded    attemptLost  reported  delegateResult  toolResult
queued                  acquiring       .         .        .           .          .       .                   .                       .            .         .               .
acquiring               .               starting  .        .           .          .       .                   .                       queued       .         .               .
starting                .               .         running  .           .          .       .                   .                       queued       .         .               .
running                 .               .         .        =           completed  failed  awaitingToolResult  awaitingDelegateResult  queued       .         .               .
awaitingToolResult      .               .         .        .           .          .       .                   .                       .            .         .               queued
awaitingDelegateResult  .               .         .        .           .          .       .                   .                       .            .         queued          .
canceling               .               .         .        =           .          .       .                   .                       canceled     canceled  .               .
completed               .               .         .        .           .          .       .                   .                       .            .         .               .
failed                  .               .         .        .           .          .       .                   .                       .            .         .               .
canceled                .               .         .        .           .          .       .                   .                       .            .         .               .
expired                 .               .         .        .           .          .       .                   .                       .            .         .               .
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

/** The same events where it matters what they carry, or what came before. */
const variants: { given: State; when: string; event: Given; maxRetries?: number; before?: Given[]; next: string }[] = [
  {
    given: 'acquiring',
    when: 'no retries are left',
    event: eventIn('acquiring', 'attemptLost'),
    maxRetries: 0,
    next: 'failed',
  },
  { given: 'starting', when: 'no retries are left', event: events.attemptLost, maxRetries: 0, next: 'failed' },
  { given: 'running', when: 'no retries are left', event: events.attemptLost, maxRetries: 0, next: 'failed' },
  { given: 'acquiring', when: 'no retries are left', event: events.acquireDeadline, maxRetries: 0, next: 'failed' },
  { given: 'starting', when: 'no retries are left', event: events.startDeadline, maxRetries: 0, next: 'failed' },
  {
    given: 'starting',
    when: 'the server drains, without retries',
    event: { ...events.attemptLost, drained: true },
    maxRetries: 0,
    next: 'queued',
  },
  {
    given: 'running',
    when: 'the server drains, without retries',
    event: { ...events.attemptLost, drained: true },
    maxRetries: 0,
    next: 'queued',
  },
  {
    given: 'awaitingToolResult',
    when: 'one of two results is there',
    event: events.continue,
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingToolResult',
    when: 'all results are there',
    event: { type: 'continue', answered: ['c2', 'c1'] },
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: 'queued',
  },
  {
    given: 'awaitingToolResult',
    when: 'the result is another call’s',
    event: { type: 'continue', answered: ['c9'] },
    next: '.',
  },
  { given: 'awaitingToolResult', when: 'it answers nothing', event: { type: 'continue' }, next: '.' },
  {
    given: 'awaitingToolResult',
    when: 'one of two calls has come to its end',
    event: events.toolResult,
    before: [...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingToolResult',
    when: 'another call has come to its end',
    event: { type: 'toolResult', toolCallId: 'c9' },
    next: '.',
  },
  {
    given: 'running',
    when: 'a call waits for an approval',
    event: { ...events.toolResultNeeded, awaiting: [{ ...tool('c1'), invocationId: 'opi_1', approvalId: 'apr_1' }] },
    next: 'awaitingToolResult',
  },
  {
    given: 'awaitingDelegateResult',
    when: 'one of two results is there',
    event: events.delegateResult,
    before: [...pathTo.running, { ...events.delegateResultNeeded, awaiting: [delegate('c1'), delegate('c2')] }],
    next: '=',
  },
  {
    given: 'awaitingDelegateResult',
    when: 'the result is another call’s',
    event: { type: 'delegateResult', toolCallId: 'c9' },
    next: '.',
  },
]

/** What an outcome means for the state. */
const nextState = (given: string, next: string) => (next === '=' || next === '.' || next === '400' ? given : next)

describe('every state answers every event as the requirement and the contract say', () => {
  test.each(rows)('$given, on $event: $next', ({ given, event, next }) => {
    const run = inState(given)
    const after = send(run, eventIn(given, event))
    expect(after !== undefined).toBe(next !== '.' && next !== '400')
    expect((after ?? run).state).toBe(nextState(given, next))
  })

  test.each(variants)('$given, when $when, on $event.type: $next', ({ given, event, maxRetries, before, next }) => {
    const run = before ? follow(before, admit(maxRetries)) : inState(given, maxRetries)
    expect(run.state).toBe(given)
    const after = send(run, event)
    expect(after !== undefined).toBe(next !== '.')
    expect((after ?? run).state).toBe(nextState(given, next))
  })

  test('continue while a delegate’s result is awaited is a refusal that the state declares: 400', () => {
    expect(table.refusals.get('awaitingDelegateResult')?.continue).toEqual({
      status: 400,
      code: 'run_awaiting_external_result',
      message: 'The run waits for the result of an external delegate.',
    })
    const declared = [...table.refusals].flatMap(([state, refusals]) =>
      Object.keys(refusals).map((event) => [state, event]),
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
    '$given refuses $event of an older attempt, and of one that never was',
    ({ given, event }) => {
      for (const fencingToken of [6, 8, -1]) {
        expect(send(inState(given), { ...events[event], fencingToken } as Given)).toBeUndefined()
      }
    },
  )

  test('a drained attempt of an older token is refused as well', () => {
    for (const given of ['starting', 'running'] as const)
      expect(send(inState(given), { ...events.attemptLost, drained: true, fencingToken: 6 })).toBeUndefined()
  })

  test('an unknown event is refused in every state', () => {
    for (const given of states) expect(send(inState(given), { type: 'neverHeardOfDeadline' })).toBeUndefined()
  })
})

describe('the table above and the statechart say the same', () => {
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
  test('every state can be reached from queued', () => {
    const reached = new Set<string>(['queued'])
    for (const state of reached) {
      for (const candidates of table.rows.get(state)?.values() ?? [])
        for (const { target } of candidates) if (target) reached.add(target)
    }
    expect([...reached].toSorted()).toEqual([...states].toSorted())
  })

  const ends: State[] = ['completed', 'failed', 'canceled', 'expired']
  const lasting = states.filter((state) => !ends.includes(state))
  test.each(lasting)('%s has one deadline, which leaves it, and a way to an end', (state) => {
    const { armed } = inState(state)
    expect(armed).toHaveLength(1)
    const after = send(inState(state, 0), { type: armed[0]?.timer as `${string}Deadline` })
    expect(ends).toContain(after?.state as State)
  })
  test.each(ends)('%s has no deadline and is left by continue alone', (state) => {
    expect(inState(state).armed).toEqual([])
    const leaving = [...(table.rows.get(state) ?? [])].filter(([, candidates]) =>
      candidates.some(({ target }) => target !== state),
    )
    expect(leaving.map(([event]) => event)).toEqual(state === 'expired' ? [] : ['continue'])
  })
})

describe('deadlines', () => {
  const hourMs = 3_600_000
  test.each<[State, number]>([
    ['queued', 24 * hourMs],
    ['acquiring', 60_000],
    ['starting', 60_000],
    ['awaitingToolResult', 7 * 24 * hourMs],
    ['awaitingDelegateResult', 7 * 24 * hourMs],
    ['canceling', 30_000],
  ])('%s lasts %d ms at most', (state, delayMs) => {
    expect(inState(state).armed[0]?.delayMs).toBe(delayMs)
  })
  test('an attempt has what the chain has left of its hour, from its lease on', () => {
    // A second passes between the lease and the boot.
    expect(inState('running').armed[0]?.delayMs).toBe(hourMs - secondMs)
    const again = follow([events.attemptLost, ...pathTo.running], inState('running'))
    // Two seconds of the first attempt, one of the second.
    expect(again.armed[0]?.delayMs).toBe(hourMs - 3 * secondMs)
  })
  test('a chain that has used up its time fails at once', () => {
    const lost = follow([{ ...events.attemptLost, at: admittedAt + 2 * hourMs }], inState('running'))
    const again = follow(pathTo.running, lost)
    expect(again.armed[0]?.delayMs).toBe(0)
    const after = follow([events.activeDeadline], again)
    expect(after.state).toBe('failed')
    expect(after.context.cause?.code).toBe('run_timeout')
    expect(after.effects.map(({ name }) => name)).toEqual(['signalWorker', 'releaseMachine', 'withdrawApprovals'])
  })
  test('a partial answer, progress and a repeated cancel prolong nothing', () => {
    const two = follow([...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }])
    expect(follow([events.continue], two)).toMatchObject({ moved: false, armed: [] })
    expect(follow([events.progressed], inState('running'))).toMatchObject({ moved: false, armed: [] })
    expect(follow([events.cancel], inState('canceling'))).toMatchObject({ moved: false, armed: [] })
  })
})

describe('what follows from a move', () => {
  const names = (given: State, event: Given) => send(inState(given), event)?.effects.map(({ name }) => name)

  test('a queued run is offered to runners: at admission, after a lost attempt, after a continue', () => {
    expect(admit().effects.map(({ name }) => name)).toEqual(['offerToRunners'])
    expect(names('running', events.attemptLost)).toContain('offerToRunners')
    expect(names('completed', events.continue)).toEqual(['offerToRunners'])
    expect(names('awaitingDelegateResult', events.delegateResult)).toEqual(['offerToRunners'])
  })
  test.each<[State, EventName]>([
    ['starting', 'cancel'],
    ['starting', 'attemptLost'],
    ['starting', 'startDeadline'],
    ['running', 'completed'],
    ['running', 'failed'],
    ['running', 'toolResultNeeded'],
    ['running', 'delegateResultNeeded'],
    ['running', 'attemptLost'],
    ['running', 'activeDeadline'],
    ['canceling', 'reported'],
    ['canceling', 'attemptLost'],
    ['canceling', 'cancelDeadline'],
  ])('%s, on %s: the machine that was held is released', (given, event) => {
    const after = follow([events[event]], inState(given))
    expect(after.effects).toContainEqual({ name: 'releaseMachine', params: { machine: 'm1', fencingToken: 7 } })
    expect(after.context.lease).toBeNull()
  })
  test.each<[State]>([['acquiring'], ['starting']])('cancel while %s releases the machine', (given) => {
    expect(names(given, events.cancel)).toContain('releaseMachine')
  })
  test.each<[State]>([['queued'], ['awaitingToolResult'], ['awaitingDelegateResult'], ['canceled']])(
    'cancel while %s: there is no machine to release, only calls to break off',
    (given) => expect(names(given, events.cancel)).toEqual(given === 'canceled' ? [] : ['breakOffCalls']),
  )
  test('cancel signals the worker, and again when it is repeated', () => {
    expect(names('running', events.cancel)).toEqual(['signalWorker', 'breakOffCalls'])
    expect(names('canceling', events.cancel)).toEqual(['signalWorker'])
  })
  test('the worker hears that it is to stop until another attempt begins', () => {
    const canceling = inState('canceling')
    expect(canceling.context.stopRequested).toBe(true)
    const again = follow([events.reported, events.continue, ...pathTo.running], canceling)
    expect(again.context.stopRequested).toBe(false)
  })
})

describe('attempts', () => {
  test('attempt is 0 at admission, one more per lease, never reset', () => {
    expect(admit().context.attempt).toBe(0)
    const second = follow([events.attemptLost, ...pathTo.running], inState('running'))
    expect(second.context.attempt).toBe(2)
    expect(follow([events.completed, events.continue, ...pathTo.running], second).context.attempt).toBe(3)
  })
  test('maxRetries is the number of extra attempts', () => {
    for (const maxRetries of [0, 1, 2, 10]) {
      let run = admit(maxRetries)
      let attempts = 0
      while (run.state === 'queued') {
        run = follow([...pathTo.running, events.attemptLost], run)
        attempts += 1
      }
      expect({ state: run.state, attempts }).toEqual({ state: 'failed', attempts: maxRetries + 1 })
    }
  })
  test.each(['acquireDeadline', 'startDeadline'] as const)('%s costs a retry', (deadline) => {
    const given = deadline === 'acquireDeadline' ? 'acquiring' : 'starting'
    const after = follow([events[deadline]], inState(given))
    expect(after.context).toMatchObject({ retriesLeft: 1, lease: null, cause: { code: 'machine_unavailable' } })
  })
  test('a drained attempt costs no retry and is available at once', () => {
    const after = follow([{ ...events.attemptLost, drained: true }], inState('running'))
    expect(after.context).toMatchObject({ retriesLeft: 2, availableAt: after.at, cause: null })
  })
  test('the active time adds up over the attempts of a chain and begins anew with the next', () => {
    // From the lease to the loss two seconds pass, waiting does not count.
    const lost = follow([events.attemptLost], inState('running'))
    expect(lost.context.activeMs).toBe(2 * secondMs)
    const second = follow([...pathTo.running, events.completed], lost)
    expect(second.context).toMatchObject({ activeMs: 4 * secondMs, activeSince: null })
    expect(follow([events.continue], second).context.activeMs).toBe(0)
  })
  test('a clock that goes back takes no active time away', () => {
    expect(follow([{ ...events.completed, at: 5 }], inState('running')).context.activeMs).toBe(0)
  })
  test('the report that settled the attempt is kept until the next one begins', () => {
    const completed = inState('completed')
    expect(completed.context.settled).toEqual({ attemptId: 'att_1', reportDigest: 'r1' })
    expect(follow([events.continue], completed).context.settled).toEqual({ attemptId: 'att_1', reportDigest: 'r1' })
    expect(follow([events.continue, events.leaseRequested], completed).context.settled).toBeNull()
  })
})

describe('back-off after a lost attempt', () => {
  /** How long the run waits after each of these losses, with this chance. */
  const waits = (chance: number, losses: number, loss: Given = events.attemptLost) => {
    let run = admit(10)
    return Array.from({ length: losses }, () => {
      run = follow([...pathTo.running, { ...loss, chance }], run)
      return run.context.availableAt - run.at
    })
  }
  test('is full jitter over a second that doubles up to a minute', () => {
    expect(waits(1, 9)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
    expect(waits(0, 3)).toEqual([0, 0, 0])
    expect(waits(0.25, 3)).toEqual([250, 500, 1_000])
  })
  test('gives way to the vendor’s Retry-After', () => {
    expect(waits(1, 2, { ...events.attemptLost, retryAfterMs: 90_000 })).toEqual([90_000, 90_000])
    expect(waits(1, 1, { ...events.attemptLost, retryAfterMs: 0 })).toEqual([0])
  })
  test('begins anew with the chain', () => {
    const lost = follow(
      [...pathTo.running, events.attemptLost, ...pathTo.running, events.completed, events.continue],
      admit(),
    )
    const after = follow([...pathTo.running, { ...events.attemptLost, chance: 1 }], lost)
    expect(after.context.availableAt - after.at).toBe(1_000)
  })
})

describe('chains', () => {
  test('the first is 1; an accepted continue begins the next', () => {
    expect(admit().context.chain).toBe(1)
    for (const given of ['completed', 'failed', 'canceled', 'awaitingToolResult'] as const)
      expect(follow([events.continue], inState(given)).context.chain).toBe(2)
  })
  test('a partial answer, a delegate’s result and a lost attempt stay in the chain', () => {
    const two = follow([...pathTo.running, { ...events.toolResultNeeded, awaiting: [tool('c1'), tool('c2')] }])
    const partly = follow([events.continue], two)
    expect(partly.context).toMatchObject({ chain: 1, awaiting: [tool('c2')] })
    expect(follow([{ type: 'continue', answered: ['c2'] }], partly).context).toMatchObject({ chain: 2, awaiting: [] })
    expect(follow([events.delegateResult], inState('awaitingDelegateResult')).context.chain).toBe(1)
    expect(follow([events.attemptLost], inState('running')).context.chain).toBe(1)
  })
  test('delegates’ results come one by one, and none twice', () => {
    const two = follow([
      ...pathTo.running,
      { ...events.delegateResultNeeded, awaiting: [delegate('c1'), delegate('c2')] },
    ])
    const partly = follow([events.delegateResult], two)
    expect(partly.context.awaiting).toEqual([delegate('c2')])
    expect(send(partly, events.delegateResult)).toBeUndefined()
    const done = follow([{ type: 'delegateResult', toolCallId: 'c2' }], partly)
    expect(done).toMatchObject({ state: 'queued', context: { awaiting: [], availableAt: done.at } })
  })
  test('continue brings retries back, as many as it names or as there were', () => {
    const failed = follow([...pathTo.running, events.attemptLost, ...pathTo.running, events.failed], admit(2))
    expect(failed.context.retriesLeft).toBe(1)
    expect(follow([events.continue], failed).context).toMatchObject({ maxRetries: 2, retriesLeft: 2 })
    expect(follow([{ type: 'continue', maxRetries: 5 }], failed).context).toMatchObject({
      maxRetries: 5,
      retriesLeft: 5,
    })
    expect(follow([{ type: 'continue', maxRetries: 0 }], failed).context).toMatchObject({
      maxRetries: 0,
      retriesLeft: 0,
    })
  })
  test.each<[State]>([['completed'], ['failed'], ['canceled'], ['awaitingToolResult']])(
    'continue of a run that is %s clears what told of its end',
    (given) => {
      const after = follow([events.continue], inState(given))
      expect(after.context).toMatchObject({
        endedAt: null,
        stopReason: null,
        awaiting: [],
        cause: null,
        availableAt: after.at,
      })
    },
  )
})

describe('how a run ended', () => {
  test('a completed run has its stop reason, its end, and no cause', () => {
    const run = follow([...pathTo.running, { ...events.completed, stopReason: 'max_steps' }])
    expect(run.context).toMatchObject({ stopReason: 'max_steps', endedAt: run.at, cause: null })
  })
  test('a failed run keeps the cause of its last failure', () => {
    expect(inState('failed').context.cause).toEqual(events.failed.cause)
    const lost = follow([events.attemptLost], inState('running', 0))
    expect(lost).toMatchObject({ state: 'failed', context: { cause: { code: 'lease_lost' }, endedAt: lost.at } })
  })
  test('a queued run shows why its last attempt was lost, until the next one runs', () => {
    const lost = follow([events.attemptLost], inState('running'))
    expect(lost.context.cause?.code).toBe('lease_lost')
    expect(follow(pathTo.running, lost).context.cause).toBeNull()
  })
  test.each<[State, Given]>([
    ['queued', events.cancel],
    ['awaitingToolResult', events.awaitDeadline],
    ['canceling', events.cancelDeadline],
  ])('from %s by %o: an end, nothing awaited, no cause', (given, event) => {
    const run = follow([event], inState(given))
    expect(run.context).toMatchObject({ endedAt: run.at, awaiting: [], cause: null, stopReason: null })
  })
  test('a repeated cancel does not move the end', () => {
    const canceled = inState('canceled')
    expect(follow([events.cancel], canceled).context).toEqual(canceled.context)
  })
  test('the start is the first boot', () => {
    expect(admit().context.startedAt).toBeNull()
    const running = inState('running')
    expect(running.context.startedAt).toBe(running.at)
    const again = follow([events.attemptLost, ...pathTo.running], running)
    expect(again.context.startedAt).toBe(running.at)
  })
})
