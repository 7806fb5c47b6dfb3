/**
 * How requests of the console leave: as the session in the cookie, for one organization, with the token that changes
 * carry. A session that is over is noticed here, for every request. Source: contract 1, "Session", "Keys and organizations".
 */

/** The session, as far as requests know it. */
export interface Gate {
  csrfToken(): string | undefined
  /** Asks the server who is signed in; false, and the user is asked to sign in again, when the session is over. */
  check(): Promise<boolean>
}

/** What sends requests: the browser's `fetch`, or a test's. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface TransportParts {
  fetch: Fetch
  gate: Gate
  /** The id or slug of the organization that is spoken for. */
  organization?: string
}

const reads = new Set(['GET', 'HEAD'])
/** Signing in, out and asking who one is decide for themselves what a refusal means. */
const ofSession = /\/api\/auth\//
/** An id in an address is no path of its own: nothing climbs out of the operation that was meant. */
const addressForm = /^https?:\/\/[^/?#\\]+(?:\/(?!\.{1,2}(?:[/?]|$))[\w.~:@-]+)+(?:\?|$)/

/** Sends one request. Rejects only when there is no answer. */
export function createTransport({ fetch, gate, organization }: TransportParts): Fetch {
  const send = (url: string, init: RequestInit) => {
    const headers = new Headers(init.headers)
    if (organization !== undefined && !ofSession.test(url)) headers.set('x-troupe-organization', organization)
    const token = gate.csrfToken()
    if (!reads.has(init.method ?? 'GET') && token !== undefined) headers.set('x-csrf-token', token)
    return fetch(url, { ...init, headers, credentials: 'same-origin', redirect: 'error' })
  }

  return async (url, init) => {
    if (!addressForm.test(url)) throw new TypeError(`${url} is no address of the API`)
    const answer = await send(url, init)
    if (ofSession.test(url) || !(await isOfSession(answer))) return answer
    // another tab may have signed in anew meanwhile: with its token the same request is fine
    const before = gate.csrfToken()
    const goesOn = await gate.check()
    return goesOn && answer.status === 403 && gate.csrfToken() !== before ? send(url, init) : answer
  }
}

/** Whether the answer is about the session and not about what was asked for. */
async function isOfSession(answer: Response): Promise<boolean> {
  if (answer.status === 401) return true
  if (answer.status !== 403) return false
  const body = await answer
    .clone()
    .json()
    .catch(() => undefined)
  return body?.error?.code === 'csrf_required'
}
