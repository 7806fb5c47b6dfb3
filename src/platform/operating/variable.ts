/** Readers for environment variables. `config.ts` is a table of them. */
import { Secret } from './secret.ts'

export interface Variable<Value> {
  name: string
  /** The default in words, for `--help`. */
  fallback: string
  meaning: string
  /** Parses the text, which is undefined if the variable is unset or empty. Throws `InvalidSetting`. */
  read(text: string | undefined): Value
}

/** The message says what the variable must be and what it is. */
export class InvalidSetting extends Error {
  override readonly name = 'InvalidSetting'
}

/** The text for a message, shortened; left out if it could contain a password (`user:password@host`). */
function shown(text: string): string {
  if (text.includes('@')) return ''
  return `, not ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)}`
}

type Describe = { name: string; meaning: string }

/** A variable read by a function that gets non-empty text and returns undefined for an invalid one. */
function variable<Value, Fallback>(
  { name, meaning }: Describe,
  must: string,
  fallback: { value: Fallback; words: string },
  parse: (text: string) => Value | undefined,
  isSecret = false,
): Variable<Value | Fallback> {
  return {
    name,
    meaning,
    fallback: fallback.words,
    read(text) {
      if (text === undefined) return fallback.value
      const value = parse(text)
      if (value === undefined) throw new InvalidSetting(`${name}: must be ${must}${isSecret ? '' : shown(text)}`)
      return value
    },
  }
}

const none = { value: null, words: 'none' }

/** `words` describe the default if it is not a value. */
export const integer = <Fallback extends number | null>(
  about: Describe,
  fallback: Fallback,
  min: number,
  max: number,
  words = String(fallback),
) =>
  variable(about, `an integer from ${min} to ${max}`, { value: fallback, words }, (text) => {
    const value = /^-?[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })

/** A number above 0, at most `max`. */
export const positive = <Fallback extends number | null>(
  about: Describe,
  fallback: Fallback,
  max: number,
  words = String(fallback),
) =>
  variable(about, `a number above 0, at most ${max}`, { value: fallback, words }, (text) => {
    const value = /^[0-9]{1,9}(\.[0-9]{1,9})?$/.test(text) ? Number(text) : Number.NaN
    return value > 0 && value <= max ? value : undefined
  })

/** A comma-separated list of whole milliseconds. */
export const milliseconds = (about: Describe, words: string) =>
  variable(about, 'a comma list of whole milliseconds', { value: null, words }, (text) =>
    /^ *[0-9]{1,12}( *, *[0-9]{1,12}){0,99} *$/.test(text) ? text.split(',').map(Number) : undefined,
  )

export const flag = (about: Describe, fallback: boolean) =>
  variable(about, 'true or false', { value: fallback, words: String(fallback) }, (text) =>
    text === 'true' ? true : text === 'false' ? false : undefined,
  )

/** One of the choices; null without a fallback. */
export const choice = <const Word extends string, Fallback extends Word | null>(
  about: Describe,
  choices: readonly Word[],
  fallback: Fallback,
  words: string = fallback ?? 'none',
) =>
  variable(about, `one of ${choices.join(', ')}`, { value: fallback, words }, (text) =>
    choices.find((word) => word === text),
  )

/** Text that matches the expression or passes the test. */
export const text = <Fallback extends string | null>(
  about: Describe,
  fallback: Fallback,
  must: string,
  form: Pick<RegExp, 'test'>,
  words = fallback ?? 'none',
) => variable(about, must, { value: fallback, words }, (given) => (form.test(given) ? given : undefined))

/** Text that is never shown. */
export const secret = (about: Describe, must: string, form: Pick<RegExp, 'test'>, words = 'none') =>
  variable(about, must, { ...none, words }, (given) => (form.test(given) ? new Secret(given) : undefined), true)

const urlWith = (schemes: readonly string[]) =>
  `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`

/** A URL with one of the schemes, without a trailing slash; `originOnly` forbids a path. */
export const address = (about: Describe, schemes: readonly string[], originOnly = false, words = 'none') =>
  variable(about, `${urlWith(schemes)}${originOnly ? ', without a path' : ''}`, { value: null, words }, (given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined
    if (!url || !schemes.includes(url.protocol.slice(0, -1)) || url.hash || url.search) return undefined
    if (originOnly && (url.username || url.password || !['', '/'].includes(url.pathname))) return undefined
    return given.replace(/\/+$/, '')
  })

const origin = String.raw`https?:\/\/[\w.-]+(?::(?:\d{1,5}|\*))?`
const originList = new RegExp(String.raw`^(?:\*|${origin}(?:\s*,\s*${origin})*)$`)

/** Comma-separated origins as in a Content-Security-Policy; `*` stands for any port, or for any origin. */
export const origins = (about: Describe, words = 'none') =>
  text(about, null, 'a comma list of origins like https://app.example, or *', originList, words)

/** A URL that may contain a password and is never shown. */
export const secretAddress = (about: Describe, schemes: readonly string[]) =>
  variable(
    about,
    urlWith(schemes),
    none,
    (given) =>
      URL.canParse(given) && schemes.includes(new URL(given).protocol.slice(0, -1)) ? new Secret(given) : undefined,
    true,
  )
