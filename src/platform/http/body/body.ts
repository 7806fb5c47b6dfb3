/** Reads the body of a request within the bounds of its route. Source: contract 0, "Strings". */

import { malformed } from '../answers/errors.ts'
import { defaultPace, type Pace, receive, receiveBytes } from './arrival.ts'
import type { Form } from './form.ts'
import { parseJson } from './json.ts'
import type { Upload } from './uploads.ts'

export const jsonBytesMax = 1024 * 1024

export type MediaType = 'application/json' | 'multipart/form-data'

/** The most bytes for each media type that a route accepts. */
export type BodyLimits = Partial<Record<MediaType, number>>

/** A body, read and well-formed, not yet validated. */
export type ReadBody =
  | { mediaType: 'application/json'; value: unknown }
  | { mediaType: 'multipart/form-data'; form: Form }

/** The most characters of a given media type in a message. */
const mediaTypeLengthMax = 100

export const hasBody = (request: Request): boolean => {
  const length = request.headers.get('content-length')
  return length === null ? request.body !== null : length !== '0'
}

/** The media type of the request. Throws `malformed_request` if the route does not accept it. */
function mediaTypeOf(contentType: string | null, limits: BodyLimits): MediaType {
  // as nearly every client says it
  if (contentType === 'application/json' && limits[contentType] !== undefined) return contentType
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  const mediaType = type.trim().toLowerCase()
  const isTaken = mediaType === 'application/json' || mediaType === 'multipart/form-data'
  if (!isTaken || limits[mediaType] === undefined) {
    const given = mediaType === '' ? 'the request has none' : `it is ${mediaType.slice(0, mediaTypeLengthMax)}`
    throw malformed(`The Content-Type must be ${Object.keys(limits).join(' or ')}; ${given}.`)
  }
  const charset = parameters.find((parameter) => parameter.trim().toLowerCase().startsWith('charset='))
  if (charset && !/^\s*charset="?utf-?8"?\s*$/i.test(charset)) throw malformed('The charset must be UTF-8.')
  return mediaType
}

/** Exceptions from the usual bounds. */
export interface Manner {
  pace?: Pace
  /** The most values and names in its JSON. */
  valuesMax?: number
  /** Counts large bodies. */
  upload?: Upload
}

/** The body of the request. Throws `malformed_request` (400), `payload_too_large` (413), and 422 for too many parts. */
export async function readBody(
  request: Request,
  limits: BodyLimits,
  { pace = defaultPace, valuesMax, upload }: Manner = {},
): Promise<ReadBody> {
  const mediaType = mediaTypeOf(request.headers.get('content-type'), limits)
  assertNotCompressed(request)
  const bytesMax = limits[mediaType]!
  if (mediaType === 'application/json') {
    return jsonOf(await receiveBytes(request, bytesMax, pace, upload), valuesMax)
  }
  // few servers ever read a form, so its parser is loaded with the first one
  const { FormReader } = await import('./form.ts')
  const reader = new FormReader(request.headers.get('content-type')!)
  await receive(request, bytesMax, pace, (piece) => reader.write(piece), upload)
  return { mediaType, form: await reader.end() }
}

function jsonOf(bytes: Uint8Array, valuesMax: number | undefined): ReadBody | Promise<ReadBody> {
  const mediaType = 'application/json'
  const value = parseJson(bytes, valuesMax)
  return value instanceof Promise ? value.then((read) => ({ mediaType, value: read })) : { mediaType, value }
}

/** The same for an optional JSON body: an announced body of no bytes counts as absent, whatever its media type. */
export async function readOptionalBody(
  request: Request,
  limits: BodyLimits,
  { pace = defaultPace, valuesMax, upload }: Manner = {},
): Promise<ReadBody | undefined> {
  const bytesMax = limits['application/json'] ?? jsonBytesMax
  const bytes = await receiveBytes(request, bytesMax, pace, upload)
  if (bytes.length === 0) return undefined
  mediaTypeOf(request.headers.get('content-type'), { 'application/json': bytesMax })
  assertNotCompressed(request)
  return jsonOf(bytes, valuesMax)
}

function assertNotCompressed({ headers }: Request): void {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw malformed('The body must not be compressed.')
}
