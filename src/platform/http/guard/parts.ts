/** The dependencies of the guard. */
import type { Lifecycle } from '../../operating/lifecycle.ts'
import type { Pace } from '../body/arrival.ts'
import type { UploadLimits } from '../body/uploads.ts'
import type { AuditSink } from '../changes/audit-trail.ts'
import type { Authenticator, Identity, RunnerCredentials, Scope } from './caller.ts'
import type { StreamRegister } from './open-stream.ts'

/** The state of a part of an organization. */
export interface Standing {
  /** Its deletion is in progress: it can be read but not changed. */
  deleting: boolean
}
type Found = Standing | undefined | Promise<Standing | undefined>

/** Resolves the places in paths; undefined for missing and foreign ones alike. */
export interface Tree {
  project(organizationId: string, projectId: string): Found
  environment(projectId: string, environmentId: string): Found
  /** A Project and one of its Environments, read at once; undefined if there is no such Project. */
  place(
    organizationId: string,
    projectId: string,
    environmentId: string,
  ): Promise<{ project: Standing; environment: Standing | undefined } | undefined>
  agent(projectId: string, agentId: string): Found
  /** The organization of a Project, for requests that name none. Not revealed to other organizations. */
  organizationOf?(projectId: string): Promise<string | undefined>
  /** The place of a run of the organization; undefined for missing and foreign ones alike. */
  run?(organizationId: string, agentRunId: string): Promise<Scope | undefined>
}

/** The headers of the answer so far. */
export type ResponseHeaders = Record<string, string | number>

/** Counts a request. Throws `rate_limited` (429); may add headers to the answer. */
export interface RateLimiter {
  admit(identity: Pick<Identity, 'credentialId'>, responseHeaders: ResponseHeaders): void | Promise<void>
}

export interface GuardParts {
  authenticator: Authenticator
  lifecycle: Lifecycle
  /** Without it, the runner protocol admits no one. */
  runnerCredentials?: RunnerCredentials
  /** Without it, paths with a Project answer 404. */
  tree?: Tree
  rateLimiter?: RateLimiter
  /** Without it, streams are neither counted nor watched. */
  streams?: StreamRegister
  /** Without it, changes are not audited. */
  audit?: AuditSink
  addressOf?: (request: Request) => string | undefined
  /** The slowest pace of bodies; tests set shorter times. */
  pace?: Pace
  /** How long a body may take before its request is admitted again; tests set shorter times. */
  trustedMs?: number
  /** The bytes of large bodies that may be in memory; tests set lower bounds. */
  uploadLimits?: Partial<UploadLimits>
}
