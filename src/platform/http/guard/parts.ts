/** What the guard is built from: who says who calls, what there is, how much may come. */
import type { Lifecycle } from '../../operating/lifecycle.ts'
import type { Pace } from '../body/arrival.ts'
import type { UploadLimits } from '../body/uploads.ts'
import type { AuditSink } from '../changes/audit-trail.ts'
import type { Authenticator, Identity, RunnerCredentials, Scope } from './caller.ts'
import type { StreamRegister } from './open-stream.ts'

/** What the guard has to know of a part of an organization's tree. */
export interface Standing {
  /** Its removal is under way: it can be looked at and not be changed. */
  deleting: boolean
}
type Found = Standing | undefined | Promise<Standing | undefined>

/** Finds what a path names; undefined for absent and foreign alike. */
export interface Tree {
  project(organizationId: string, projectId: string): Found
  environment(projectId: string, environmentId: string): Found
  agent(projectId: string, agentId: string): Found
  /** Whose a Project is: for those who come without naming an organization. Nothing about it is told to others. */
  organizationOf?(projectId: string): Promise<string | undefined>
  /** Where a run of the organization lives; undefined for absent and foreign alike. */
  run?(organizationId: string, agentRunId: string): Promise<Scope | undefined>
}

/** The headers of the answer, so far. */
export type ResponseHeaders = Record<string, string | number>

/** Counts a request. Throws `rate_limited` (429); may add its headers to the answer. */
export interface RateLimiter {
  admit(identity: Pick<Identity, 'credentialId'>, responseHeaders: ResponseHeaders): void | Promise<void>
}

export interface GuardParts {
  authenticator: Authenticator
  lifecycle: Lifecycle
  /** Without them, the routes of the runner protocol let nobody in. */
  runnerCredentials?: RunnerCredentials
  /** Without it, paths with a Project lead nowhere. */
  tree?: Tree
  rateLimiter?: RateLimiter
  /** Without it, nobody counts streams or watches over them. */
  streams?: StreamRegister
  /** Without it, changes leave no trail. */
  audit?: AuditSink
  /** The client's address. */
  addressOf?: (request: Request) => string | undefined
  /** How slowly bodies may arrive; tests wait less. */
  pace?: Pace
  /** How many bytes of large bodies may be under way at once; tests have fewer. */
  uploadLimits?: Partial<UploadLimits>
}
