/** Reads the body of a request within its bounds: never more bytes than the route takes. Source: contract 0, "Strings". */
import { malformed, payloadTooLarge } from './errors.ts'
import { parseJson } from './json.ts'

export const jsonBytesMax = 1024 * 1024

/** The media types that a body may have. */
export type MediaType = 'application/json' | 'multipart/form-data'

/** What a route takes: for each media type the most bytes. */
export type BodyLimits = Partial<Record<MediaType, number>>

/** The fields of a form, in order. */
export type Form = Awaited<ReturnType<Response['formData']>>

/** A body, read and well-formed, not yet validated. */
export type ReadBody =
  | { mediaType: 'application/json'; value: unknown }
  | { mediaType: 'multipart/form-data'; form: Form }

/** Whether the request announces a body at all. */
export const hasBody = (request: Request): boolean => {
  const length = request.headers.get('content-length')
  return length === null ? request.body !== null : length !== '0'
}

/** Reads a stream until its end or past the bound, where it throws `payload_too_large`. */
async function drain(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.byteLength
    if (size > bytesMax) throw payloadTooLarge(bytesMax)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

/** The body as it came. Throws `payload_too_large` (413). */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const announced = request.headers.get('content-length')
  // with a length the server itself hands out no more than that; without one the bytes are counted as they come
  if (announced !== null) {
    if (Number(announced) > bytesMax) throw payloadTooLarge(bytesMax)
    return new Uint8Array(await request.arrayBuffer())
  }
  return request.body ? drain(request.body, bytesMax) : new Uint8Array()
}

/** The media type of the request, when the route takes it. Throws `malformed_request`. */
function mediaTypeOf(contentType: string | null, limits: BodyLimits): MediaType {
  const [type = '', ...parameters] = (contentType ?? '').split(';')
  const mediaType = type.trim().toLowerCase()
  const isTaken = mediaType === 'application/json' || mediaType === 'multipart/form-data'
  if (!isTaken || limits[mediaType] === undefined) {
    throw malformed(`The content type must be ${Object.keys(limits).join(' or ')}.`)
  }
  const charset = parameters.find((parameter) => parameter.trim().toLowerCase().startsWith('charset='))
  if (charset && !/^\s*charset="?utf-?8"?\s*$/i.test(charset)) throw malformed('The charset must be UTF-8.')
  return mediaType
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, contentType: string): Promise<Form> {
  try {
    return await new Response(bytes, { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw malformed('The body is not valid multipart/form-data.')
  }
}

/** The body of the request. Throws `malformed_request` (400) or `payload_too_large` (413). */
export async function readBody(request: Request, limits: BodyLimits): Promise<ReadBody> {
  const mediaType = mediaTypeOf(request.headers.get('content-type'), limits)
  assertNotCompressed(request)
  return parseBody(request, mediaType, await readBytes(request, limits[mediaType]!))
}

/** The same where there may be none: an announced body without a byte is none, whatever it is said to be. */
export async function readOptionalBody(request: Request, limits: BodyLimits): Promise<ReadBody | undefined> {
  const bytes = await readBytes(request, Math.max(...Object.values(limits)))
  if (bytes.length === 0) return undefined
  const mediaType = mediaTypeOf(request.headers.get('content-type'), limits)
  assertNotCompressed(request)
  return parseBody(request, mediaType, bytes)
}

function assertNotCompressed({ headers }: Request): void {
  const encoding = headers.get('content-encoding')
  if (encoding !== null && encoding.toLowerCase() !== 'identity') throw malformed('The body must not be compressed.')
}

/** JSON at once; only a form is waited for. */
function parseBody(request: Request, mediaType: MediaType, bytes: Uint8Array<ArrayBuffer>) {
  if (mediaType === 'application/json') return { mediaType, value: parseJson(bytes) }
  return parseForm(bytes, request.headers.get('content-type')!).then((form) => ({ mediaType, form }))
}
