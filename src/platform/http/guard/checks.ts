/**
 * The checks before a handler, in the contract's order. Source: contract 0, "Order of checks".
 *
 * Elysia inspects the source of a hook to see which parts of the context it needs: passing the whole context on would parse
 * cookies and headers on every request. Hence one function that takes the parts it needs.
 */
import type { Lifecycle } from '../../operating/lifecycle.ts'
import { serviceUnavailable } from '../answers/errors.ts'
import { isRead } from '../answers/methods.ts'
import { type RequestId, requestIdOf } from '../answers/request-id.ts'
import { defaultPace, isSmall, type Pace } from '../body/arrival.ts'
import { hasBody, type Manner, readBody, readOptionalBody } from '../body/body.ts'
import { jsonValuesMax } from '../body/duplicates.ts'
import type { Upload, Uploads } from '../body/uploads.ts'
import type { AuditTrail } from '../changes/audit-trail.ts'
import type { RequestRecord } from '../changes/request-record.ts'
import {
  type BodyReader,
  bodyReader,
  hasStrayBody,
  pathReader,
  queryReader,
  type RawParams,
  refuseFields,
} from '../validation/readers.ts'
import type { AttemptClaims, Authenticator, Caller, Identity, RunnerRegistration } from './caller.ts'
import { networkOf } from './client-address.ts'
import { assertTokenIn, withoutToken } from './csrf.ts'
import type { Sought } from './find.ts'
import type { Admission } from './open-stream.ts'
import type { RouteFacts } from './route.ts'
import type { ThreadShares, Use } from './thread-shares.ts'

/** The parts of Elysia's context that the checks read and write. */
export interface RequestContext {
  request: Request
  params: RawParams
  set: { headers: Record<string, string | number>; status?: number | string }
  /** When the checks began, from `performance.now()`. */
  startedAt?: number
  requestId?: string
  requestIdFrom?: RequestId['requestIdFrom']
  progress?: Progress
}

/** What is known of a request so far. */
export interface Progress extends RequestId, Sought {
  /** The audit trail of a request that changes something. */
  trail?: AuditTrail
  /** The authenticator's count of changes when the request arrived. */
  changes?: number | undefined
  /** Its use of the serving thread; undefined for runners. */
  use?: Use | undefined
}

/** The result of admission, passed to the handler. */
export interface Admitted {
  caller?: Caller
  identity?: Identity
  attempt?: AttemptClaims
  runner?: RunnerRegistration
  record?: RequestRecord
  /** For streaming routes. */
  admission?: Admission
}

/** Admits a request or throws; returns a promise only if it must wait. */
export type Admit = (
  request: Request,
  params: RawParams,
  responseHeaders: Record<string, string | number>,
  progress: Progress,
) => Admitted | Promise<Admitted>

/** A request that was admitted. */
interface Arrival {
  request: Request
  params: RawParams
  headers: Record<string, string | number>
  startedAt: number
  progress: Progress
}

/** What the checks pass to the handler. */
interface Checked extends Admitted {
  params?: unknown
  query?: unknown
  body?: unknown
}

/** For reports of runners: a checkpoint contains all results of the run's tools. */
const attemptValuesMax = 2 * jsonValuesMax

/** After this time an answer of the authenticator counts no more. */
const trustedMsDefault = 2_000

/** The status of a successful answer if the operation has exactly one and it is not 200; else the handler sets it. */
function onlyStatus({ response = {} }: RouteFacts): number | undefined {
  const [status, ...others] = Object.keys(response)
    .map(Number)
    .filter((key) => !Number.isNaN(key))
  return others.length === 0 && status !== 200 ? status : undefined
}

/** What reads the requests of a route, made with its first one: a server has hundreds of routes, and starts sooner. */
function readersOf(facts: RouteFacts) {
  let made: ReturnType<typeof make> | undefined
  const make = () => ({
    readParams: facts.params && pathReader(facts.params),
    readQuery: queryReader(facts),
    bodies: bodyReader(facts),
  })
  return () => {
    made ??= make()
    return made
  }
}

interface CheckParts {
  authenticator: Pick<Authenticator, 'changes'>
  lifecycle: Lifecycle
  uploads: Uploads
  shares: ThreadShares
  /** The client's address. */
  addressOf?: ((request: Request) => string | undefined) | undefined
  pace?: Pace | undefined
  trustedMs?: number | undefined
}

/**
 * The checks of one route, for Elysia's `transform` stage, which runs before Elysia's own validation. They are synchronous
 * if nothing must be awaited, as for most reads.
 */
export function requestChecks(
  facts: RouteFacts,
  admit: Admit,
  {
    authenticator,
    lifecycle,
    uploads,
    shares,
    addressOf,
    pace = defaultPace,
    trustedMs = trustedMsDefault,
  }: CheckParts,
) {
  const readers = readersOf(facts)
  const status = onlyStatus(facts)
  // a running attempt may report until the server has stopped
  const mayBeRefused = facts.access.kind !== 'attempt'
  const manner: Manner = facts.access.kind === 'attempt' ? { pace, valuesMax: attemptValuesMax } : { pace }

  /** Counts a large body under its credential or address. */
  const uploadOf = ({ caller, identity, attempt, runner }: Admitted, request: Request): Upload => {
    const credential = caller?.credentialId ?? identity?.credentialId ?? attempt?.attemptId ?? runner?.tokenId
    return uploads.begin(credential ?? networkOf(addressOf?.(request) ?? ''))
  }
  const reading = async <Read>(
    checked: Checked,
    request: Request,
    read: (own: Manner) => Promise<Read>,
  ): Promise<Read> => {
    const upload = uploadOf(checked, request)
    try {
      return await read({ ...manner, upload })
    } finally {
      upload.end()
    }
  }

  /**
   * Admits a request again whose body arrived after its authority may have changed: a key that was revoked meanwhile
   * changes nothing any more.
   */
  const admittedAgain = (checked: Checked, arrival: Arrival): Checked | Promise<Checked> => {
    const { request, params, headers, startedAt, progress } = arrival
    const isTrusted = progress.changes === authenticator.changes && performance.now() < startedAt + trustedMs
    if (isTrusted) return checked
    const now = admit(request, params, headers, progress)
    return now instanceof Promise ? now.then((known) => Object.assign(checked, known)) : Object.assign(checked, now)
  }

  const withoutBody = (checked: Checked, request: Request, absent?: () => unknown): Checked => {
    const { readQuery } = readers()
    if (readQuery) checked.query = readQuery(request.url)
    if (absent) checked.body = absent()
    return checked
  }
  const withStrayBody = async (checked: Checked, arrival: Arrival): Promise<Checked> => {
    const { request } = arrival
    await reading(checked, request, (own) => refuseFields(request, own))
    return withoutBody(await admittedAgain(checked, arrival), request)
  }
  const withBody = async (
    before: Checked,
    arrival: Arrival,
    { limits, absent, validate }: BodyReader,
  ): Promise<Checked> => {
    const { request, progress } = arrival
    const read = absent ? readOptionalBody : readBody
    const body = await (isSmall(request)
      ? read(request, limits, manner)
      : reading(before, request, (own) => read(request, limits, own)))
    const admitted = admittedAgain(before, arrival)
    const checked = admitted instanceof Promise ? await admitted : admitted
    if (!body) return withoutBody(checked, request, absent)
    const inBody = facts.csrfInBody ? checked.caller : undefined
    if (inBody && body.mediaType === 'application/json') assertTokenIn(body.value, inBody)
    const { readQuery } = readers()
    if (readQuery) checked.query = readQuery(request.url)
    checked.body = inBody ? withoutToken(validate(body)) : validate(body)
    if (progress.trail) progress.trail.body = checked.body
    return checked
  }
  const checkAdmitted = (checked: Checked, arrival: Arrival): Checked | Promise<Checked> => {
    const { request, params, progress } = arrival
    const { readParams, bodies } = readers()
    if (readParams) checked.params = readParams(params)
    progress.naming = checked
    if (bodies) {
      if (bodies.absent && !hasBody(request)) return withoutBody(checked, request, bodies.absent)
      return withBody(checked, arrival, bodies)
    }
    if (!facts.ownBody && hasStrayBody(request)) return withStrayBody(checked, arrival)
    return withoutBody(checked, request)
  }

  /** Whose share of the thread a request takes; undefined: runners report what has been admitted. */
  const ownerOf = ({ caller, identity, attempt, runner }: Admitted, request: Request): string | undefined => {
    if (caller) return caller.organizationId
    if (attempt || runner) return undefined
    // so that floods of one public page leave the others alone, such as probes of the same proxy
    return identity?.credentialId ?? `${networkOf(addressOf?.(request) ?? '')} ${new URL(request.url).pathname}`
  }
  /** Goes on with an admitted request, after others if its organization takes too much of the thread. */
  const goOn = (checked: Checked, arrival: Arrival): Checked | Promise<Checked> => {
    const { request, startedAt, progress } = arrival
    const owner = ownerOf(checked, request)
    if (owner === undefined) return checkAdmitted(checked, arrival)
    const turn = shares.enter(owner)
    if (!turn) {
      progress.use = shares.begin(owner, startedAt)
      return checkAdmitted(checked, arrival)
    }
    return turn.then(async () => {
      progress.use = shares.begin(owner, performance.now())
      return checkAdmitted(await admittedAgain(checked, arrival), arrival)
    })
  }

  return (context: RequestContext): Checked | Promise<Checked> => {
    const { request, params, set } = context
    const startedAt = performance.now()
    context.startedAt = startedAt
    const progress: Progress = {
      ...requestIdOf(request.headers.get('x-request-id')),
      find: facts.find,
      changes: authenticator.changes,
    }
    context.requestId = progress.requestId
    context.requestIdFrom = progress.requestIdFrom
    context.progress = progress
    if (status !== undefined) set.status = status
    if (lifecycle.draining && mayBeRefused && !isRead(request.method)) {
      throw serviceUnavailable('The server is shutting down.')
    }
    const admitted = admit(request, params, set.headers, progress)
    const arrival = { request, params, headers: set.headers, startedAt, progress }
    if (admitted instanceof Promise) return admitted.then((known) => goOn(known, arrival))
    return goOn(admitted, arrival)
  }
}
