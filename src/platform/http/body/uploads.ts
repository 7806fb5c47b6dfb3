/**
 * Bounds the memory of large bodies that are being received or parsed, per credential and in total. A body that does not fit
 * waits unread, at almost no cost, and is refused after a while: a client that is refused at once retries at once. Bodies
 * up to 64 KiB are not counted and never wait. Source: contract 9, "Decided since".
 */
import { ApiError, serviceUnavailable } from '../answers/errors.ts'

export interface UploadLimits {
  /** Bytes per credential, or per address for unauthenticated requests. */
  ofOneMax: number
  /** Bytes in total. */
  ofAllMax: number
  /** How many bodies of one credential, and in total, may wait; more are refused at once. */
  waitingOfOneMax: number
  waitingOfAllMax: number
  /** How long a body waits, in milliseconds. */
  waitMs: number
}

const mebibyte = 1024 * 1024
const defaultUploadLimits: UploadLimits = {
  // the largest body is the report of an attempt; or two of the largest run starts
  ofOneMax: 32 * mebibyte,
  ofAllMax: 256 * mebibyte,
  // Bun reads one mebibyte of an unread body from its socket
  waitingOfOneMax: 64,
  waitingOfAllMax: 256,
  waitMs: 1_000,
}

const retryAfterSeconds = 1

/** The rest of the body is not read. */
function unread(error: ApiError): ApiError {
  error.closesConnection = true
  return error
}

const tooMuch = () =>
  new ApiError(
    429,
    'rate_limited',
    'Too many large bodies of this credential are under way; send them one after the other.',
    { retryAfterSeconds },
  )

/** The bytes that one body holds. */
export interface Upload {
  /**
   * Adds bytes; returns a promise if it must wait. Rejects with `rate_limited` (429), or with `service_unavailable` (503) if
   * the total is too large.
   */
  add(bytes: number): void | Promise<void>
  /** The body has been read or abandoned. */
  end(): void
}

/** A body that waits. */
interface Waiting {
  from: string
  bytes: number
  enter(): void
}

export class Uploads {
  readonly #ofOne = new Map<string, number>()
  #ofAll = 0
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()

  private readonly limits: UploadLimits

  constructor(limits: Partial<UploadLimits> = {}) {
    this.limits = { ...defaultUploadLimits, ...limits }
  }

  /** Registers a body; `from` is the credential or the address. */
  begin(from: string): Upload {
    let held = 0
    const take = (bytes: number) => {
      held += bytes
      this.#change(from, bytes)
    }
    return {
      add: (bytes) => {
        if (this.#refusal(from, bytes)) return this.#wait(from, bytes, () => take(bytes))
        take(bytes)
        return undefined
      },
      end: () => {
        if (held === 0) return
        take(-held)
        this.#letIn()
      },
    }
  }

  #change(from: string, bytes: number): void {
    this.#ofAll += bytes
    const ofOne = (this.#ofOne.get(from) ?? 0) + bytes
    if (ofOne === 0) this.#ofOne.delete(from)
    else this.#ofOne.set(from, ofOne)
  }

  /** The error if the bytes do not fit, else undefined. */
  #refusal(from: string, bytes: number): ApiError | undefined {
    if ((this.#ofOne.get(from) ?? 0) + bytes > this.limits.ofOneMax) return tooMuch()
    if (this.#ofAll + bytes > this.limits.ofAllMax) {
      return serviceUnavailable('Too many large bodies are under way; send it again.', retryAfterSeconds)
    }
    return undefined
  }

  /** Whether the credential's queue is full. */
  #isFull(from: string): boolean {
    let ofOne = 0
    for (const waiting of this.#waiting) if (waiting.from === from) ofOne += 1
    return ofOne >= this.limits.waitingOfOneMax || this.#waiting.size >= this.limits.waitingOfAllMax
  }

  #wait(from: string, bytes: number, take: () => void): Promise<void> {
    if (bytes > this.limits.ofOneMax || this.#isFull(from)) throw unread(this.#refusal(from, bytes)!)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = {
      from,
      bytes,
      enter: () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        take()
        resolve()
      },
    }
    const timer = setTimeout(() => {
      this.#waiting.delete(waiting)
      reject(unread(this.#refusal(from, bytes) ?? tooMuch()))
    }, this.limits.waitMs)
    this.#waiting.add(waiting)
    return promise
  }

  /** Admits waiting bodies that fit now, the oldest first. */
  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (!this.#refusal(waiting.from, waiting.bytes)) waiting.enter()
    }
  }
}
