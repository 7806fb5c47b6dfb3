/**
 * What happens to a request before its handler, in the contract's order. Source: contract 0, "Order of checks".
 *
 * Elysia looks at the text of a hook to learn which parts of the context to build: a context that is handed to another
 * function costs parsing cookies and headers on every request. Hence one function that takes the parts it needs.
 */
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Lifecycle } from '../operating/lifecycle.ts'
import { type BodyLimits, hasBody, jsonBytesMax, type MediaType, type ReadBody, readBody } from './body.ts'
import type { AttemptClaims, Caller, Identity } from './caller.ts'
import { type TextSource, textReader } from './coercion.ts'
import { assertTokenIn, withoutToken } from './csrf.ts'
import { ApiError, notFound, serviceUnavailable } from './errors.ts'
import type { Keep } from './keep.ts'
import { isRead } from './methods.ts'
import { requestIdOf } from './request-id.ts'
import type { RouteFacts } from './route.ts'
import type { Trail } from './trail.ts'
import { isOptional, type Validate, validator } from './validation.ts'

/** The parts of Elysia's context that the checks read and write. */
export interface RequestContext {
  request: Request
  params: Record<string, string | null>
  set: { headers: Record<string, string | number>; status?: number | string }
  /** When the checks began, by `performance.now()`. */
  startedAt?: number
  requestId?: string
  progress?: Progress
}

/** What is known of a request so far, for its end. */
export interface Progress {
  requestId: string
  /** Where a request that changes something leaves its traces. */
  trail?: Trail
}

/** Who came in: what the handler gets. */
export interface Admitted {
  caller?: Caller
  identity?: Identity
  attempt?: AttemptClaims
  keep?: Keep
}

/** Lets a request in or throws; a promise only when it has to wait. */
export type Admit = (
  request: Request,
  params: RequestContext['params'],
  responseHeaders: Record<string, string | number>,
  progress: Progress,
) => Admitted | Promise<Admitted>

/** What the checks hand to the handler. */
interface Checked extends Admitted {
  params?: unknown
  query?: unknown
  body?: unknown
}

/** A malformed path id names nothing that exists. */
function pathReader(schema: TObject): (params: RequestContext['params']) => unknown {
  const properties = Object.values(schema.properties)
  const areTexts = properties.every((property) => property.type === 'string')
  const read = areTexts ? undefined : textReader(schema, '/path')
  const validate = validator(schema, '/path')
  return (params) => {
    try {
      // an id that is not even well encoded arrives as null, which no schema takes
      return validate(read ? read(Object.entries(params as Record<string, string>)) : params)
    } catch (error) {
      throw error instanceof ApiError ? notFound() : error
    }
  }
}

function textsReader(schema: TObject, source: TextSource): (entries: Iterable<[string, string | File]>) => unknown {
  const read = textReader(schema, source)
  const validate = validator(schema, source)
  return (entries) => validate(read(entries))
}

const noTexts: [string, string][] = []

function queryReader(schema: TObject): (url: string) => unknown {
  const read = textsReader(schema, '/query')
  return (url) => {
    const start = url.indexOf('?')
    return read(start === -1 ? noTexts : new URLSearchParams(url.slice(start + 1)))
  }
}

interface BodyReader {
  limits: BodyLimits
  /** Without a body there is nothing to read, and that is fine. */
  optional: boolean
  validate(body: ReadBody): unknown
}

function bodyReader({ body, bodyLimit = jsonBytesMax, consumes }: RouteFacts): BodyReader | undefined {
  const taken = consumes ?? (body && { 'application/json': { schema: body, bytesMax: bodyLimit } })
  if (!taken) return undefined
  const json = taken['application/json']
  const form = taken['multipart/form-data']
  const validateJson: Validate | undefined = json && validator(json.schema, '/body')
  const validateForm = form && textsReader(form.schema, '/body')
  const limits: BodyLimits = Object.fromEntries(
    Object.entries(taken).map(([mediaType, { bytesMax }]) => [mediaType as MediaType, bytesMax]),
  )
  return {
    limits,
    optional: body !== undefined && isOptional(body as TSchema),
    validate: (read) =>
      read.mediaType === 'application/json' ? validateJson!(read.value) : validateForm!(read.form.entries()),
  }
}

/** The status of a good answer, where the operation has one only, and that is not 200; of several the handler says which. */
function onlyStatus({ response = {} }: RouteFacts): number | undefined {
  const [status, ...others] = Object.keys(response)
    .map(Number)
    .filter((key) => !Number.isNaN(key))
  return others.length === 0 && status !== 200 ? status : undefined
}

/**
 * The checks of one route, for Elysia's `transform` stage, which runs before any of Elysia's own judging. They end at
 * once where nothing has to be waited for, which is the rule for reads.
 */
export function requestChecks(facts: RouteFacts, admit: Admit, lifecycle: Lifecycle) {
  const readParams = facts.params && pathReader(facts.params)
  const readQuery = facts.query && queryReader(facts.query)
  const bodies = bodyReader(facts)
  const status = onlyStatus(facts)
  // what a running attempt has to say is wanted until the end
  const mayBeRefused = facts.access.kind !== 'attempt'

  const withoutBody = (checked: Checked, request: Request): Checked => {
    if (readQuery) checked.query = readQuery(request.url)
    return checked
  }
  const withBody = async (
    checked: Checked,
    request: Request,
    { limits, validate }: BodyReader,
    { trail }: Progress,
  ): Promise<Checked> => {
    const body = await readBody(request, limits)
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
    params: RequestContext['params'],
    progress: Progress,
  ): Checked | Promise<Checked> => {
    if (readParams) checked.params = readParams(params)
    if (!bodies || (bodies.optional && !hasBody(request))) return withoutBody(checked, request)
    return withBody(checked, request, bodies, progress)
  }

  return (context: RequestContext): Checked | Promise<Checked> => {
    const { request, params, set } = context
    context.startedAt = performance.now()
    const requestId = requestIdOf(request.headers.get('x-request-id'))
    const progress: Progress = { requestId }
    context.requestId = requestId
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
