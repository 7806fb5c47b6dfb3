/** The identity and the authority of a request. Source: requirement 5; contract 1. */
import type { LeasingRunner } from '../../../../machines/run/words.ts'
import type { Permission } from './permissions.ts'

export type { LeasingRunner } from '../../../../machines/run/words.ts'

export type Role = 'owner' | 'admin' | 'member'

/** The part of the organization that a key is bound to; null is unbound. Environment and Agent require a Project. */
export interface Scope {
  projectId: string | null
  environmentId: string | null
  agentId: string | null
}

export const unbound: Scope = Object.freeze({ projectId: null, environmentId: null, agentId: null })

/** A user, authenticated by one credential. Creating and listing organizations requires no more. */
export interface Identity {
  /** The credential: an API key, or a user's session. */
  principal: { type: 'apiKey' | 'user'; id: string }
  /** The credential's id, by which limits are counted: the key's or the session's. */
  credentialId: string
  /** The user; for an API key, its creator. */
  userId: string
  /** The organization of an API key; null for a session. */
  organizationId: string | null
  /** What the key is bound to. */
  scope: Scope
  /** When the session began, epoch milliseconds; omitted for an API key. */
  sessionBeganAt?: number
  /** The token that a session sends with a change; null for an API key. */
  csrfToken: string | null
}

/** An identity within an organization. */
export interface Caller extends Identity {
  organizationId: string
  organization: { slug: string; status: 'active' | 'deleting' }
  role: Role
  /** Permissions in the whole organization: the key's operations that the user's role allows. */
  permissions: ReadonlySet<Permission>
  /** Additional permissions by Project: the key's operations that the user's access grants allow. */
  granted: ReadonlyMap<string, ReadonlySet<Permission>>
}

/** The identity of a caller's credential, for work that authenticates the caller again later. */
export type CredentialHolder = Pick<Caller, 'principal' | 'credentialId' | 'organizationId'>

/** Authenticates a credential again; undefined if it has ended. Throws as authentication does. */
export type CallerNow = (holder: CredentialHolder) => Promise<Caller | undefined>

/**
 * Authenticates requests. Both methods throw or reject with `unauthenticated` or `invalidApiKey`, and `rate_limited` (429)
 * after too many failures. They return a plain value on the fast path, else a promise.
 */
export interface Authenticator {
  /** Counts the changes of anyone's authority that this process has heard of; omitted: it hears of none. */
  readonly changes?: number
  /**
   * `organization` is the id or slug in the path. Throws `notFound` if the credential has no access to the organization,
   * `permissionDenied` if the header of a session names such an organization. May renew a session's cookie.
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

/** The claims of an attempt token: the attempt that its bearer may report on. Source: contract 5, "Runner protocol". */
export interface AttemptClaims {
  agentRunId: string
  attemptId: string
  agentRevisionId: string
  fencingToken: number
  /** The runner that leased it; omitted in tokens from before there were pools. */
  runner?: LeasingRunner
}

/** A runner that asks for leases. */
export interface RunnerRegistration extends LeasingRunner {
  /** The only organization whose runs it may lease; null for the pools of the deployment. */
  organizationId: string | null
  /** Expiry of its token, epoch milliseconds. */
  endsAt: number
}

/** Verifies the tokens of the runner protocol. Both throw `invalid_attempt_token` (401), and 429 after many failures. */
export interface RunnerCredentials {
  /** The token of a runner pool, which may request leases. */
  registration(authorization: string | null, request: Request): RunnerRegistration | Promise<RunnerRegistration>
  /** The token of one attempt. */
  attempt(authorization: string | null, request: Request): AttemptClaims | Promise<AttemptClaims>
}
