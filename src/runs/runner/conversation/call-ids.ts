/** The ids of tool calls. Each id is unique within the run, across agents, because results are looked up by it. */
import { createHash } from 'node:crypto'

/** Less than the server's limit of 200, with room for a number. */
export const callIdCharactersMax = 190

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const characters = 9

/**
 * The id of a delegate's call: the `ordinal`-th in the conversation that answers a call. Vendors repeat ids between
 * conversations. All vendors accept nine letters and digits.
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
