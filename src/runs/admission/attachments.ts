/**
 * Attachments of a run: ASCII text, images and PDF, each at most 5 MiB, all together at most 10 MiB.
 * Source: requirement 4.14, 8, "Attachment size"; contract 5, "`contents` items".
 */
import { isAscii } from 'node:buffer'
import { ApiError, type Issue, invalid } from '../../platform/http/answers/errors.ts'
import type { ContentItem } from '../runner/protocol/protocol.ts'

const fileBytesMax = 5 * 1024 * 1024
const totalBytesMax = 10 * 1024 * 1024

const tooLarge = (message: string) => new ApiError(400, 'attachment_too_large', message)
const unsupported = (message: string) => new ApiError(400, 'unsupported_attachment', message)

const begins = (bytes: Uint8Array, at: number, text: string) =>
  bytes.length >= at + text.length &&
  Buffer.from(bytes.buffer, bytes.byteOffset + at, text.length).toString('latin1') === text

/** Whether the bytes match the media type, by their signature. */
const kinds: Record<string, (bytes: Uint8Array) => boolean> = {
  'image/png': (bytes) => begins(bytes, 0, '\x89PNG\r\n\x1a\n'),
  'image/jpeg': (bytes) => begins(bytes, 0, '\xff\xd8\xff'),
  'image/gif': (bytes) => begins(bytes, 0, 'GIF87a') || begins(bytes, 0, 'GIF89a'),
  'image/webp': (bytes) => begins(bytes, 0, 'RIFF') && begins(bytes, 8, 'WEBP'),
  'application/pdf': (bytes) => begins(bytes, 0, '%PDF-'),
  'text/plain': (bytes) => isAscii(bytes) && !bytes.includes(0),
}
const isImage = (mediaType: string) => mediaType.startsWith('image/')

/** Throws `unsupported_attachment` unless the bytes match the media type. */
function assertKind(mediaType: string, bytes: Uint8Array, where: string) {
  const matches = Object.hasOwn(kinds, mediaType) ? kinds[mediaType] : undefined
  if (!matches) throw unsupported(`${where} is not ASCII text, a PNG, JPEG, GIF or WebP image, or a PDF.`)
  if (bytes.length === 0) throw unsupported(`${where} is empty.`)
  if (matches(bytes)) return
  const hint = mediaType === 'text/plain' ? 'ASCII text; put other text into the query' : mediaType
  throw unsupported(`${where} is not ${hint}.`)
}

/** Adds up sizes. Throws `attachment_too_large`. */
class Sizes {
  #total = 0

  add(bytes: number, where: string) {
    if (bytes > fileBytesMax) throw tooLarge(`${where} is over 5 MiB.`)
    this.#total += bytes
    if (this.#total > totalBytesMax) throw tooLarge('The attachments exceed 10 MiB in total.')
  }
}

/** Decodes base64 (RFC 4648, section 4: padded, without white space); undefined if invalid. */
function bytesOf(base64: string): Uint8Array | undefined {
  if (base64.length % 4 !== 0) return undefined
  try {
    const bytes = Uint8Array.fromBase64(base64, { lastChunkHandling: 'loose' })
    // the decoder skips white space
    return bytes.length === bytesIn(base64) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Whether `contents` takes it as the data of an attachment. */
export const isBase64 = (text: string): boolean => bytesOf(text) !== undefined

const bytesIn = (base64: string) => (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)

/**
 * Checks `contents`: a text counts like an attachment, by its bytes in UTF-8. Throws 422 for bad base64,
 * `unsupported_attachment` or `attachment_too_large` (both 400).
 */
export function checkContents(contents: readonly ContentItem[]): void {
  const sizes = new Sizes()
  const issues: Issue[] = []
  for (const [index, item] of contents.entries()) {
    const where = `The attachment ${index + 1}`
    if (item.type === 'text') {
      sizes.add(Buffer.byteLength(item.text), where)
      continue
    }
    if (item.type === 'image' && !isImage(item.mediaType)) throw unsupported(`${where} is not a supported image.`)
    if (item.type === 'file' && isImage(item.mediaType)) throw unsupported(`${where} is an image; send it as one.`)
    const bytes = bytesOf(item.data)
    if (!bytes) {
      issues.push({ path: `/body/contents/${index}/data`, message: 'Must be base64.' })
      continue
    }
    sizes.add(bytes.length, where)
    assertKind(item.mediaType, bytes, where)
  }
  if (issues.length > 0) throw invalid(issues.slice(0, 20))
}

const textual = /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml|toml|javascript|[^+]+\+(?:json|xml)))$/

/**
 * The media type of an uploaded file. A generic declared type is replaced by the one that the bytes show; a specific
 * one is checked against them.
 */
function mediaTypeOf(declared: string, bytes: Uint8Array): string {
  const mediaType = (declared.split(';', 1)[0] ?? '').trim().toLowerCase()
  if (textual.test(mediaType)) return 'text/plain'
  if (mediaType !== '' && mediaType !== 'application/octet-stream') return mediaType
  return Object.keys(kinds).find((kind) => kinds[kind]?.(bytes)) ?? 'application/octet-stream'
}

/** An uploaded file with its bytes. */
export interface ReadFile {
  name: string
  type: string
  bytes: Uint8Array
}

/** Reads uploaded files. Throws `attachment_too_large` before it reads a file over the limit. */
export async function readFiles(files: readonly File[]): Promise<ReadFile[]> {
  const sizes = new Sizes()
  for (const [index, { size }] of files.entries()) sizes.add(size, `The attachment ${index + 1}`)
  return Promise.all(
    files.map(async (file) => ({ name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) })),
  )
}

/** Files as inline parts of a message. Throws `unsupported_attachment` (400). */
export function inlineParts(files: readonly ReadFile[]): ContentItem[] {
  return files.map(({ name, type, bytes }, index): ContentItem => {
    const mediaType = mediaTypeOf(type, bytes)
    assertKind(mediaType, bytes, `The attachment ${index + 1}`)
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
    return isImage(mediaType)
      ? { type: 'image', mediaType, data }
      : { type: 'file', mediaType: mediaType as 'text/plain', filename: filenameOf(name, index), data }
  })
}

const controls = /\p{Cc}/gu

const filenameOf = (name: string, index: number) =>
  name.replace(controls, '').slice(0, 255).toWellFormed() || `file-${index + 1}`
