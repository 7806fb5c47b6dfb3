/** The id of a request: the caller's own when it is usable, else a new one. Source: contract 0, "Errors". */
import { newId } from '../../storage/ids.ts'

const printable = /^[\x20-\x7e]{1,128}$/

/** The request id for what `X-Request-Id` said, if it said anything. */
export const requestIdOf = (given: string | null): string =>
  given !== null && printable.test(given) ? given : newId('req')
