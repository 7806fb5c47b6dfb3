/** What clients read of a turn with repeated attempts: nothing twice, and no silent retraction. */
import { describe, expect, test } from 'bun:test'
import type { TurnEvent } from '../../src/protocols/turns/events.ts'
import { TurnSummary } from '../../src/protocols/turns/summary.ts'
import { withoutRepeats } from '../../src/protocols/turns/without-repeats.ts'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 }
const begins = (stepId: number): TurnEvent => ({ type: 'modelStarted', stepId })
const says = (stepId: number, text: string): TurnEvent => ({ type: 'text', stepId, text })
const fails = (stepId: number): TurnEvent => ({ type: 'modelFailed', stepId })
const ends = (stepId: number, text: string): TurnEvent => ({
  type: 'modelEnded',
  stepId,
  text,
  toolCalls: [],
  usage,
  model: 'sandbox',
})
const over = { type: 'ended', run: { state: 'failed' }, output: null } as unknown as TurnEvent

async function* of(events: TurnEvent[]) {
  yield* events
}
/** `1:text`, `1!` for a failed step, `1.` for a complete one. */
const read = async (events: TurnEvent[]) =>
  (await Array.fromAsync(withoutRepeats(of(events)))).flatMap((event) => {
    if (event.type === 'text') return [`${event.stepId}:${event.text}`]
    if (event.type === 'modelFailed') return [`${event.stepId}!`]
    return event.type === 'modelEnded' ? [`${event.stepId}.`] : []
  })

describe('a repeated step', () => {
  const table: [string, TurnEvent[], string[]][] = [
    [
      'with the same text continues where it was interrupted, as the same step',
      [
        begins(1),
        says(1, 'one '),
        says(1, 'two'),
        fails(1),
        begins(2),
        says(2, 'one'),
        says(2, ' two three'),
        says(2, ' four'),
        ends(2, 'one two three four'),
      ],
      ['1:one ', '1:two', '1: three', '1: four', '1.'],
    ],
    [
      'that is interrupted earlier, and again, sends its text once',
      [
        begins(1),
        says(1, 'one two'),
        fails(1),
        begins(2),
        says(2, 'one'),
        fails(2),
        begins(3),
        says(3, 'one two three'),
        ends(3, 'one two three'),
      ],
      ['1:one two', '1: three', '1.'],
    ],
    [
      'that is interrupted later sends its text once',
      [
        begins(1),
        says(1, 'one'),
        fails(1),
        begins(2),
        says(2, 'one two'),
        fails(2),
        begins(3),
        says(3, 'one two three'),
        ends(3, 'x'),
      ],
      ['1:one', '1: two', '1: three', '1.'],
    ],
    [
      'without further text is complete',
      [begins(1), says(1, 'one'), fails(1), begins(2), says(2, 'one'), ends(2, 'one')],
      ['1:one', '1.'],
    ],
    [
      'with another text is another step',
      [begins(1), says(1, 'one two'), fails(1), begins(2), says(2, 'o'), says(2, 'ther'), ends(2, 'other')],
      ['1:one two', '1!', '2:other', '2.'],
    ],
    [
      'with less text is another step',
      [begins(1), says(1, 'one two'), fails(1), begins(2), says(2, 'one'), ends(2, 'one')],
      ['1:one two', '1!', '2:one', '2.'],
    ],
    [
      'without text before leaves nothing',
      [begins(1), fails(1), begins(2), says(2, 'one'), ends(2, 'one')],
      ['1!', '2:one', '2.'],
    ],
    ['that is not made again has failed', [begins(1), says(1, 'one'), fails(1), over], ['1:one', '1!']],
    [
      'does not affect the steps after it',
      [
        begins(1),
        says(1, 'a'),
        fails(1),
        begins(2),
        says(2, 'ab'),
        ends(2, 'ab'),
        begins(3),
        says(3, 'a'),
        ends(3, 'a'),
      ],
      ['1:a', '1:b', '1.', '3:a', '3.'],
    ],
  ]
  test.each(table)('%s', async (_, events, expected) => {
    expect(await read(events)).toEqual(expected)
    const summary = new TurnSummary()
    for await (const event of withoutRepeats(of(events))) summary.add(event)
    const whole = new TurnSummary()
    for (const event of events) whole.add(event)
    const last = events.at(-1)
    if (last?.type === 'modelEnded' && last.text !== 'x') expect(summary.text).toBe(whole.text)
  })
})
