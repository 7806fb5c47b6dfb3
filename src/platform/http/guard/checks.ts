/**
 * What happens to a request before its handler, in the contract's order. Source: contract 0, "Order of checks".
 *
 * Elysia looks at the text of a hook to learn which parts of the context to build: a context that is handed to another
 * function costs parsing cookies and headers on every request. Hence one function that takes the parts it needs.
 */
import type { Lifecycle } from '../../operating/lifecycle.ts'
import { serviceUnavailable } from '../answers/errors.ts'
import { isRead } from '../answers/methods.ts'
import { type RequestId, requestIdOf } from '../answers/request-id.ts'
import { defaultPace, type Pace } from '../body/arrival.ts'
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
import type { AttemptClaims, Caller, Identity, RunnerRegistration } from './caller.ts'
import { networkOf } from './client-address.ts'
import { assertTokenIn, withoutToken } from './csrf.ts'
import type { Sought } from './find.ts'
import type { Admission } from './open-stream.ts'
import type { RouteFacts } from './route.ts'

/** The parts of Elysia's context that the checks read and write. */
export interface RequestContext {
  request: Request
  params: RawParams
  set: { headers: Record<string, string | number>; status?: number | string }
  /** When the checks began, by `performance.now()`. */
  startedAt?: number
  requestId?: string
  requestIdFrom?: RequestId['requestIdFrom']
  progress?: Progress
}

/** What is known of a request so far, for its end. */
export interface Progress extends RequestId, Sought {
  /** Where a request that changes something leaves its traces. */
  trail?: AuditTrail
}

/** Who came in: what the handler gets. */
export interface Admitted {
  caller?: Caller
  identity?: Identity
  attempt?: AttemptClaims
  runner?: RunnerRegistration
  record?: RequestRecord
  /** For routes whose answer goes on. */
  admission?: Admission
}

/** Lets a request in or throws; a promise only when it has to wait. */
export type Admit = (
  request: Request,
  params: RawParams,
  responseHeaders: Record<string, string | number>,
  progress: Progress,
) => Admitted | Promise<Admitted>

/** What the checks hand to the handler. */
interface Checked extends Admitted {
  params?: unknown
  query?: unknown
  body?: unknown
}

/** Of the report of a runner: the checkpoint of a run holds whatever its tools have answered. */
const attemptValuesMax = 2 * jsonValuesMax

/** The status of a good answer, where the operation has one only, and that is not 200; of several the handler says which. */
function onlyStatus({ response = {} }: RouteFacts): number | undefined {
  const [status, ...others] = Object.keys(response)
    .map(Number)
    .filter((key) => !Number.isNaN(key))
  return others.length === 0 && status !== 200 ? status : undefined
}

export interface CheckParts {
  lifecycle: Lifecycle
  uploads: Uploads
  /** The client's address. */
  addressOf?: ((request: Request) => string | undefined) | undefined
  pace?: Pace | undefined
}

/**
 * The checks of one route, for Elysia's `transform` stage, which runs before any of Elysia's own judging. They end at
 * once where nothing has to be waited for, which is the rule for reads.
 */
export function requestChecks(
  facts: RouteFacts,
  admit: Admit,
  { lifecycle, uploads, addressOf, pace = defaultPace }: CheckParts,
) {
  const readParams = facts.params && pathReader(facts.params)
  const readQuery = queryReader(facts)
  const bodies = bodyReader(facts)
  const status = onlyStatus(facts)
  // what a running attempt has to say is wanted until the end
  const mayBeRefused = facts.access.kind !== 'attempt'
  const manner: Manner = facts.access.kind === 'attempt' ? { pace, valuesMax: attemptValuesMax } : { pace }

  /** Whom a large body is counted for. */
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

  const withoutBody = (checked: Checked, request: Request): Checked => {
    if (readQuery) checked.query = readQuery(request.url)
    return checked
  }
  const withStrayBody = async (checked: Checked, request: Request): Promise<Checked> => {
    await reading(checked, request, (own) => refuseFields(request, own))
    return withoutBody(checked, request)
  }
  const withBody = async (
    checked: Checked,
    request: Request,
    { limits, optional, validate }: BodyReader,
    { trail }: Progress,
  ): Promise<Checked> => {
    const body = await reading(checked, request, (own) =>
      optional ? readOptionalBody(request, limits, own) : readBody(request, limits, own),
    )
    if (!body) return withoutBody(checked, request)
    const inBody = facts.csrfInBody ? checked.caller : undefined
    if (inBody && body.mediaType === 'application/json') assertTokenIn(body.value, inBody)
    if (readQuery) checked.query = readQuery(request.url)
    checked.body = inBody ? withoutToken(validate(body)) : validate(body)
    if (trail) trail.body = checked.body
    return checked
  }
  const judge = (
    checked: Checked,
    request: Request,
    params: RawParams,
    progress: Progress,
  ): Checked | Promise<Checked> => {
    if (readParams) checked.params = readParams(params)
    progress.naming = checked
    if (bodies) {
      if (bodies.optional && !hasBody(request)) return withoutBody(checked, request)
      return withBody(checked, request, bodies, progress)
    }
    if (!facts.ownBody && hasStrayBody(request)) return withStrayBody(checked, request)
    return withoutBody(checked, request)
  }

  return (context: RequestContext): Checked | Promise<Checked> => {
    const { request, params, set } = context
    context.startedAt = performance.now()
    const progress: Progress = { ...requestIdOf(request.headers.get('x-request-id')), find: facts.find }
    context.requestId = progress.requestId
    context.requestIdFrom = progress.requestIdFrom
    context.progress = progress
    if (status !== undefined) set.status = status
    if (lifecycle.draining && mayBeRefused && !isRead(request.method)) {
      throw serviceUnavailable('The server is shutting down.')
    }
    const admitted = admit(request, params, set.headers, progress)
    if (admitted instanceof Promise) return admitted.then((known) => judge(known, request, params, progress))
    return judge(admitted, request, params, progress)
  }
}
