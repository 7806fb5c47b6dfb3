/** How much a handler may send with all its values put in. Source: contract 4, "a rendered request is at most 1 MiB". */
import { OperationFailure } from './failure.ts'

/** Of path, query, headers and body together, in UTF-8; what an Agent is asked, too. */
export const renderedBytesMax = 1_048_576

const tooLarge = () =>
  new OperationFailure(
    'too_large',
    `With its values put in, the request is over ${renderedBytesMax.toLocaleString('en')} bytes. Nothing was sent.`,
  )

/** Throws `OperationFailure` (`too_large`) for what is over the limit as it is sent: encoding makes texts longer. */
export function assertSendable(...parts: string[]): void {
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  if (bytes > renderedBytesMax) throw tooLarge()
}

/** What is left, counted before anything is put together. A value is read once, however often it stands somewhere. */
export class Room {
  #left: number
  readonly #texts = new Map<string, string>()

  constructor(bytesMax: number = renderedBytesMax) {
    this.#left = bytesMax
  }

  /** Throws `OperationFailure` (`too_large`) when that is more than is left. */
  take(bytes: number): void {
    this.#left -= bytes
    if (this.#left < 0) throw tooLarge()
  }

  /** Throws as `take` does, and takes nothing. */
  fits(bytes: number): void {
    this.take(bytes)
    this.#left += bytes
  }

  /** Takes room for the text under this name, and gives it. */
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
