/** The settings of all examples: the address of the server and the key, `TROUPE_URL` and `TROUPE_KEY`. */
import { Troupe } from '@troupe/sdk'

/** Ends the program with one line for the user. */
export function refuse(line: string, code = 1): never {
  console.error(line)
  process.exit(code)
}

process.on('uncaughtException', ({ message }) => refuse(message))

/** The arguments of the program, at most this many. There are no options, so an option is refused. */
export function words(most: number): string[] {
  const given = process.argv.slice(2)
  const unknown = given.slice(most)[0] ?? given.find((word) => word.startsWith('--'))
  if (unknown !== undefined) refuse(`${JSON.stringify(unknown)} is not an argument of this program.`, 2)
  return given
}

if (!process.env.TROUPE_KEY) refuse('Set TROUPE_KEY to the API key that the server printed when it first started.')

/** For clients of other protocols. */
export const url = process.env.TROUPE_URL ?? 'http://127.0.0.1:3000'
export const key: string = process.env.TROUPE_KEY ?? ''

/** A client, which reads both settings. */
export const troupe = new Troupe()
