/**
 * Large bodies that are being received and read at this moment. Each is held in memory meanwhile, so there is a bound of
 * their bytes, of one credential and of all together. One that finds no room waits for it unread, which costs the server
 * next to nothing, and is refused when none came: a client that is refused at once sends it again at once. Bodies up to
 * 64 KiB are not counted, and neither wait nor are refused. Source: contract 9, "Decided since".
 */
import { ApiError, serviceUnavailable } from '../answers/errors.ts'

export interface UploadLimits {
  /** Bytes of one credential; of a stranger, of one address. */
  ofOneMax: number
  /** Of all together. */
  ofAllMax: number
  /** How many of one credential wait for room, and how many of all; any more are refused at once. */
  waitingOfOneMax: number
  waitingOfAllMax: number
  /** How long one waits for room, in milliseconds. */
  waitMs: number
}

const mebibyte = 1024 * 1024
const defaultUploadLimits: UploadLimits = {
  // the largest body, which is the report of an attempt; two of the largest run starts
  ofOneMax: 32 * mebibyte,
  ofAllMax: 256 * mebibyte,
  // of a body that is not read, Bun takes one mebibyte from its socket
  waitingOfOneMax: 64,
  waitingOfAllMax: 256,
  waitMs: 1_000,
}

const retryAfterSeconds = 1

/** What is still to come of the body is not read. */
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

/** What one body has of the bounds. */
export interface Upload {
  /**
   * So many bytes more; a promise where room has to be waited for. Rejects with `rate_limited` (429), or with
   * `service_unavailable` (503) when all together are too many.
   */
  add(bytes: number): void | Promise<void>
  /** The body has been read, or given up. */
  end(): void
}

/** A body that waits for room. */
interface Waiting {
  from: string
  bytes: number
  enter(): void
}

export class Uploads {
  readonly #ofOne = new Map<string, number>()
  #ofAll = 0
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiting>()

  private readonly limits: UploadLimits

  constructor(limits: Partial<UploadLimits> = {}) {
    this.limits = { ...defaultUploadLimits, ...limits }
  }

  /** A body that begins; `from` is the credential, or the address. */
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

  /** Why there is no room for so many bytes more; undefined where there is. */
  #refusal(from: string, bytes: number): ApiError | undefined {
    if ((this.#ofOne.get(from) ?? 0) + bytes > this.limits.ofOneMax) return tooMuch()
    if (this.#ofAll + bytes > this.limits.ofAllMax) {
      return serviceUnavailable('Too many large bodies are under way; send it again.', retryAfterSeconds)
    }
    return undefined
  }

  /** Whether no further body of it may wait. */
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

  /** Those for whom there is room now, the eldest first. */
  #letIn(): void {
    for (const waiting of this.#waiting) {
      if (!this.#refusal(waiting.from, waiting.bytes)) waiting.enter()
    }
  }
}
