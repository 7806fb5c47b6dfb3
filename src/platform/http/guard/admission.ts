/**
 * Admits requests: identity (401), rate limit (429), CSRF token (403), permission (403, or 404 where the operation lists no
 * 403), the place in the path (404). The request itself is not validated here. Source: contract 0, "Order of checks",
 * "Foreign = missing"; contract 1.
 */

import {
  ApiError,
  deletionInProgress,
  invalidAttemptToken,
  notFound,
  permissionDenied,
  sessionRequired,
  unauthenticated,
} from '../answers/errors.ts'
import { isRead } from '../answers/methods.ts'
import { AuditTrail } from '../changes/audit-trail.ts'
import { recordNothing } from '../changes/request-record.ts'
import { inScope, isBound, may, maySomewhere, tooNarrow } from './authorization-scope.ts'
import type { Caller, Identity, RunnerRegistration } from './caller.ts'
import type { Admit, Admitted, Progress, RequestContext } from './checks.ts'
import { assertSameToken } from './csrf.ts'
import { type Admission, noRegister } from './open-stream.ts'
import type { GuardParts, ResponseHeaders, Standing } from './parts.ts'
import type { Permission } from './permissions.ts'
import { admitReporter, attemptHeader } from './reporters.ts'
import { listedErrors, type RouteOptions } from './route.ts'

type Params = RequestContext['params']

/** Whether the operation lists conflicts; if not, a resource that is being deleted answers 404. */
const listsConflict = ({ errors }: RouteOptions): boolean => listedErrors(errors).some(([, status]) => status === 409)

function assertToken({ csrfToken }: Identity, request: Request, { csrfInBody }: RouteOptions): void {
  if (csrfToken === null || isRead(request.method) || csrfInBody) return
  assertSameToken(csrfToken, request.headers.get('x-csrf-token'))
}

type Traced = [identity: Identity | Caller, request: Request, params: Params, progress: Progress]

/** The resource type of a permission in the audit log: `agentRun` for `agent-runs:get`. */
const resourceOf = (permission: Permission): string =>
  permission
    .split(':', 1)[0]!
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/ies$/, 'y')
    .replace(/s$/, '')

function recordTrail(parts: GuardParts, options: RouteOptions) {
  const { audit, addressOf = () => undefined } = parts
  const { resource, detail } = options
  // in the order of the path; the router gives them in reverse
  const names = Object.keys(options.params?.properties ?? {})
  const leave = (
    identity: Identity | Caller,
    request: Request,
    params: Params,
    progress: Progress,
    resource: string,
  ) => {
    if (!audit) return
    const operation = detail?.operationId ?? ''
    progress.trail = new AuditTrail(audit, { operation, resource }, identity, {
      requestId: progress.requestId,
      requestIdFrom: progress.requestIdFrom,
      address: () => addressOf(request),
      pathIds: names.map((name) =>
        name === 'organizationIdOrSlug' && 'organization' in identity
          ? identity.organizationId
          : (params[name] ?? null),
      ),
    })
  }
  return {
    /** The trail of a request that changes something; reads have none. */
    ofChange(...[identity, request, params, progress]: Traced): void {
      if (resource && !isRead(request.method)) leave(identity, request, params, progress, resource)
    },
    /** The trail of a read that was forbidden. */
    ofForbiddenRead(error: unknown, permission: Permission, ...[identity, request, params, progress]: Traced): void {
      if (!(error instanceof ApiError) || error.status !== 403 || !isRead(request.method)) return
      leave(identity, request, params, progress, resource ?? resourceOf(permission))
    },
  }
}

interface Refusals {
  /** The caller lacks the permission. */
  denied(): Error
  /** The caller's key is bound to a place that is too narrow. */
  tooNarrow(caller: Caller): Error
}

function refusalsOf(permission: Permission, { hidden }: RouteOptions): Refusals {
  if (hidden) return { denied: notFound, tooNarrow: notFound }
  return {
    denied: () => permissionDenied(permission),
    tooNarrow: (caller) => tooNarrow(caller, permission),
  }
}

/** Checks the place in the path for the caller. Throws `notFound`, `permissionDenied`, `deletionInProgress`. */
function placeCheck({ tree }: GuardParts, permission: Permission, options: RouteOptions, refusals: Refusals) {
  const gone = listsConflict(options) ? deletionInProgress : notFound
  const assertWritable = (standing: Standing | undefined, write: boolean) => {
    if (!standing) throw notFound()
    if (write && standing.deleting) throw gone()
  }
  return async (caller: Caller, params: Params, write: boolean): Promise<void> => {
    const { scope } = caller
    const { projectId = '', environmentId, agentId } = params as Record<string, string>
    const within = {
      projectId,
      environmentId: environmentId ?? scope.environmentId,
      agentId: agentId ?? scope.agentId,
    }
    if (!tree || !inScope(caller, within)) throw notFound()
    const { organizationId } = caller
    const found =
      environmentId === undefined
        ? { project: await tree.project(organizationId, projectId), environment: undefined }
        : await tree.place(organizationId, projectId, environmentId)
    const project = found?.project
    if (!project) throw notFound()
    if (!may(caller, permission, projectId)) throw refusals.denied()
    // a key bound to an Environment or an Agent may read its Project but not change it
    const outside =
      (scope.environmentId !== null && environmentId === undefined) || (scope.agentId !== null && agentId === undefined)
    if (write && outside) throw refusals.tooNarrow(caller)
    assertWritable(project, write)
    if (environmentId !== undefined) assertWritable(found?.environment, write)
    if (agentId !== undefined) assertWritable(await tree.agent(projectId, agentId), write)
  }
}

/** The Environment in the query; undefined if it is incomplete, which validation reports. */
function placeInQuery({ url }: Request): Params | undefined {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
  const [projectId, environmentId] = [query.get('projectId'), query.get('environmentId')]
  return projectId && environmentId ? { projectId, environmentId } : undefined
}

const organizationName = /^[0-9A-Za-z_-]{1,63}$/
/** Not a valid organization name. */
const noOrganization = '-'

/** The organization in the path; an invalid name becomes `noOrganization`, which causes no query. */
function organizationIn({ organizationIdOrSlug: name }: Params): string {
  return typeof name === 'string' && organizationName.test(name) ? name : noOrganization
}

/** Whether the request names its organization. A browser that follows a link with its session does not. */
const namesOrganization = ({ headers }: Request): boolean =>
  headers.get('authorization') !== null || headers.get('x-troupe-organization') !== null

const organizationInQuery = async ({ tree }: GuardParts, request: Request): Promise<string | undefined> => {
  const { projectId } = placeInQuery(request) ?? {}
  return projectId ? tree?.organizationOf?.(projectId) : undefined
}

/** Admits callers with this permission. */
export function admitCaller(parts: GuardParts, permission: Permission, options: RouteOptions): Admit {
  const { authenticator, rateLimiter, streams = noRegister } = parts
  const names = Object.keys(options.params?.properties ?? {})
  const ofPath = names.includes('organizationIdOrSlug')
  const ofOrganization = options.organizationWide || ofPath
  const refusals = refusalsOf(permission, options)
  const gone = listsConflict(options) ? deletionInProgress : notFound
  const checkPlace =
    names.includes('projectId') || options.placeInQuery ? placeCheck(parts, permission, options, refusals) : undefined
  const trail = recordTrail(parts, options)
  const wanted = [permission, ...(options.orPermissions ?? [])]

  /** Throws if the caller may not enter; returns a promise if the path names a place. */
  const allow = (caller: Caller, request: Request, params: Params): void | Promise<void> => {
    if (!wanted.some((each) => maySomewhere(caller, each))) throw refusals.denied()
    if (ofOrganization && isBound(caller)) throw refusals.tooNarrow(caller)
    const write = !isRead(request.method) && options.resource !== null
    if (write && !options.whileDeleting && caller.organization.status === 'deleting') throw gone()
    const place = options.placeInQuery ? placeInQuery(request) : params
    if (checkPlace && place) return checkPlace(caller, place, write || options.placeInQuery === true)
  }
  const admissionOf = (caller: Caller, request: Request, params: Params): Admission => ({
    hold: (stream) => streams.hold(caller, (now) => allow(now, request, params), stream),
  })
  const permit = (caller: Caller, request: Request, params: Params, progress: Progress) => {
    if (options.keysOnly && caller.principal.type !== 'apiKey') throw unauthenticated()
    trail.ofChange(caller, request, params, progress)
    assertToken(caller, request, options)
    const refuse = (error: unknown): never => {
      trail.ofForbiddenRead(error, permission, caller, request, params, progress)
      throw error
    }
    let waiting: void | Promise<void>
    try {
      waiting = allow(caller, request, params)
    } catch (error) {
      return refuse(error)
    }
    const admitted: Admitted = { caller, record: progress.trail?.record ?? recordNothing }
    if (options.streaming) admitted.admission = admissionOf(caller, request, params)
    return waiting ? waiting.then(() => admitted, refuse) : admitted
  }
  const admit = (caller: Caller, ...[request, params, headers, progress]: Parameters<Admit>) => {
    const counted = rateLimiter?.admit(caller, headers)
    return counted
      ? counted.then(() => permit(caller, request, params, progress))
      : permit(caller, request, params, progress)
  }
  /** Counts and audits a known user who does not belong to the organization. */
  const turnAway = async (error: unknown, ...[request, params, headers, progress]: Parameters<Admit>) => {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 403)) throw error
    const identity = await authenticator.identify(request.headers.get('authorization'), request)
    await rateLimiter?.admit(identity, headers)
    trail.ofChange(identity, request, params, progress)
    const refusal = options.foreignIsForbidden && error.status === 404 ? permissionDenied(permission) : error
    trail.ofForbiddenRead(refusal, permission, identity, request, params, progress)
    throw refusal
  }
  const authenticate = (organization: string | undefined, ...given: Parameters<Admit>) => {
    const [request, , headers] = given
    let caller: Caller | Promise<Caller>
    try {
      caller = authenticator.authenticate(request.headers.get('authorization'), request, organization, headers)
    } catch (error) {
      return turnAway(error, ...given)
    }
    return caller instanceof Promise
      ? caller.then(
          (known) => admit(known, ...given),
          (error) => turnAway(error, ...given),
        )
      : admit(caller, ...given)
  }
  return (...given) => {
    const [request, params] = given
    if (options.placeInQuery && !namesOrganization(request)) {
      return organizationInQuery(parts, request).then((organization) => authenticate(organization, ...given))
    }
    // Elysia leaves `params` out for a route without path parameters
    return authenticate(ofPath ? organizationIn(params) : undefined, ...given)
  }
}

/** Admits every user, whatever their organizations. */
export function admitIdentity(parts: GuardParts, options: RouteOptions, { sessionOnly = false } = {}): Admit {
  const { authenticator, rateLimiter } = parts
  const trail = recordTrail(parts, options)
  const identify = async (request: Request, headers: ResponseHeaders) => {
    try {
      return await authenticator.identify(request.headers.get('authorization'), request, headers)
    } catch (error) {
      // the error of a request without credentials names the required one
      throw sessionOnly && error instanceof ApiError && error.code === 'unauthenticated' ? sessionRequired() : error
    }
  }
  return async (request, params, headers, progress) => {
    const identity = await identify(request, headers)
    // only a session has a token
    if (sessionOnly && identity.csrfToken === null) throw sessionRequired()
    if (options.keysOnly && identity.principal.type !== 'apiKey') throw unauthenticated()
    await rateLimiter?.admit(identity, headers)
    trail.ofChange(identity, request, params, progress)
    assertToken(identity, request, options)
    return { identity, record: progress.trail?.record ?? recordNothing }
  }
}

/** Admits runners by registration or attempt token; for an attempt, also API keys with the report's permission. */
export function admitRunner(
  parts: GuardParts,
  kind: 'registration' | 'attempt',
  { reportPermission }: RouteOptions,
): Admit {
  const { runnerCredentials, rateLimiter } = parts
  /** The deployment's own runners have no rate limit. */
  const register = async (runner: RunnerRegistration, headers: ResponseHeaders) => {
    const { organizationId, tokenId } = runner
    if (organizationId !== null && tokenId !== null) await rateLimiter?.admit({ credentialId: tokenId }, headers)
    return { runner }
  }
  return async (request, _, headers) => {
    if (!runnerCredentials) throw invalidAttemptToken()
    const authorization = request.headers.get('authorization')
    if (kind === 'registration') {
      return register(await runnerCredentials.registration(authorization, request), headers)
    }
    const attempt =
      reportPermission && request.headers.has(attemptHeader)
        ? await admitReporter(parts, reportPermission, request, headers)
        : await runnerCredentials.attempt(authorization, request)
    // an organization creates its runners' credentials itself, so its reports are limited per attempt
    await rateLimiter?.admit({ credentialId: attempt.attemptId }, headers)
    return { attempt }
  }
}
