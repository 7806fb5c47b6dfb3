/** Failures that repeat are logged at once, and then once a minute. */
import { expect, test } from 'bun:test'
import { backgroundLog } from '../../src/platform/repeats.ts'

function opened() {
  const clock = { at: 1_000_000_000, now: () => clock.at }
  const lines: object[] = []
  const log = backgroundLog({ error: (fields: object) => void lines.push(fields) } as never, clock)
  return { clock, lines, log }
}
const away = () => new Error('The store is not reachable.')

test('an outage is one line a minute for each kind of work, with the number of repetitions', () => {
  const { clock, lines, log } = opened()
  for (let second = 0; second < 150; second += 1) {
    for (const what of ['the timers', 'the effects']) log(away(), what)
    clock.at += 1_000
  }
  const linesOf = (what: string) => [
    { err: away(), what },
    { err: away(), what, repeated: 59 },
    { err: away(), what, repeated: 59 },
  ]
  expect(lines.filter((line) => 'what' in line && line.what === 'the timers')).toEqual(linesOf('the timers'))
  expect(lines.filter((line) => 'what' in line && line.what === 'the effects')).toEqual(linesOf('the effects'))
})

test('another failure of the same work is logged at once', () => {
  const { lines, log } = opened()
  log(away(), 'the timers')
  log(new Error('The store is shutting down or starting.'), 'the timers')
  log('odd', 'the timers')
  log(away(), 'the timers')
  expect(lines).toHaveLength(3)
})

test('after a quiet time the same failure is a new line, also if the clock was set back', () => {
  const { clock, lines, log } = opened()
  log(away(), 'the timers')
  clock.at += 60_000
  log(away(), 'the timers')
  clock.at -= 3_600_000
  log(away(), 'the timers')
  expect(lines).toEqual(Array(3).fill({ err: away(), what: 'the timers' }))
})
