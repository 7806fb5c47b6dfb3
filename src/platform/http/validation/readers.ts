/** Reads the parts of a request by the schemas of its route: path, query, body. Source: contract 0. */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { ApiError, malformed, notFound } from '../answers/errors.ts'
import { isRead } from '../answers/methods.ts'
import {
  type BodyLimits,
  hasBody,
  jsonBytesMax,
  type Manner,
  type MediaType,
  type ReadBody,
  readOptionalBody,
} from '../body/body.ts'
import type { RouteFacts } from '../guard/route.ts'
import { type TextSource, textReader, type UnknownNames } from './coercion.ts'
import { isOptional, type Validate, validator } from './validation.ts'

/** As the router has them; an id that is not well encoded is null. */
export type RawParams = Record<string, string | null>

/** A malformed path id names nothing that exists. */
export function pathReader(schema: TObject): (params: RawParams) => unknown {
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

function textsReader(schema: TObject, source: TextSource, unknown?: UnknownNames) {
  const read = textReader(schema, source, unknown)
  const validate = validator(schema, source)
  return (entries: Iterable<[string, string | File]>): unknown => validate(read(entries))
}

const noTexts: [string, string][] = []
const noParameters = Type.Object({})

/** Reads the query of a URL; undefined where the route reads none and refuses none. */
export function queryReader({ query, anyQuery }: RouteFacts): ((url: string) => unknown) | undefined {
  if (!query && anyQuery) return undefined
  const read = textsReader(query ?? noParameters, '/query', anyQuery ? 'ignored' : 'refused')
  return (url) => {
    const start = url.indexOf('?')
    if (start === -1) return query ? read(noTexts) : undefined
    return read(new URLSearchParams(url.slice(start + 1)))
  }
}

export interface BodyReader {
  limits: BodyLimits
  /** Without a body there is nothing to read, and that is fine. */
  optional: boolean
  validate(body: ReadBody): unknown
}

/** Reads the bodies that a route takes; undefined where it takes none. */
export function bodyReader({ body, bodyLimit = jsonBytesMax, consumes }: RouteFacts): BodyReader | undefined {
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
    validate: (read) => (read.mediaType === 'application/json' ? validateJson!(read.value) : validateForm!(read.form)),
  }
}

const validateNoFields = validator(Type.Object({}), '/body')
const noFieldLimits: BodyLimits = { 'application/json': jsonBytesMax }

/** Whether a request that should have no body has one. */
export const hasStrayBody = (request: Request): boolean =>
  isRead(request.method)
    ? // the server drops what comes with a GET: only the headers tell of it
      (request.headers.get('content-length') ?? '0') !== '0' || request.headers.has('transfer-encoding')
    : hasBody(request)

/**
 * Reads the body of a request that takes none: nothing and `{}` are fine. Throws `malformed_request` (400), also for a body
 * that cannot be looked at, `validation_failed` (422) for any field, `payload_too_large` (413).
 */
export async function refuseFields(request: Request, manner: Manner): Promise<void> {
  if (isRead(request.method)) throw malformed(`A ${request.method} request has no body; leave it out.`)
  const body = await readOptionalBody(request, noFieldLimits, manner)
  if (body?.mediaType === 'application/json') validateNoFields(body.value)
}
