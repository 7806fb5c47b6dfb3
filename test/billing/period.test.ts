import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { calendarMonth, type Interval, periodAt } from '../../machines/period.ts'

const at = (text: string) => Date.parse(text)

test.each([
  ['2026-01-31', 'month', '2026-01-31', '2026-01-31', '2026-02-28'],
  ['2026-01-31', 'month', '2026-02-28', '2026-02-28', '2026-03-31'],
  ['2026-01-31', 'month', '2026-03-30', '2026-02-28', '2026-03-31'],
  ['2028-01-31', 'month', '2028-02-29', '2028-02-29', '2028-03-31'],
  ['2026-12-15', 'month', '2027-01-14', '2026-12-15', '2027-01-15'],
  ['2028-02-29', 'year', '2029-02-27', '2028-02-29', '2029-02-28'],
  ['2028-02-29', 'year', '2032-03-01', '2032-02-29', '2033-02-28'],
] as [string, Interval, string, string, string][])(
  'from %s by the %s, %s is in %s to %s',
  (anchor, interval, now, start, end) => {
    expect(periodAt(at(anchor), interval, at(now))).toEqual({ start: at(start), end: at(end) })
  },
)

test('the calendar month is in UTC', () => {
  expect(calendarMonth(at('2026-01-31T23:59:59.999Z'))).toEqual({ start: at('2026-01-01'), end: at('2026-02-01') })
  expect(calendarMonth(at('2026-02-01T00:00:00.000Z'))).toEqual({ start: at('2026-02-01'), end: at('2026-03-01') })
})

test('every instant is in one period, and the next period starts where it ends', () => {
  const moment = fc.integer({ min: at('2020-01-01'), max: at('2060-01-01') })
  fc.assert(
    fc.property(moment, moment, fc.constantFrom<Interval>('month', 'year'), (a, b, interval) => {
      const [anchor, now] = [Math.min(a, b), Math.max(a, b)]
      const { start, end } = periodAt(anchor, interval, now)
      expect(start <= now && now < end).toBe(true)
      expect(periodAt(anchor, interval, end).start).toBe(end)
    }),
    { numRuns: 200 },
  )
})
