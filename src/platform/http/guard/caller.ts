/** Who calls: the identity and the authority that a request acts with. Source: requirement 5; contract 1. */
import type { LeasingRunner } from '../../../../machines/run-words.ts'
import type { Permission } from './permissions.ts'

export type { LeasingRunner } from '../../../../machines/run-words.ts'

export type Role = 'owner' | 'admin' | 'member'

/** The part of the organization's tree that a key is bound to; null binds nothing. Environment and Agent come with a Project. */
export interface Scope {
  projectId: string | null
  environmentId: string | null
  agentId: string | null
}

export const unbound: Scope = Object.freeze({ projectId: null, environmentId: null, agentId: null })

/** A user, by one of the user's credentials. Creating and listing organizations needs no more. */
export interface Identity {
  /** What the credential is: an API key, or a user's session. */
  principal: { type: 'apiKey' | 'user'; id: string }
  /** The credential itself, which limits are counted by: the key's id, or the session's. */
  credentialId: string
  /** The user behind the credential; with an API key, the one who created it. */
  userId: string
  /** With an API key the one that it speaks for; null with a session. */
  organizationId: string | null
  /** What a key is bound to. */
  scope: Scope
  /** When the session began, epoch milliseconds; left out with an API key. */
  sessionBeganAt?: number
  /** What a session has to send along with a change; null with an API key. */
  csrfToken: string | null
}

/** An identity within an organization. */
export interface Caller extends Identity {
  organizationId: string
  organization: { slug: string; status: 'active' | 'deleting' }
  role: Role
  /** What the caller may do everywhere in the organization: the key's operations within the user's role. */
  permissions: ReadonlySet<Permission>
  /** By Project, what the caller may do there besides: the key's operations within the user's access grants. */
  granted: ReadonlyMap<string, ReadonlySet<Permission>>
}

/**
 * Turns the credential of a request into who calls. Both throw or reject with `unauthenticated` or `invalidApiKey`, and
 * `rate_limited` (429) after too many failures. A plain value is the fast answer; a promise is awaited.
 */
export interface Authenticator {
  /**
   * `organization` is the id or slug in the path. Throws `notFound` for an organization that the credential does not
   * speak for, `permissionDenied` when the header of a session names such a one. A session may set its cookie again.
   */
  authenticate(
    authorization: string | null,
    request: Request,
    organization?: string,
    responseHeaders?: Record<string, string | number>,
  ): Caller | Promise<Caller>
  identify(
    authorization: string | null,
    request: Request,
    responseHeaders?: Record<string, string | number>,
  ): Identity | Promise<Identity>
}

/** What an attempt token says: the one attempt that its bearer may report on. Source: contract 5, "Runner protocol". */
export interface AttemptClaims {
  agentRunId: string
  attemptId: string
  agentRevisionId: string
  fencingToken: number
  /** Who leased it; left out of tokens that were signed before there were pools. */
  runner?: LeasingRunner
}

/** Who asks for work. */
export interface RunnerRegistration extends LeasingRunner {
  /** The only one whose runs it may have; null for the pools of the deployment. */
  organizationId: string | null
  /** When its token ends, epoch milliseconds. */
  endsAt: number
}

/** Verifies the credentials of the runner protocol. Both throw `invalid_attempt_token` (401), and 429 after many failures. */
export interface RunnerCredentials {
  /** The token of a runner pool, which may ask for leases. */
  registration(authorization: string | null, request: Request): RunnerRegistration | Promise<RunnerRegistration>
  /** The token of one attempt. */
  attempt(authorization: string | null, request: Request): AttemptClaims | Promise<AttemptClaims>
}
