/** Digests in the API's form: `sha256:` and 64 hexadecimal digits. Source: contract 5, "Digests". */
import { nextTurn } from '../time/next-turn.ts'
import { canonical } from './canonical.ts'

export const digestOfText = (text: string): string => `sha256:${Bun.SHA256.hash(text, 'hex')}`

/** Characters that are processed in about a millisecond. */
const stretch = 512 * 1024

/** The digest of concatenated texts; pauses for other work. */
export async function digestOfTexts(texts: Iterable<string>): Promise<{ digest: string; bytes: number }> {
  const hasher = new Bun.CryptoHasher('sha256')
  let bytes = 0
  let since = 0
  for (const text of texts) {
    for (let start = 0; start < text.length; ) {
      const end = wholeCharacters(text, start + stretch)
      const piece = text.slice(start, end)
      hasher.update(piece)
      bytes += Buffer.byteLength(piece)
      since += piece.length
      start = end
      if (since < stretch) continue
      await nextTurn()
      since = 0
    }
  }
  return { digest: `sha256:${hasher.digest('hex')}`, bytes }
}

/** The digest of the canonical JSON of a value that may be large; pauses for other work. */
export async function digestOfLarge(value: unknown): Promise<string> {
  const text = canonical(value)
  if (text.length <= stretch) return digestOfText(text)
  await nextTurn()
  return (await digestOfTexts([text])).digest
}

/** `end`, or one less if that would split a surrogate pair. */
function wholeCharacters(text: string, end: number): number {
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last < 0xdc00 ? end - 1 : Math.min(end, text.length)
}

/** The digest of the canonical JSON (RFC 8785) of a value. */
export const digestOf = (value: unknown): string => digestOfText(canonical(value))
