/** The CSRF token that a session sends with a change. Source: contract 1, "Session". */
import { timingSafeEqual } from 'node:crypto'
import { csrfRequired } from '../answers/errors.ts'
import type { Identity } from './caller.ts'

/** Throws `csrf_required` (403) unless the given token is the session's; `where` names its place in the request. */
export function assertSameToken(csrfToken: string, given: unknown, where?: string): void {
  const [wanted, known] = [Buffer.from(csrfToken), Buffer.from(typeof given === 'string' ? given : '')]
  if (wanted.length !== known.length || !timingSafeEqual(wanted, known)) throw csrfRequired(where)
}

/** Checks the token in a body; an API key needs none. */
export function assertTokenIn(body: unknown, { csrfToken }: Pick<Identity, 'csrfToken'>): void {
  if (csrfToken !== null) assertSameToken(csrfToken, Object(body).csrfToken, 'csrfToken in the body')
}

/** The body without the token, which is not part of the command. */
export function withoutToken(body: unknown): unknown {
  const { csrfToken: _token, ...rest } = Object(body) as Record<string, unknown>
  return rest
}
