/** Bounds the size of rendered requests. Source: contract 4, "a rendered request is at most 1 MiB". */
import { OperationFailure } from './failure.ts'

/** Of path, query, headers and body together, in UTF-8; also of an Agent's query. */
export const renderedBytesMax = 1_048_576

const tooLarge = () =>
  new OperationFailure(
    'too_large',
    `With its values filled in, the request is larger than ${renderedBytesMax.toLocaleString('en')} bytes. Nothing was sent.`,
  )

/** Throws `OperationFailure` (`too_large`) if the encoded parts are too large. */
export function assertSendable(...parts: string[]): void {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  if (bytes > renderedBytesMax) throw tooLarge()
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
