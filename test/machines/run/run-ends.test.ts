/** What a run shows of its start, its end and its cause. Source: contract 5. */
import { describe, expect, test } from 'bun:test'
import { admit, events, follow, type Given, inState, pathTo, type State } from './runs.ts'

describe('the end of a run', () => {
  test('a completed run has its stop reason, its end, and no cause', () => {
    const run = follow([...pathTo.running, { ...events.completed, stopReason: 'max_steps' }])
    expect(run.context).toMatchObject({ stopReason: 'max_steps', endedAt: run.at, cause: null })
  })
  test('a failed run keeps the cause of its last failure', () => {
    expect(inState('failed').context.cause).toEqual(events.failed.cause)
    const lost = follow([events.attemptLost], inState('running', 0))
    expect(lost).toMatchObject({ state: 'failed', context: { cause: { code: 'lease_lost' }, endedAt: lost.at } })
  })
  test('a queued run shows the cause of its lost attempt until the next one runs', () => {
    const lost = follow([events.attemptLost], inState('running'))
    expect(lost.context.cause?.code).toBe('lease_lost')
    expect(follow(pathTo.running, lost).context.cause).toBeNull()
  })
  test.each<[State, Given]>([
    ['queued', events.cancel],
    ['awaitingToolResult', events.awaitDeadline],
    ['canceling', events.cancelDeadline],
  ])('from %s by %o: ended, nothing awaited, no cause', (given, event) => {
    const run = follow([event], inState(given))
    expect(run.context).toMatchObject({ endedAt: run.at, awaiting: [], cause: null, stopReason: null })
  })
  test('a repeated cancel does not change the time of the end', () => {
    const canceled = inState('canceled')
    expect(follow([events.cancel], canceled).context).toEqual(canceled.context)
  })
  test('the start is the time of the first boot', () => {
    expect(admit().context.startedAt).toBeNull()
    const running = inState('running')
    expect(running.context.startedAt).toBe(running.at)
    const again = follow([events.attemptLost, ...pathTo.running], running)
    expect(again.context.startedAt).toBe(running.at)
  })
})
