/** What a continue resets, and what it keeps. Source: contract 5. */
import { describe, expect, test } from 'bun:test'
import { admit, delegate, events, follow, inState, pathTo, type State, send, tool } from './runs.ts'

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
    expect(follow([{ ...events.continue, answered: ['c2'] }], partly).context).toMatchObject({ chain: 2, awaiting: [] })
    expect(follow([events.delegateResult], inState('awaitingDelegateResult')).context.chain).toBe(1)
    expect(follow([events.attemptLost], inState('running')).context.chain).toBe(1)
  })
  test('delegates’ results are added one by one, each once', () => {
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
  test('continue restores the retries: as many as it names, or the original number', () => {
    const failed = follow([...pathTo.running, events.attemptLost, ...pathTo.running, events.failed], admit(2))
    expect(failed.context.retriesLeft).toBe(1)
    expect(follow([events.continue], failed).context).toMatchObject({ maxRetries: 2, retriesLeft: 2 })
    expect(follow([{ ...events.continue, maxRetries: 5 }], failed).context).toMatchObject({
      maxRetries: 5,
      retriesLeft: 5,
    })
    expect(follow([{ ...events.continue, maxRetries: 0 }], failed).context).toMatchObject({
      maxRetries: 0,
      retriesLeft: 0,
    })
  })
  test.each<[State]>([['completed'], ['failed'], ['canceled'], ['awaitingToolResult']])(
    'continue of a run that is %s clears its outcome',
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
