/** Scripts for the sandbox, which replaces the models of a test's server. */

/** One directive of the sandbox: a line of the query. */
export type Direction = string & { readonly direction: unique symbol }

const line = (text: string): Direction => {
  if (/[\r\n]/.test(text)) throw new TypeError(`A direction is one line: ${JSON.stringify(text)}`)
  return text as Direction
}

const count = (word: string, number: number): Direction => {
  if (!Number.isInteger(number) || number < 0) throw new TypeError(`/${word} takes a whole number, not ${number}.`)
  return line(`/${word} ${number}`)
}

/** Says a text. Several texts are joined with a space. */
export const say = (text: string): Direction => line(`/say ${text}`)

/** Calls a tool. Later directives are executed once the result has arrived. */
export const call = (tool: string, input: object = {}): Direction => line(`/call ${tool} ${JSON.stringify(input)}`)

/** Fails permanently, like a refusal of a vendor. */
export const fail = (message: string): Direction => line(`/fail ${message}`)

/** Fails the first attempts of the run with a retryable error. */
export const flaky = (attempts: number): Direction => count('flaky', attempts)

/** Waits this many milliseconds. */
export const sleep = (ms: number): Direction => count('sleep', ms)

/** Says this many words. */
export const tokens = (words: number): Direction => count('tokens', words)

/**
 * A query for the sandbox, which executes it line by line.
 *
 *     script(call('find_order', { number: 'A-17' }), say('Order A-17 is on its way.'))
 */
export const script = (...directions: Direction[]): string => directions.join('\n')
