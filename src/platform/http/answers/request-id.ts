/**
 * The id of a request: the caller's own when it is usable, else a new one. Source: contract 0, "Errors". A caller can send
 * an id that somebody else's request had, so wherever an id is kept it is said where it comes from.
 *
 * Every request needs one, so they are cheap: requests of the same millisecond share a freshly drawn TypeID but for its
 * last 20 bits, which count (a monotonic UUIDv7, RFC 9562, 6.2).
 */
import { newId } from '../../../../storage/ids.ts'

const printable = /^[\x20-\x7e]{1,128}$/
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
/** Two characters for each number of 10 bits. */
const pairs = Array.from({ length: 1024 }, (_, number) => alphabet[number >> 5]! + alphabet[number & 31]!)
const countMax = 2 ** 20 - 1

let drawnAt = 0
let stem = ''
let count = 0

function newRequestId(): string {
  const now = Date.now()
  if (now !== drawnAt || count === countMax) {
    stem = newId('req', now).slice(0, -4)
    drawnAt = now
    count = 0
  }
  count++
  return stem + pairs[count >> 10] + pairs[count & 1023]
}

export interface RequestId {
  requestId: string
  /** Who made the id; null where that was not noted. */
  requestIdFrom: 'server' | 'client' | null
}

/** The request id for what `X-Request-Id` said, if it said anything. */
export const requestIdOf = (given: string | null): RequestId =>
  given !== null && printable.test(given)
    ? { requestId: given, requestIdFrom: 'client' }
    : { requestId: newRequestId(), requestIdFrom: 'server' }
