/** Where a request comes from, for the audit log, for the limits of sign-ins and for the list of sessions. */
import type { RequestId } from '../../platform/http/answers/request-id.ts'

export interface Origin extends RequestId {
  /** The client's address. */
  address: string | undefined
  /** What the client calls itself; text of anybody's making. */
  userAgent?: string | undefined
  /** The browser's id, when it has signed in to the account (its user's id) before. */
  deviceOf?: (userId: string) => string | undefined
  /** Aborted when the client has gone. */
  signal?: AbortSignal | undefined
  /** Whether the request comes with a session of the account. */
  signedIn?: boolean
}

const userAgentLengthMax = 256

/** What the client calls itself, as one line of bounded length; undefined when it says nothing. Pure. */
export function userAgentIn(header: string | null): string | undefined {
  const line = (header ?? '').slice(0, userAgentLengthMax * 2).replaceAll(/\p{C}+/gu, ' ')
  return line.trim().slice(0, userAgentLengthMax) || undefined
}

/** The origin of a request, as far as every request tells it. */
export const originOf = (request: Request, id: RequestId, address: string | undefined): Origin => ({
  ...id,
  address,
  userAgent: userAgentIn(request.headers.get('user-agent')),
  signal: request.signal,
})
