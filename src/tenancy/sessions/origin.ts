/** The origin of a request, for the audit log, the limits of sign-ins and the list of sessions. */
import type { RequestId } from '../../platform/http/answers/request-id.ts'

export interface Origin extends RequestId {
  /** The client's address. */
  address: string | undefined
  /** The `User-Agent`; not verified. */
  userAgent?: string | undefined
  /** The browser's id, if it has signed in to the account (its user's id) before. */
  deviceOf?: (userId: string) => string | undefined
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined
  /** Whether the request has a session of the account. */
  signedIn?: boolean
}

const userAgentLengthMax = 256

/** The `User-Agent` on one line of bounded length; undefined if it is empty. Pure. */
function userAgentIn(header: string | null): string | undefined {
  const line = (header ?? '').slice(0, userAgentLengthMax * 2).replaceAll(/\p{C}+/gu, ' ')
  return line.trim().slice(0, userAgentLengthMax) || undefined
}

/** The part of the origin that every request has. */
export const originOf = (request: Request, id: RequestId, address: string | undefined): Origin => ({
  ...id,
  address,
  userAgent: userAgentIn(request.headers.get('user-agent')),
  signal: request.signal,
})
