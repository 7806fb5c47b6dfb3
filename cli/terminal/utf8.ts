import { usageError } from './exit-codes.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The text of these bytes; `from` names them in messages. Throws `usage` for another encoding. */
export function textOf(bytes: Uint8Array, from: string): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw usageError(`${from} is not encoded in UTF-8: save it in that encoding.`)
  }
}
