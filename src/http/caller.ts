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

/** Turns the credential of a request into a caller. Throws `unauthenticated` or `invalidApiKey`. */
export interface Authenticator {
  authenticate(authorization: string | null): Caller | Promise<Caller>
}
