/** Who calls: the identity and the authority that a request acts with. Source: requirement 5; contract 1. */
import type { Permission } from './permissions.ts'

export interface Caller {
  /** What the credential is: an API key, or a user's session. */
  principal: { type: 'apiKey' | 'user'; id: string }
  /** The user behind the credential; with an API key, the one who created it. */
  userId: string
  organizationId: string
  /** What the caller may do now: the key's operations within the user's current permissions. */
  permissions: ReadonlySet<Permission>
  /** A key bound to a Project, Environment or Agent reaches nothing outside; null binds nothing. */
  scope: { projectId: string | null; environmentId: string | null; agentId: string | null }
}

/**
 * Turns the credential of a request into a caller. Throws `unauthenticated` or `invalidApiKey`. A plain value is the
 * fast answer (a cached key); a promise is awaited. The request is there for credentials that are not in the header.
 */
export interface Authenticator {
  authenticate(authorization: string | null, request: Request): Caller | Promise<Caller>
}

/** What an attempt token says: the one attempt that its bearer may report on. Source: contract 5, "Runner protocol". */
export interface AttemptClaims {
  agentRunId: string
  attemptId: string
  agentRevisionId: string
  fencingToken: number
}

/** Verifies the credentials of the runner protocol. Both throw `invalid_attempt_token` (401). */
export interface RunnerCredentials {
  /** The registration token, which may ask for leases. */
  registration(authorization: string | null): void | Promise<void>
  /** The token of one attempt. */
  attempt(authorization: string | null): AttemptClaims | Promise<AttemptClaims>
}
