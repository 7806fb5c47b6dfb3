/**
 * The id of a request: the caller's own if it is valid, else a new one. Source: contract 0, "Errors". A caller can repeat
 * the id of someone else's request, so a stored id always says who made it.
 *
 * Every request needs one, so ids are cheap: those of one millisecond share a new TypeID except for its last 20 bits,
 * which are a counter (a monotonic UUIDv7, RFC 9562, 6.2).
 */
import { newId, pairs } from '../../../../storage/ids.ts'

const printable = /^[\x20-\x7e]{1,128}$/
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
  /** Who made the id; null if that was not recorded. */
  requestIdFrom: 'server' | 'client' | null
}

/** The request id for the value of `X-Request-Id`. */
export const requestIdOf = (given: string | null): RequestId =>
  given !== null && printable.test(given)
    ? { requestId: given, requestIdFrom: 'client' }
    : { requestId: newRequestId(), requestIdFrom: 'server' }
