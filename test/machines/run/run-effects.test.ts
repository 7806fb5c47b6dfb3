/** The effects of a run's transitions. Source: contract 5, "Statechart". */
import { describe, expect, test } from 'bun:test'
import { admit, type EventName, events, follow, type Given, inState, pathTo, type State, send } from './runs.ts'

describe('effects', () => {
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
  ])('%s, on %s: the held machine is released', (given, event) => {
    const after = follow([events[event]], inState(given))
    expect(after.effects).toContainEqual({ name: 'releaseMachine', params: { machine: 'm1', fencingToken: 7 } })
    expect(after.context.lease).toBeNull()
  })
  test.each<[State]>([['acquiring'], ['starting']])('cancel while %s releases the machine', (given) => {
    expect(names(given, events.cancel)).toContain('releaseMachine')
  })
  test.each<[State]>([['queued'], ['awaitingToolResult'], ['awaitingDelegateResult'], ['canceled']])(
    'cancel while %s: there is no machine to release, only calls to abort',
    (given) =>
      expect(names(given, events.cancel)).toEqual(
        given === 'canceled' ? ['startNextInput'] : ['breakOffCalls', 'startNextInput'],
      ),
  )
  test('cancel signals the worker, and again when it is repeated', () => {
    expect(names('running', events.cancel)).toEqual(['signalWorker', 'breakOffCalls'])
    expect(names('canceling', events.cancel)).toEqual(['signalWorker'])
  })
  test.each<[State]>([['running'], ['canceling']])(
    'a forced cancel while %s tells the worker, releases its machine and aborts the calls',
    (given) => {
      const after = follow([{ ...events.cancel, force: true }], inState(given))
      expect(after.effects.map(({ name }) => name)).toEqual([
        'signalWorker',
        'releaseMachine',
        'breakOffCalls',
        'startNextInput',
      ])
      expect(after.context).toMatchObject({ lease: null, activeSince: null })
      expect(after.timersStarted).toEqual([])
    },
  )
  test('the worker is told to stop until another attempt begins', () => {
    const canceling = inState('canceling')
    expect(canceling.context.stopRequested).toBe(true)
    const again = follow([events.reported, events.continue, ...pathTo.running], canceling)
    expect(again.context.stopRequested).toBe(false)
  })
})
