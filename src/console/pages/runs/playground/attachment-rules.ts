/**
 * Client-side checks of attachments: ASCII text, images and PDF; 5 MiB each, 10 MiB together. The server validates them too.
 * Source: requirement 8, "Attachment size".
 */
const mebibyte = 1024 * 1024
const fileBytesMax = 5 * mebibyte
const totalBytesMax = 10 * mebibyte

/** `accept` of the file input. */
export const acceptedFiles = 'image/png,image/jpeg,image/gif,image/webp,application/pdf,text/*,.md,.csv,.json,.txt,.log'

const plain = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)$/
const textual = /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml|toml|javascript|[^+]+\+(?:json|xml)))$/

/** `1.4 MiB`, `12 KiB` */
export function sizeText(bytes: number): string {
  if (bytes >= mebibyte) return `${(bytes / mebibyte).toFixed(1)} MiB`
  return bytes >= 1024 ? `${Math.round(bytes / 1024)} KiB` : `${bytes} B`
}

/** Problem of one file; undefined if valid. */
export async function problemOf(file: File): Promise<string | undefined> {
  const { size } = file
  const type = (file.type.split(';', 1)[0] ?? '').toLowerCase()
  if (size === 0) return 'is empty'
  if (size > fileBytesMax) return `is ${sizeText(size)}; the limit is 5 MiB`
  if (plain.test(type)) return undefined
  if (type !== '' && type !== 'application/octet-stream' && !textual.test(type))
    return 'is not a PNG, JPEG, GIF or WebP image, PDF or text'
  const bytes = new Uint8Array(await file.arrayBuffer())
  // files without a type are checked by content
  if (type === '' || type === 'application/octet-stream')
    return bytes.includes(0) && !isKnown(bytes) ? 'is not text, an image or PDF' : undefined
  return bytes.every((byte) => byte > 0 && byte < 128) ? undefined : 'contains non-ASCII characters'
}

const beginnings = ['%PDF-', '\x89PNG', '\xff\xd8\xff', 'GIF8', 'RIFF']

function isKnown(bytes: Uint8Array): boolean {
  const start = String.fromCharCode(...bytes.subarray(0, 5))
  return beginnings.some((beginning) => start.startsWith(beginning))
}

/** Problem of all files together. */
export function problemTogether(files: readonly File[]): string | undefined {
  const total = files.reduce((sum, { size }) => sum + size, 0)
  return total > totalBytesMax ? `Files total ${sizeText(total)}; the limit is 10 MiB.` : undefined
}
