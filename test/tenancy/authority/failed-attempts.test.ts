import { describe, expect, test } from 'bun:test'
import { FailedAttempts } from '../../../src/tenancy/authority/failed-attempts.ts'

const clockAt = (at: number) => {
  const clock = { at, now: () => clock.at }
  return clock
}
const repeat = (times: number, action: () => number) => Array.from({ length: times }, action)

test('twenty failures a minute are free, the next is refused with the remaining seconds', () => {
  const clock = clockAt(5_000)
  const attempts = new FailedAttempts({ clock })
  expect(repeat(20, () => attempts.count('a'))).toEqual(Array(20).fill(0))
  expect(attempts.count('a')).toBe(60)
  clock.at += 59_001
  expect(attempts.count('a')).toBe(1)
})

test('a minute after the first failure the count restarts, to the millisecond', () => {
  const clock = clockAt(0)
  const attempts = new FailedAttempts({ clock, failuresMax: 1 })
  attempts.count('a')
  clock.at = 59_999
  expect(attempts.count('a')).toBe(1)
  clock.at = 60_000
  expect(attempts.count('a')).toBe(0)
})

test('refused failures do not extend the minute', () => {
  const clock = clockAt(0)
  const attempts = new FailedAttempts({ clock, failuresMax: 1 })
  for (; clock.at < 60_000; clock.at += 1_000) attempts.count('a')
  expect(attempts.count('a')).toBe(0)
})

test('addresses are counted separately', () => {
  const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 1 })
  attempts.count('a')
  expect(attempts.count('b')).toBe(0)
  expect(attempts.count('a')).toBe(60)
})

test('0 refuses nothing and stores nothing', () => {
  const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 0 })
  expect(repeat(100, () => attempts.count('a'))).toEqual(Array(100).fill(0))
  expect(attempts.size).toBe(0)
})

test('a flood of addresses stays within the limit and does not release a persistent one', () => {
  const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 1, addressesMax: 10 })
  attempts.count('insistent')
  for (let index = 0; index < 1_000; index += 1) {
    attempts.count(`address ${index}`)
    if (index % 5 === 0) attempts.count('insistent')
  }
  expect(attempts.size).toBe(10)
  expect(attempts.count('insistent')).toBe(60)
})

test('a clock that is set back starts a new minute', () => {
  const clock = clockAt(1_000_000)
  const attempts = new FailedAttempts({ clock, failuresMax: 1 })
  attempts.count('a')
  clock.at = 0
  expect(attempts.count('a')).toBe(0)
})

describe('attempts with a password', () => {
  test('count before they are checked, separate from failures of keys, and can be taken back', () => {
    const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 2 })
    expect(repeat(3, () => attempts.count('a'))).toEqual([0, 0, 60])
    expect(repeat(3, () => attempts.attempt('a'))).toEqual([0, 0, 60])
    attempts.takeBack('a')
    attempts.takeBack('a')
    expect(repeat(2, () => attempts.attempt('a'))).toEqual([0, 60])
    expect(attempts.count('a')).toBe(60)
  })

  test('that were not counted cannot be taken back', () => {
    const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 1 })
    attempts.takeBack('a')
    attempts.attempt('a')
    for (let time = 0; time < 5; time += 1) attempts.takeBack('a')
    expect(repeat(2, () => attempts.attempt('a'))).toEqual([0, 60])
  })

  test('of one IPv6 /64 network count together', () => {
    const attempts = new FailedAttempts({ clock: clockAt(0), failuresMax: 1 })
    expect(attempts.attempt('2001:db8::1')).toBe(0)
    expect(attempts.attempt('2001:db8::ffff:1')).toBe(60)
    expect(attempts.attempt('2001:db8:0:1::1')).toBe(0)
  })
})
