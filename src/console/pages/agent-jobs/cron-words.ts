/** Describes a cron pattern in words; unusual patterns are described field by field. Pure. */

interface Field {
  unit: string
  names?: readonly string[]
  /** Value of the first name. */
  from?: number
}

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

const minuteField: Field = { unit: 'minute' }
const hourField: Field = { unit: 'hour' }
const dateField: Field = { unit: 'day' }
const monthField: Field = { unit: 'month', names: months, from: 1 }
const dayField: Field = { unit: 'day of the week', names: days, from: 0 }

const numberPattern = /^\d+$/
const listed = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

/** `1` or `MON` → `Monday`; unnamed numbers stay as they are. */
function valueIn({ names, from = 0 }: Field, word: string): string {
  if (!names) return word
  if (numberPattern.test(word)) return names[Number(word) - from] ?? word
  return names.find((name) => name.slice(0, 3).toLowerCase() === word.toLowerCase()) ?? word
}

/** `1-5` → `Monday to Friday`, `2-10/2` → `every 2nd …` */
function part(field: Field, text: string): string {
  const [range = '', step] = text.split('/')
  const [first = '', last] = range.split('-')
  const whole =
    range === '*'
      ? ''
      : last === undefined
        ? valueIn(field, first)
        : `${valueIn(field, first)} to ${valueIn(field, last)}`
  if (step === undefined || step === '1') return whole
  const each = `every ${ordinal(Number(step))} ${field.unit}`
  return whole === '' ? each : `${each} from ${whole}`
}

function ordinal(count: number): string {
  const [tens, ones] = [count % 100, count % 10]
  if (tens > 10 && tens < 14) return `${count}th`
  return `${count}${['th', 'st', 'nd', 'rd'][ones] ?? 'th'}`
}

const words = (field: Field, text: string): string =>
  text === '*' ? '' : listed(text.split(',').map((one) => part(field, one)))

const two = (text: string) => text.padStart(2, '0')
const isList = (text: string) => /^\d+(?:,\d+)*$/.test(text)
const clockTimesMax = 6

function timeOfDay(minute: string, hour: string): string {
  if (isList(minute) && isList(hour)) {
    const times = hour.split(',').flatMap((h) => minute.split(',').map((m) => `${two(h)}:${two(m)}`))
    if (times.length <= clockTimesMax) return `at ${listed(times)}`
  }
  if (minute === '*' && hour === '*') return 'every minute'
  const [, everyMinutes] = /^\*\/(\d+)$/.exec(minute) ?? []
  const [, everyHours] = /^\*\/(\d+)$/.exec(hour) ?? []
  const minutes =
    minute === '*'
      ? 'every minute'
      : everyMinutes
        ? everyMinutes === '1'
          ? 'every minute'
          : `every ${everyMinutes} minutes`
        : minute === '0'
          ? ''
          : `at minute ${words(minuteField, minute)}`
  const hours =
    hour === '*'
      ? minutes.startsWith('every')
        ? ''
        : 'every hour'
      : everyHours
        ? everyHours === '1'
          ? 'every hour'
          : `every ${everyHours} hours`
        : `of hour ${words(hourField, hour)}`
  if (minutes === '') return hours.startsWith('of hour') ? `on the hour, hour ${words(hourField, hour)}` : hours
  if (hours === '') return minutes
  return hours.startsWith('of') ? `${minutes} ${hours}` : `${hours}, ${minutes}`
}

/** `on day 31 of December`, `on Monday to Friday`, `on day 1 of the month, or on Monday` */
function dayText(date: string, month: string, day: string): string {
  const inMonth = month === '*' ? '' : month.includes('/') ? words(monthField, month) : `in ${words(monthField, month)}`
  const ofMonth = month === '*' || month.includes('/') ? ' of the month' : ` of ${words(monthField, month)}`
  const dates =
    date === '*' ? '' : date.includes('/') ? words(dateField, date) : `on day ${words(dateField, date)}${ofMonth}`
  const week = day === '*' ? '' : day.includes('/') ? words(dayField, day) : `on ${words(dayField, day)}`
  const either = [dates, week].filter(Boolean).join(', or ')
  return [either, dates.includes(' of ') && !month.includes('/') ? '' : inMonth].filter(Boolean).join(', ')
}

/** `30 7 * * MON-FRI` → `At 07:30, on Monday to Friday`; undefined unless the pattern has five fields. */
export function cronWords(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) return undefined
  const [minute = '', hour = '', date = '', month = '', day = ''] = fields
  const time = timeOfDay(minute, hour)
  const days = dayText(date, month, day)
  const text = days === '' && !time.includes('every') ? `${time}, every day` : [time, days].filter(Boolean).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
