/** The ids of tool calls. Within a run each is used once, whichever agent makes the call: results are found by them. */
import { createHash } from 'node:crypto'

/** Below the 200 that the server takes, with room for a number. */
export const callIdCharactersMax = 190

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const characters = 9

/**
 * The id of a delegate's call: the `ordinal`-th of the conversation that answers a call. Vendors number the calls of each
 * conversation alike, so theirs would not do. Nine letters and digits are what every vendor takes back.
 */
export function delegateCallId(answers: string, ordinal: number): string {
  let number = createHash('sha256').update(`${answers}\n${ordinal}`).digest().readBigUInt64BE()
  let id = ''
  for (let place = 0; place < characters; place++) {
    id += alphabet[Number(number % 62n)]
    number /= 62n
  }
  return id
}
