/** Bounds the size of rendered requests. Source: contract 4, "a rendered request is at most 1 MiB". */
import { urlCharactersMax } from '../../platform/outbound/url.ts'
import { OperationFailure } from './failure.ts'

/** Of path, query, headers and body together, in UTF-8; also of an Agent's query. */
const renderedBytesMax = 1_048_576

const tooLarge = () =>
  new OperationFailure(
    'too_large',
    `With its values filled in, the request is larger than ${renderedBytesMax.toLocaleString('en')} bytes. Nothing was sent.`,
  )

/** Throws `OperationFailure` (`too_large`) if the URL or all encoded parts together are too large. */
export function assertSendable(url: string, ...parts: string[]): void {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), Buffer.byteLength(url))
  if (bytes > renderedBytesMax) throw tooLarge()
  if (url.length <= urlCharactersMax) return
  throw new OperationFailure(
    'too_large',
    `With its values filled in and encoded, the URL of the request has more than ${urlCharactersMax.toLocaleString('en')} ` +
      'characters. Nothing was sent. Give shorter values for its path and query, or have the operation send them in its body.',
  )
}

/** The remaining room, counted before anything is built. Each value is measured once. */
export class Room {
  #left: number
  readonly #texts = new Map<string, string>()

  constructor(bytesMax: number = renderedBytesMax) {
    this.#left = bytesMax
  }

  /** Throws `OperationFailure` (`too_large`) if there is not enough room. */
  take(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw tooLarge()
  }

  /** Throws as `take` does, but takes nothing. */
  fits(bytes: number): void {
    this.take(bytes)
    this.#left += bytes
  }

  /** Takes room for the text of this name and returns it. */
  text(name: string, make: () => string): string {
    let text = this.#texts.get(name)
    if (text === undefined) {
      text = make()
      this.#texts.set(name, text)
    }
    this.take(Buffer.byteLength(text))
    return text
  }
}
