/** Ticks at the intended local times, also when clocks change. Source: contract 6, Jobs. */
import { describe, expect, test } from 'bun:test'
import {
  cronFault,
  lastTicks,
  nextTick,
  normalCron,
  timezoneFault,
} from '../../../src/automation/agent-jobs/schedule.ts'

const at = (text: string) => Date.parse(`${text}Z`)
const shown = (ticks: number[]) => ticks.map((tick) => new Date(tick).toISOString().slice(0, 16))

function ticksAfter(cron: string, timezone: string, from: string, count: number): number[] {
  const ticks: number[] = []
  let last = at(from)
  for (let index = 0; index < count; index += 1) {
    last = nextTick({ cron, timezone }, last) as number
    ticks.push(last)
  }
  return ticks
}

/** All in UTC; computed by hand from the rules of the zones. */
const days: [what: string, cron: string, timezone: string, from: string, ticks: string[]][] = [
  ['an ordinary day', '30 7 * * *', 'UTC', '2026-01-31T07:29', ['2026-01-31T07:30', '2026-02-01T07:30']],
  ['a tick is not its own next one', '30 7 * * *', 'UTC', '2026-01-31T07:30', ['2026-02-01T07:30']],
  ['either day matches', '0 0 13 * FRI', 'UTC', '2026-02-10T00:00', ['2026-02-13T00:00', '2026-02-20T00:00']],
  ['a leap day', '0 0 29 2 *', 'UTC', '2026-01-31T00:00', ['2028-02-29T00:00', '2032-02-29T00:00']],
  [
    'an offset of half an hour',
    '0 9 * * *',
    'Asia/Kolkata',
    '2026-01-31T00:00',
    ['2026-01-31T03:30', '2026-02-01T03:30'],
  ],
  // 2026-03-29: the hour from 02:00 to 03:00 does not exist
  ['Berlin, gap', '30 2 * * *', 'Europe/Berlin', '2026-03-28T02:00', ['2026-03-29T01:00', '2026-03-30T00:30']],
  [
    'Berlin, gap, at its end',
    '0 3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00',
    ['2026-03-29T01:00', '2026-03-30T01:00'],
  ],
  [
    'Berlin, gap, two ticks that coincide',
    '30 2,3 * * *',
    'Europe/Berlin',
    '2026-03-28T12:00',
    ['2026-03-29T01:00', '2026-03-29T01:30', '2026-03-30T00:30'],
  ],
  [
    'Berlin, gap, every half hour',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-03-29T00:15',
    ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
  ],
  // 2026-10-25: the hour from 02:00 to 03:00 occurs twice
  ['Berlin, twice', '30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00', ['2026-10-25T00:30', '2026-10-26T01:30']],
  ['Berlin, the second occurrence', '30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10', ['2026-10-26T01:30']],
  [
    'Berlin, repeated hour, every half hour',
    '*/30 * * * *',
    'Europe/Berlin',
    '2026-10-24T23:45',
    ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
  ],
  [
    'Berlin, repeated hour, every hour, from within the second occurrence',
    '0 * * * *',
    'Europe/Berlin',
    '2026-10-25T01:10',
    ['2026-10-25T02:00', '2026-10-25T03:00'],
  ],
  [
    'Berlin, repeated hour, listed hours',
    '*/30 2,3 * * *',
    'Europe/Berlin',
    '2026-10-24T23:45',
    ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T02:00', '2026-10-25T02:30'],
  ],
  [
    'Lord Howe, repeated half hour, every ten minutes',
    '*/20 * * * *',
    'Australia/Lord_Howe',
    '2026-04-04T14:30',
    ['2026-04-04T14:40', '2026-04-04T15:10', '2026-04-04T15:30'],
  ],
  ['New York, gap', '30 2 * * *', 'America/New_York', '2026-03-07T12:00', ['2026-03-08T07:00', '2026-03-09T06:30']],
  [
    'New York, repeated hour',
    '30 1 * * *',
    'America/New_York',
    '2026-10-31T12:00',
    ['2026-11-01T05:30', '2026-11-02T06:30'],
  ],
  // a shift of half an hour, from 02:00 to 02:30
  ['Lord Howe, gap', '15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T20:00', ['2026-10-03T15:30', '2026-10-04T15:15']],
  [
    'Lord Howe, repeated half hour',
    '45 1 * * *',
    'Australia/Lord_Howe',
    '2026-04-03T20:00',
    ['2026-04-04T14:45', '2026-04-05T15:15'],
  ],
  // 30 December 2011 does not exist
  [
    'Apia, a skipped day',
    '0 9 * * *',
    'Pacific/Apia',
    '2011-12-29T00:00',
    ['2011-12-29T19:00', '2011-12-30T10:00', '2011-12-30T19:00'],
  ],
  // clocks set back for Ramadan
  [
    'Casablanca, twice',
    '30 2 * * *',
    'Africa/Casablanca',
    '2026-02-14T12:00',
    ['2026-02-15T01:30', '2026-02-16T02:30'],
  ],
  ['Casablanca, gap', '30 2 * * *', 'Africa/Casablanca', '2026-03-21T12:00', ['2026-03-22T02:00', '2026-03-23T01:30']],
  // clocks set forward at midnight: the day begins at 01:00
  ['Santiago, midnight', '0 0 * * *', 'America/Santiago', '2026-09-05T12:00', ['2026-09-06T04:00', '2026-09-07T03:00']],
]

describe.each(days)('%s (%s, %s)', (_what, cron, timezone, from, ticks) => {
  test('forwards', () => {
    expect(shown(ticksAfter(cron, timezone, from, ticks.length))).toEqual(ticks)
  })

  test('backwards', () => {
    const until = at(ticks.at(-1) as string)
    expect(shown(lastTicks({ cron, timezone }, at(from) + 1, until, 100))).toEqual(ticks)
    expect(shown(lastTicks({ cron, timezone }, at(from) + 1, until, 1))).toEqual(ticks.slice(-1))
  })
})

test('every minute of a year of downtime: the last twenty', () => {
  const ticks = lastTicks(
    { cron: '* * * * *', timezone: 'Europe/Berlin' },
    at('2025-01-01T00:00'),
    at('2026-01-01T00:00'),
    20,
  )
  expect(ticks.length).toBe(20)
  expect(shown([ticks[0] as number, ticks[19] as number])).toEqual(['2025-12-31T23:41', '2026-01-01T00:00'])
})

test('no tick in between: none', () => {
  expect(lastTicks({ cron: '0 0 1 1 *', timezone: 'UTC' }, at('2026-01-02T00:00'), at('2026-02-02T00:00'), 20)).toEqual(
    [],
  )
})

test.each(['* * * * *', '*/5 0-6,22 1,15 JAN-mar sun,3', '0 0 * * 7', ' 0  0\t* * * ', '0-30/10 * * * *'])(
  '%p is a valid pattern',
  (cron) => {
    expect(cronFault(cron)).toBeUndefined()
  },
)

test.each([
  '',
  '* * * *',
  '* * * * * *',
  '@daily',
  '60 * * * *',
  '0 24 * * *',
  '0 0 0 * *',
  '0 0 32 * *',
  '0 0 * 13 *',
  '0 0 * * 8',
  '*/0 * * * *',
  '5-1 * * * *',
  '1,,2 * * * *',
  '5/15 * * * *',
  '0 0 L * *',
  '0 0 15W * *',
  '0 0 * * MON#2',
  '0 0 ? * *',
  '0 0 * FOO *',
  'a b c d e',
  '0 0 30 2 *',
  '0 0 31 2,4,6,9,11 *',
  '2026-01-31T12:00:00',
])('%p is invalid', (cron) => {
  expect(cronFault(cron)).toBeString()
})

test.each([
  ['0 0 * 13 *', 'The month `13` is not valid: it must be 1 to 12 or `JAN` to `DEC`'],
  ['0 0 * 1,0 *', 'The month `0` is not valid: it must be 1 to 12 or `JAN` to `DEC`'],
  ['0 0 0 * *', 'The day of the month `0` is not valid: it must be 1 to 31'],
  ['0 0 1-40 * *', 'The day of the month `1-40` is not valid: it must be 1 to 31'],
  ['0 24 * * *', 'The hour `24` is not valid: it must be 0 to 23'],
  ['*/70 * * * *', 'The minute `*/70` is not valid: it must be 0 to 59'],
  ['1,,2 * * * *', 'The minute `1,,2` is not valid: it must be 0 to 59'],
  ['0 0 * * 8', 'The day of the week `8` is not valid: it must be 0 to 7 or `SUN` to `SAT`'],
  ['0 0 * * fri-mon', 'The day of the week `fri-mon` is not valid: it must be 0 to 7 or `SUN` to `SAT`'],
])('the fault of %p names the field and the value as written', (cron, message) => {
  expect(cronFault(cron)).toStartWith(message)
})

test('fields are stored with one space between them', () => {
  expect(normalCron(' 0  0\t* *\n* ')).toBe('0 0 * * *')
})

test.each([
  ['Europe/Berlin', true],
  ['UTC', true],
  ['Etc/GMT+5', true],
  ['America/Argentina/Buenos_Aires', true],
  ['+02:00', false],
  ['Mars/Olympus', false],
  ['', false],
  ['Europe/Berlin ', false],
])('%p is a time zone: %p', (zone, is) => {
  expect(timezoneFault(zone) === undefined).toBe(is)
})
