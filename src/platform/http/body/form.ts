/**
 * Parses `multipart/form-data` as it arrives, within the bounds below: the request is refused at the first part beyond
 * them, and the rest is not read. `@fastify/busboy`, which this file alone uses, finds the parts. Source: requirement 4.14;
 * RFC 7578.
 */
import { isUtf8 } from 'node:buffer'
import { Dicer } from '@fastify/busboy'
import { type ApiError, invalid, malformed } from '../answers/errors.ts'

export const filesMax = 20
export const fieldsMax = 100
/** Longer text must be sent as a file. */
export const fieldBytesMax = 1024 * 1024
const nameLengthMax = 200
const headerBytesMax = 4096
const headersMax = 8
/** Processed without a pause: well under a millisecond of work. */
const stretchBytes = 16 * 1024

/** The fields of a form, in order; files are `File` objects. */
export type Form = [name: string, value: string | File][]

/** One part, possibly incomplete. */
interface Part {
  name: string
  /** Undefined for text. */
  filename: string | undefined
  type: string
  pieces: Buffer[]
  bytes: number
}

/** A quoted string with the escapes of browsers, or a token. */
const value = /(?:"((?:[^"\\]|\\.)*)"|([^";\s]+))/.source
const disposition = new RegExp(`^form-data((?:\\s*;\\s*[a-z*]+=${value})*)\\s*;?$`, 'i')
const parameter = new RegExp(`;\\s*([a-z*]+)=${value}`, 'gi')

/** Header bytes are UTF-8, as browsers send them. Undefined if they are not valid. */
function textOf(latin1: string): string | undefined {
  const bytes = Buffer.from(latin1, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** Reverts the escapes that browsers use for quotes and line breaks. */
const unescaped = (text: string) =>
  text.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

/** Decodes a name such as `UTF-8''na%C3%AFve.txt`. */
function decoded(extended: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(extended) ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** The parameters of a Content-Disposition; undefined if it is not `form-data` or repeats a parameter. */
function parametersOf(header: string): Map<string, string> | undefined {
  const [matched, list = ''] = disposition.exec(header.trim()) ?? []
  if (matched === undefined) return undefined
  const parameters = new Map<string, string>()
  for (const [, name, quoted, word] of list.matchAll(parameter)) {
    const isExtended = name!.endsWith('*')
    const key = name!.toLowerCase().replace(/\*$/, '')
    const written = quoted === undefined ? word! : unescaped(quoted)
    const text = isExtended ? decoded(written) : textOf(written)
    if (text === undefined || parameters.has(key)) return undefined
    parameters.set(key, text)
  }
  return parameters
}

/** Starts the part that the headers describe. Throws `malformed_request`. */
function partOf(headers: Record<string, string[]>, index: number): Part {
  const where = `Part ${index} of the form`
  const [described, ...more] = headers['content-disposition'] ?? []
  const parameters = described === undefined || more.length > 0 ? undefined : parametersOf(described)
  if (!parameters) throw malformed(`${where} has no valid Content-Disposition: form-data; name="…" is expected.`)
  const name = parameters.get('name')
  if (!name) throw malformed(`${where} has no name.`)
  if (name.length > nameLengthMax) throw malformed(`${where} has a name of over ${nameLengthMax} characters.`)
  const [type = ''] = headers['content-type'] ?? []
  if (/^\s*multipart\//i.test(type)) throw malformed(`${where} is itself a form; send each file as a part of its own.`)
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(encoding)) throw malformed(`${where} must not be encoded as ${encoding}.`)
  return { name, filename: parameters.get('filename'), type: textOf(type) ?? '', pieces: [], bytes: 0 }
}

/** The text of a part. Throws `malformed_request`, and 422 for unsound text. */
function readText({ name, pieces, bytes }: Part): string {
  const whole = Buffer.concat(pieces, bytes)
  if (!isUtf8(whole)) throw malformed(`The field ${JSON.stringify(name)} of the form is not valid UTF-8.`)
  return whole.toString('utf8')
}

const pathOf = (name: string) => `/body/${name}`
const refuse = (path: string, message: string): ApiError => invalid([{ path, message }])

/** Parses a form piece by piece. */
export class FormReader {
  readonly #dicer: Dicer
  readonly #parts: Part[] = []
  readonly #ended = Promise.withResolvers<void>()
  #begun = 0
  #files = 0
  #fault: unknown

  /** Throws `malformed_request` if the content type has no boundary. */
  constructor(contentType: string) {
    const [, quoted, word] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))(?:\s*;|\s*$)/i.exec(contentType) ?? []
    const boundary = quoted ?? word
    if (boundary === undefined) throw malformed('The content type names no boundary of 1 to 70 characters.')
    this.#dicer = new Dicer({ boundary, maxHeaderPairs: headersMax, maxHeaderSize: headerBytesMax } as Dicer.Config)
    this.#dicer.on('part', (stream) => this.#begin(stream))
    this.#dicer.on('error', () =>
      this.#ended.reject(malformed('The form is incomplete: its last boundary is missing.')),
    )
    this.#dicer.on('finish', () => this.#ended.resolve())
    this.#ended.promise.catch(() => {})
  }

  /** Parses the next bytes, with pauses for other work. Throws at the first fault. */
  async write(piece: Uint8Array<ArrayBuffer>): Promise<void> {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
    for (let at = 0; at < bytes.length; at += stretchBytes) {
      if (at > 0) await new Promise<void>((resolve) => setImmediate(resolve))
      await new Promise<void>((resolve) => this.#dicer.write(bytes.subarray(at, at + stretchBytes), () => resolve()))
      if (this.#fault) throw this.#fault
    }
  }

  /** The whole form. Throws `malformed_request` if it is incomplete. */
  async end(): Promise<Form> {
    this.#dicer.end()
    await this.#ended.promise
    if (this.#fault) throw this.#fault
    if (this.#parts.length < this.#begun) throw malformed('A part of the form has no headers.')
    return this.#parts.map((part) => [part.name, part.filename === undefined ? readText(part) : fileOf(part)])
  }

  #begin(stream: Dicer.PartStream): void {
    this.#begun += 1
    const index = this.#begun
    // the reader as a whole reports a part that the end of the body cuts off
    stream.on('error', () => {})
    if (this.#fault || index > filesMax + fieldsMax) {
      this.#fault ??= refuse('/body', `Has more than ${filesMax + fieldsMax} parts.`)
      stream.resume()
      return
    }
    stream.on('header', (headers) => {
      try {
        const part = partOf(headers as Record<string, string[]>, index)
        this.#add(part)
        stream.on('data', (data: Buffer) => this.#take(part, data))
      } catch (error) {
        this.#fault ??= error
        stream.resume()
      }
    })
  }

  #add(part: Part): void {
    this.#parts.push(part)
    if (part.filename !== undefined) this.#files += 1
    if (this.#files > filesMax)
      throw refuse(pathOf(part.name), `Has more than ${filesMax} files, the most that a run accepts.`)
    if (this.#parts.length - this.#files > fieldsMax) throw refuse('/body', `Has more than ${fieldsMax} fields.`)
  }

  #take(part: Part, data: Buffer): void {
    if (this.#fault) return
    part.bytes += data.length
    if (part.filename === undefined && part.bytes > fieldBytesMax) {
      this.#fault = refuse(pathOf(part.name), 'Has more than 1 MiB of text; send it as a file.')
    } else part.pieces.push(data)
  }
}

/** The media type by the extension of the file name, for files whose own type says nothing. */
function typeByName(filename: string): string {
  const [, extension] = /\.([A-Za-z0-9]{1,16})$/.exec(filename) ?? []
  return extension === undefined ? '' : Bun.file(`file.${extension}`).type
}

function fileOf({ filename = '', type, pieces }: Part): File {
  const saysNothing = type === '' || /^\s*application\/octet-stream\s*(;|$)/i.test(type)
  return new File(pieces as BlobPart[], filename, { type: saysNothing ? typeByName(filename) : type })
}
