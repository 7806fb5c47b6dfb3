/**
 * The one door of the API. A route says who may come in; the door settles the order of checks, the same for all:
 * identity (401), permission (403, or 404 where the operation lists no 403), the scope that the path names (404), then
 * the body (400, 413), then its validation (422). A stranger never learns about shapes. Source: contract 0, "Order of
 * checks"; requirement 5.
 *
 *     .get('/:agentRunId', ({ caller, params }) => …, { permission: 'agent-runs:get', params: RunPath })
 *
 * `params`, `query`, `body` and `response` are written as in any Elysia route and typed by it. At run time the door
 * validates the first three by itself, strictly, and `response` only goes into the API document.
 */
import { Elysia } from 'elysia'
import type { Lifecycle } from '../operating/lifecycle.ts'
import type { AttemptClaims, Authenticator, Caller, RunnerCredentials } from './caller.ts'
import type { ErrorCode } from './catalogue.ts'
import { type Admit, type Identity, type RequestContext, requestChecks } from './checks.ts'
import { invalidAttemptToken, notFound, permissionDenied } from './errors.ts'
import type { Permission } from './permissions.ts'
import { type Access, type Consumes, declareFacts, type RouteFacts, type RouteOptions } from './route.ts'

/** By path parameter: whether the caller may reach what it names, before the body is read. Throws `notFound`. */
export type ScopeChecks = Partial<Record<string, (caller: Caller, value: string) => void | Promise<void>>>

/** Counts a caller's request. Throws `rate_limited` (429); may add its headers to the answer. */
export interface RateLimiter {
  admit(caller: Caller, responseHeaders: Record<string, string | number>): void | Promise<void>
}

export interface GuardParts {
  authenticator: Authenticator
  lifecycle: Lifecycle
  /** Without them, the routes of the runner protocol let nobody in. */
  runnerCredentials?: RunnerCredentials
  scopes?: ScopeChecks
  rateLimiter?: RateLimiter
}

/** What a guarded handler gets, besides what its kind of access adds. */
type Known = {
  /** The id of this request, as in `X-Request-Id`. */
  requestId: string
}

/** A macro that does its work when the route is declared; `Context` is what the handler gets by it. */
const declares = <Context>(introspect: (options: RouteOptions) => void) =>
  ({ introspect }) as unknown as { resolve: () => Context & Known }

/** An option that the door reads by itself. */
const option = () => ({})

function admitCaller(
  { authenticator, rateLimiter, scopes = {} }: GuardParts,
  permission: Permission,
  { hidden, params: paramsSchema }: RouteOptions,
): Admit {
  const scoped = Object.keys(paramsSchema?.properties ?? {}).filter((name) => scopes[name])

  const reach = async (caller: Caller, params: RequestContext['params']): Promise<Identity> => {
    for (const name of scoped) await scopes[name]!(caller, params[name] ?? '')
    return { caller }
  }
  const permit = (caller: Caller, params: RequestContext['params']): Identity | Promise<Identity> => {
    if (!caller.permissions.has(permission)) throw hidden ? notFound() : permissionDenied(permission)
    return scoped.length === 0 ? { caller } : reach(caller, params)
  }
  const admit = (caller: Caller, ...[, params, responseHeaders]: Parameters<Admit>): Identity | Promise<Identity> => {
    const counted = rateLimiter?.admit(caller, responseHeaders)
    return counted ? counted.then(() => permit(caller, params)) : permit(caller, params)
  }
  return (...request) => {
    const caller = authenticator.authenticate(request[0].headers.get('authorization'), request[0])
    return caller instanceof Promise ? caller.then((known) => admit(known, ...request)) : admit(caller, ...request)
  }
}

function admitRunner({ runnerCredentials }: GuardParts, kind: 'registration' | 'attempt'): Admit {
  return (request) => {
    if (!runnerCredentials) throw invalidAttemptToken()
    const authorization = request.headers.get('authorization')
    if (kind === 'registration') {
      const accepted = runnerCredentials.registration(authorization)
      return accepted ? accepted.then(() => ({})) : {}
    }
    const attempt = runnerCredentials.attempt(authorization)
    return attempt instanceof Promise ? attempt.then((claims) => ({ attempt: claims })) : { attempt }
  }
}

/** The macros of a guarded route. Every route of the server names exactly one of the first three. */
export function createGuarded(parts: GuardParts) {
  /** Puts the checks in front of the route, and takes from Elysia what they replace. */
  const guard = (options: RouteOptions, access: Access, admit: Admit) => {
    const { params, query, headers, body, response, hidden, bodyLimit, consumes, errors } = options
    const facts: RouteFacts = { access, params, query, headers, body, response, hidden, bodyLimit, consumes, errors }
    const checks = requestChecks(facts, admit, parts.lifecycle)
    declareFacts(checks, facts)
    for (const name of ['params', 'query', 'headers', 'body', 'response'] as const) delete options[name]
    options.parse = 'none'
    options.transform = [checks, ...(options.transform === undefined ? [] : [options.transform].flat())]
    if (!body && !consumes) delete options.parse
  }

  return new Elysia({ name: 'guarded' }).macro({
    /** Callers with this permission. */
    permission: (permission: Permission) =>
      declares<{ caller: Caller }>((options) =>
        guard(options, { kind: 'permission', permission }, admitCaller(parts, permission, options)),
      ),
    /** Everybody. */
    publicAccess: (_everybody: true) => declares<object>((options) => guard(options, { kind: 'public' }, () => ({}))),
    /** A runner, by its registration token, or by an attempt's token: only then there is an `attempt`. */
    runner: (kind: 'registration' | 'attempt') =>
      declares<{ attempt: AttemptClaims }>((options) => guard(options, { kind }, admitRunner(parts, kind))),
    /** The operation lists no 403: without the permission the answer is 404. */
    hidden: (_hidden: true) => option(),
    /** The most bytes of a JSON body; 1 MiB unless said otherwise. */
    bodyLimit: (_bytesMax: number) => option(),
    /** Bodies by media type, where JSON of 1 MiB is not all; `body` then is the union of their schemas. */
    consumes: (_consumes: Consumes) => option(),
    /** The error codes that this operation adds to the usual ones, for the API document. */
    errors: (_codes: ErrorCode[]) => option(),
  })
}

export type Guarded = ReturnType<typeof createGuarded>
