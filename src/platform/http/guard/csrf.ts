/** The token that a session sends along with a change. Source: contract 1, "Session". */
import { timingSafeEqual } from 'node:crypto'
import { csrfRequired } from '../answers/errors.ts'
import type { Identity } from './caller.ts'

/** Throws `csrf_required` (403) unless what was given is the session's token; `where` it belongs. */
export function assertSameToken(csrfToken: string, given: unknown, where?: string): void {
  const [wanted, known] = [Buffer.from(csrfToken), Buffer.from(typeof given === 'string' ? given : '')]
  if (wanted.length !== known.length || !timingSafeEqual(wanted, known)) throw csrfRequired(where)
}

/** The same for a body that has to carry the token; with an API key there is none to carry. */
export function assertTokenIn(body: unknown, { csrfToken }: Pick<Identity, 'csrfToken'>): void {
  if (csrfToken !== null) assertSameToken(csrfToken, Object(body).csrfToken, 'csrfToken in the body')
}

/** The body without the token, which says nothing about what is asked for. */
export function withoutToken(body: unknown): unknown {
  const { csrfToken: _token, ...rest } = Object(body) as Record<string, unknown>
  return rest
}
