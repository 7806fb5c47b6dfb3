/** Reads path, query and body by the schemas of the route. Source: contract 0. */
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

/** Path parameters from the router; null if not correctly encoded. */
export type RawParams = Record<string, string | null>

/** Reads path parameters; a malformed id is `notFound`. */
export function pathReader(schema: TObject): (params: RawParams) => unknown {
  const properties = Object.values(schema.properties)
  const areTexts = properties.every((property) => property.type === 'string')
  const read = areTexts ? undefined : textReader(schema, '/path')
  const validate = validator(schema, '/path')
  return (params) => {
    try {
      // a parameter that is not correctly encoded is null, which no schema accepts
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

/** Reads the query of a URL; undefined if the route neither reads nor refuses parameters. */
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
  /** The body of a request that has none; undefined if the body is required. */
  absent: (() => unknown) | undefined
  validate(body: ReadBody): unknown
}

/** Reads the bodies of a route; undefined if it accepts none. */
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
    absent: body !== undefined && isOptional(body as TSchema) ? () => validateJson!({}) : undefined,
    validate: (read) => (read.mediaType === 'application/json' ? validateJson!(read.value) : validateForm!(read.form)),
  }
}

const validateNoFields = validator(Type.Object({}), '/body')
const noFieldLimits: BodyLimits = { 'application/json': jsonBytesMax }

/** Whether a request without a declared body has one. */
export const hasStrayBody = (request: Request): boolean =>
  isRead(request.method)
    ? // the server drops the body of a GET: only the headers show it
      (request.headers.get('content-length') ?? '0') !== '0' || request.headers.has('transfer-encoding')
    : hasBody(request)

/**
 * Reads the body of an operation that has none: an empty body and `{}` are accepted. Throws `malformed_request` (400), also
 * for an unreadable body, `validation_failed` (422) for any field, `payload_too_large` (413).
 */
export async function refuseFields(request: Request, manner: Manner): Promise<void> {
  if (isRead(request.method)) throw malformed(`A ${request.method} request has no body; leave it out.`)
  const body = await readOptionalBody(request, noFieldLimits, manner)
  if (body?.mediaType === 'application/json') validateNoFields(body.value)
}
