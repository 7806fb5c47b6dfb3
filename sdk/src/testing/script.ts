/** The script of the sandbox, which stands in for the models of a test's server. */

/** One thing that the sandbox does, as a line of the query. */
export type Direction = string & { readonly direction: unique symbol }

const line = (text: string): Direction => {
  if (/[\r\n]/.test(text)) throw new TypeError(`A direction is one line: ${JSON.stringify(text)}`)
  return text as Direction
}

const count = (word: string, number: number): Direction => {
  if (!Number.isInteger(number) || number < 0) throw new TypeError(`/${word} takes a whole number, not ${number}.`)
  return line(`/${word} ${number}`)
}

/** Says a text. Several are said one after the other, with a space between. */
export const say = (text: string): Direction => line(`/say ${text}`)

/** Calls a tool. What comes after it comes when the result is there. */
export const call = (tool: string, input: object = {}): Direction => line(`/call ${tool} ${JSON.stringify(input)}`)

/** Fails for good, as a vendor's refusal. */
export const fail = (message: string): Direction => line(`/fail ${message}`)

/** Fails the first attempts of the run in a way that is tried again. */
export const flaky = (attempts: number): Direction => count('flaky', attempts)

/** Waits so many milliseconds. */
export const sleep = (ms: number): Direction => count('sleep', ms)

/** Says so many words. */
export const tokens = (words: number): Direction => count('tokens', words)

/**
 * A query that the sandbox obeys, line by line.
 *
 *     script(call('find_order', { number: 'A-17' }), say('Order A-17 is on its way.'))
 */
export const script = (...directions: Direction[]): string => directions.join('\n')
