/**
 * The guard of the API. A route declares who may enter; the guard applies the same order of checks to all: identity (401),
 * permission (403, or 404 where the operation lists no 403), scope of the path (404), body (400, 413), validation (422).
 * The last two apply only if the resource exists (`find`, 404), so an unauthorized client learns nothing about shapes.
 * Source: contract 0, "Order of checks"; requirement 5.
 *
 *     .get('/:agentRunId', ({ caller, params }) => …, { permission: 'agent-runs:get', params: RunPath })
 *
 * `params`, `query`, `body` and `response` are written and typed as in any Elysia route. At run time the guard itself
 * validates the first three, strictly. `response` goes into the API document; if it has one status, that is the status of
 * a successful answer.
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
import { ThreadShares } from './thread-shares.ts'

/** What a guarded handler gets, besides the additions of its kind of access. */
type Known = {
  /** The id of this request, as in `X-Request-Id`. */
  requestId: string
  /** Who made the id. */
  requestIdFrom: RequestId['requestIdFrom']
  /** The statements to commit with the effect; none for a read. */
  record: RequestRecord
}

/** A macro that runs when the route is declared; `Context` is what it adds to the handler's context. */
const declares = <Context>(introspect: (options: RouteOptions) => void) =>
  ({ introspect }) as unknown as { resolve: () => Context & Known }

/** An option that the guard reads. Without a seed Elysia would write the value, schemas among them, as JSON for each route. */
const option = () => ({ seed: '' })

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

/** The macros of guarded routes. Every route names exactly one of the first four. */
export function createGuarded(parts: GuardParts) {
  const uploads = new Uploads(parts.uploadLimits)
  const shares = new ThreadShares()
  /**
   * Puts the checks in front of the route and removes what they replace: parts of Elysia, and options, which Elysia would
   * look at again in each app that takes the route over.
   */
  const guard = (options: RouteOptions, access: Access, admitBy: (own: RouteOptions) => Admit) => {
    const own = { ...options }
    const facts: RouteFacts = { ...own, access }
    for (const name of optionNames) if (name in options) delete options[name]
    const checks = requestChecks(facts, admitBy(own), { ...parts, uploads, shares })
    declareFacts(checks, facts)
    options.parse = 'none'
    options.transform = [checks, ...(options.transform === undefined ? [] : [options.transform].flat())]
    if (!facts.body && !facts.consumes) delete options.parse
  }

  return new Elysia({ name: 'guarded' }).macro({
    permission: (permission: Permission) =>
      declares<{ caller: Caller }>((options) =>
        guard(options, { kind: 'permission', permission }, (own) => admitCaller(parts, permission, own)),
      ),
    /** Every user, outside organizations; `'session'` requires a session. */
    signedIn: (by: true | 'session') =>
      declares<{ identity: Identity }>((options) =>
        guard(options, { kind: by === 'session' ? by : 'identity' }, (own) =>
          admitIdentity(parts, own, { sessionOnly: by === 'session' }),
        ),
      ),
    /** Everyone. */
    publicAccess: (_everybody: true) =>
      declares<object>((options) => guard(options, { kind: 'public' }, () => () => ({}))),
    /** A runner, by the token of its pool; or an attempt, by the attempt's token. */
    runner: <Kind extends 'registration' | 'attempt'>(kind: Kind) =>
      declares<Kind extends 'attempt' ? { attempt: AttemptClaims } : { runner: RunnerRegistration }>((options) =>
        guard(options, { kind }, (own) => admitRunner(parts, kind, own)),
      ),
    /** The operation lists no 403: without the permission the answer is 404. */
    hidden: (_hidden: true) => option(),
    /** For the organization as a whole: 403 for a key bound to a part of it. Implied for every `{Org}` path. */
    organizationWide: (_whole: true) => option(),
    /** The operation lists no 404: an organization outside the credential's access is 403, whether or not it exists. */
    foreignIsForbidden: (_forbidden: true) => option(),
    /** Allowed while the organization is being deleted. */
    whileDeleting: (_also: true) => option(),
    /** `projectId` and `environmentId` in the query name the Environment in which the operation creates something. */
    placeInQuery: (_inQuery: true) => option(),
    /** Requires an API key: a session gets 401. */
    keysOnly: (_keys: true) => option(),
    /** Permissions that also pass the guard; the area decides how far each reaches. */
    orPermissions: (_permissions: readonly Permission[]) => option(),
    /** For an attempt's report: a key with this permission may send it, with the attempt's token in `X-Troupe-Attempt`. */
    reportPermission: (_permission: Permission) => option(),
    /** A session's token is `csrfToken` in the body, not a header. */
    csrfInBody: (_inBody: true) => option(),
    /** The answer is a stream, which holds the admission until it ends. Requires a permission. */
    streaming: (_streaming: true) => option() as unknown as { resolve: () => { admission: Admission } },
    /** The type of the changed resource in the audit log, such as `project`; null if nothing changes. */
    resource: (_type: string | null) => option(),
    /** The most bytes of a JSON body; default 1 MiB. */
    bodyLimit: (_bytesMax: number) => option(),
    /** Bodies by media type, if other than JSON of 1 MiB; `body` is the union of their schemas. */
    consumes: (_consumes: Consumes) => option(),
    /** The handler reads the body itself, within its own bounds. Other routes without a body accept none, or `{}`. */
    ownBody: (_byItself: true) => option(),
    /** Ignores unknown query parameters, which mail clients and probes add. */
    anyQuery: (_any: true) => option(),
    /** Looks up what the path names below organization, Project, Environment and Agent: see `find.ts`. */
    find: (_find: Find) => option(),
    /** Error codes besides the usual ones, for the API document. */
    errors: (_codes: ListedError[]) => option(),
  })
}

export type Guarded = ReturnType<typeof createGuarded>
