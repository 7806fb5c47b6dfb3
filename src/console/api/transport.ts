/**
 * Sends the console's requests with the session cookie, the organization header and the CSRF token, and detects an ended session.
 * Source: contract 1, "Session", "Keys and organizations".
 */

/** The session, as requests need it. */
export interface Gate {
  csrfToken(): string | undefined
  /** Asks the server for the session. Resolves to false if it has ended; the user is then asked to sign in again. */
  check(): Promise<boolean>
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface TransportParts {
  fetch: Fetch
  gate: Gate
  /** Id or slug of the organization to act in. */
  organization?: string
}

const reads = new Set(['GET', 'HEAD'])
/** Session routes handle a 401 or 403 themselves. */
const ofSession = /\/api\/auth\//
/** Rejects `.` and `..` segments, so that an id cannot change the path of the operation. */
const addressForm = /^https?:\/\/[^/?#\\]+(?:\/(?!\.{1,2}(?:[/?]|$))[\w.~:@-]+)+(?:\?|$)/

/** Sends one request. Rejects only if there is no response. */
export function createTransport({ fetch, gate, organization }: TransportParts): Fetch {
  const send = (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    if (organization !== undefined && !ofSession.test(url)) headers.set('x-troupe-organization', organization)
    const token = gate.csrfToken()
    if (!reads.has(init.method ?? 'GET') && token !== undefined) headers.set('x-csrf-token', token)
    return fetch(url, { ...init, headers, credentials: 'same-origin', redirect: 'error' })
  }

  return async (url, init) => {
    if (!addressForm.test(url)) throw new TypeError(`${url} is not an API address`)
    const answer = await send(url, init)
    if (ofSession.test(url) || !(await isOfSession(answer))) return answer
    // another tab may have signed in since: retry with the new token
    const before = gate.csrfToken()
    const continues = await gate.check()
    return continues && answer.status === 403 && gate.csrfToken() !== before ? send(url, init) : answer
  }
}

/** Whether the response concerns the session rather than the resource. */
async function isOfSession(answer: Response): Promise<boolean> {
  if (answer.status === 401) return true
  if (answer.status !== 403) return false
  const body = await answer
    .clone()
    .json()
    .catch(() => undefined)
  return body?.error?.code === 'csrf_required'
}
