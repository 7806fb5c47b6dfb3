/**
 * API keys that report for an attempt: the key is the credential, and `X-Troupe-Attempt` has the attempt's token. Source:
 * contract 5, `agent-runs:steps:create`.
 */

import { invalidAttemptToken, notFound, permissionDenied, unauthenticated } from '../answers/errors.ts'
import { isWithinScope, maySomewhere } from './authorization-scope.ts'
import type { AttemptClaims } from './caller.ts'
import type { GuardParts, ResponseHeaders } from './parts.ts'
import type { Permission } from './permissions.ts'

export const attemptHeader = 'x-troupe-attempt'

/**
 * The attempt that a key reports for. Throws 401 for the key, `permission_denied` (403), `invalid_attempt_token` (401), and
 * `notFound` for a run outside the key's scope.
 */
export async function admitReporter(
  { authenticator, runnerCredentials, tree }: GuardParts,
  permission: Permission,
  request: Request,
  headers: ResponseHeaders,
): Promise<AttemptClaims> {
  const caller = await authenticator.authenticate(request.headers.get('authorization'), request, undefined, headers)
  if (caller.principal.type !== 'apiKey') throw unauthenticated()
  if (!maySomewhere(caller, permission)) throw permissionDenied(permission)
  if (!runnerCredentials) throw invalidAttemptToken()
  const claims = await runnerCredentials.attempt(`Bearer ${request.headers.get(attemptHeader)}`, request)
  const place = await tree?.run?.(caller.organizationId, claims.agentRunId)
  if (!place || !isWithinScope(caller, permission, place)) throw notFound()
  return claims
}
