/**
 * The one guard of the API. A route says who may come in; the guard settles the order of checks, the same for all:
 * identity (401), permission (403, or 404 where the operation lists no 403), the scope that the path names (404), then
 * the body (400, 413), then its validation (422), either of them only of something that is there (`find`, 404). A
 * stranger never learns about shapes. Source: contract 0, "Order of checks"; requirement 5.
 *
 *     .get('/:agentRunId', ({ caller, params }) => …, { permission: 'agent-runs:get', params: RunPath })
 *
 * `params`, `query`, `body` and `response` are written as in any Elysia route and typed by it. At run time the guard
 * validates the first three by itself, strictly; `response` goes into the API document, and where it has one status
 * only, that is the status of a good answer.
 */
import { Elysia } from 'elysia'
import type { RequestId } from '../answers/request-id.ts'
import { Uploads } from '../body/uploads.ts'
import type { RequestRecord } from '../changes/request-record.ts'
import { admitCaller, admitIdentity, admitRunner } from './admission.ts'
import type { AttemptClaims, Caller, Identity, RunnerRegistration } from './caller.ts'
import { type Admit, requestChecks } from './checks.ts'
import type { Find } from './find.ts'
import type { Admission } from './open-stream.ts'
import type { GuardParts } from './parts.ts'
import type { Permission } from './permissions.ts'
import {
  type Access,
  type Consumes,
  declareFacts,
  type ListedError,
  type RouteFacts,
  type RouteOptions,
} from './route.ts'

/** What a guarded handler gets, besides what its kind of access adds. */
type Known = {
  /** The id of this request, as in `X-Request-Id`. */
  requestId: string
  /** Who made the id. */
  requestIdFrom: RequestId['requestIdFrom']
  /** What the request leaves besides its effect; nothing when it only reads. */
  record: RequestRecord
}

/** A macro that does its work when the route is declared; `Context` is what the handler gets by it. */
const declares = <Context>(introspect: (options: RouteOptions) => void) =>
  ({ introspect }) as unknown as { resolve: () => Context & Known }

/** An option that the guard reads by itself. */
const option = () => ({})

const optionNames = [
  'params',
  'query',
  'headers',
  'body',
  'response',
  'hidden',
  'organizationWide',
  'foreignIsForbidden',
  'whileDeleting',
  'placeInQuery',
  'keysOnly',
  'orPermissions',
  'reportPermission',
  'csrfInBody',
  'streaming',
  'resource',
  'bodyLimit',
  'consumes',
  'ownBody',
  'anyQuery',
  'find',
  'errors',
] as const

/** The macros of a guarded route. Every route of the server names exactly one of the first four. */
export function createGuarded(parts: GuardParts) {
  const uploads = new Uploads(parts.uploadLimits)
  /** Puts the checks in front of the route, and takes from Elysia what they replace. */
  const guard = (options: RouteOptions, access: Access, admit: Admit) => {
    const facts = { access, ...Object.fromEntries(optionNames.map((name) => [name, options[name]])) } as RouteFacts
    const checks = requestChecks(facts, admit, { ...parts, uploads })
    declareFacts(checks, facts)
    for (const name of ['params', 'query', 'headers', 'body', 'response'] as const) delete options[name]
    options.parse = 'none'
    options.transform = [checks, ...(options.transform === undefined ? [] : [options.transform].flat())]
    if (!facts.body && !facts.consumes) delete options.parse
  }

  return new Elysia({ name: 'guarded' }).macro({
    /** Callers with this permission. */
    permission: (permission: Permission) =>
      declares<{ caller: Caller }>((options) =>
        guard(options, { kind: 'permission', permission }, admitCaller(parts, permission, options)),
      ),
    /** Every user, in whatever organizations; with `'session'` only with a session. */
    signedIn: (by: true | 'session') =>
      declares<{ identity: Identity }>((options) =>
        guard(
          options,
          { kind: by === 'session' ? by : 'identity' },
          admitIdentity(parts, options, { sessionOnly: by === 'session' }),
        ),
      ),
    /** Everybody. */
    publicAccess: (_everybody: true) => declares<object>((options) => guard(options, { kind: 'public' }, () => ({}))),
    /** A runner that asks for work, by the token of its pool; an attempt, by the attempt's token. */
    runner: <Kind extends 'registration' | 'attempt'>(kind: Kind) =>
      declares<Kind extends 'attempt' ? { attempt: AttemptClaims } : { runner: RunnerRegistration }>((options) =>
        guard(options, { kind }, admitRunner(parts, kind, options)),
      ),
    /** The operation lists no 403: without the permission the answer is 404. */
    hidden: (_hidden: true) => option(),
    /** It is about the organization as a whole: 403 for a key that is bound to a part of it. So is every `{Org}` path. */
    organizationWide: (_whole: true) => option(),
    /** The operation lists no 404: an organization that the credential does not speak for is 403, existing or not. */
    foreignIsForbidden: (_forbidden: true) => option(),
    /** It may be asked for, again, of an organization that is being removed. */
    whileDeleting: (_also: true) => option(),
    /** The Environment is named by `projectId` and `environmentId` in the query, and something is made there. */
    placeInQuery: (_inQuery: true) => option(),
    /** It takes an API key: a session is no credential for it (401). */
    keysOnly: (_keys: true) => option(),
    /** Permissions that pass the guard as well; the area says how far each of them reaches. */
    orPermissions: (_permissions: readonly Permission[]) => option(),
    /** Of an attempt's report: a key with this permission may make it, with the attempt's token in `X-Troupe-Attempt`. */
    reportPermission: (_permission: Permission) => option(),
    /** A session's token comes in the body, as `csrfToken`, and in no header. */
    csrfInBody: (_inBody: true) => option(),
    /** Its answer goes on: it is to hold the admission until it ends. Takes a permission. */
    streaming: (_streaming: true) => option() as unknown as { resolve: () => { admission: Admission } },
    /** What the operation changes, in the audit log's words: `project`; null when it changes nothing. */
    resource: (_type: string | null) => option(),
    /** The most bytes of a JSON body; 1 MiB unless said otherwise. */
    bodyLimit: (_bytesMax: number) => option(),
    /** Bodies by media type, where JSON of 1 MiB is not all; `body` then is the union of their schemas. */
    consumes: (_consumes: Consumes) => option(),
    /** The handler reads the body by itself, within its own bounds. Else a route without a body takes none, or `{}`. */
    ownBody: (_byItself: true) => option(),
    /** Parameters beyond those it lists are let pass: whoever sends people or probes here adds some. */
    anyQuery: (_any: true) => option(),
    /** Looks for what the path names beyond organization, Project, Environment and Agent: see `find.ts`. */
    find: (_find: Find) => option(),
    /** The error codes that this operation adds to the usual ones, for the API document. */
    errors: (_codes: ListedError[]) => option(),
  })
}

export type Guarded = ReturnType<typeof createGuarded>
