/**
 * Large bodies that are being received and read at this moment. Each is held in memory meanwhile, so there is a bound of
 * their bytes, of one credential and of all together. Bodies up to 64 KiB are not counted, and never refused for this.
 * Source: contract 9, "Decided since".
 */
import { ApiError, serviceUnavailable } from './errors.ts'

export interface UploadLimits {
  /** Bytes of one credential; of a stranger, of one address. */
  ofOneMax: number
  /** Of all together. */
  ofAllMax: number
}

const mebibyte = 1024 * 1024
/** Two of the largest bodies, which are reports of attempts; four of the largest run starts. */
export const defaultUploadLimits: UploadLimits = { ofOneMax: 64 * mebibyte, ofAllMax: 256 * mebibyte }

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
    undefined,
    retryAfterSeconds,
  )

/** What one body has of the bounds. */
export interface Upload {
  /** So many bytes more. Throws `rate_limited` (429), or `service_unavailable` (503) when all together are too many. */
  add(bytes: number): void
  /** The body has been read, or given up. */
  end(): void
}

export class Uploads {
  readonly #ofOne = new Map<string, number>()
  #ofAll = 0

  constructor(private readonly limits: UploadLimits = defaultUploadLimits) {}

  /** A body that begins; `from` is the credential, or the address. */
  begin(from: string): Upload {
    let held = 0
    const change = (bytes: number) => {
      held += bytes
      this.#ofAll += bytes
      const ofOne = (this.#ofOne.get(from) ?? 0) + bytes
      if (ofOne === 0) this.#ofOne.delete(from)
      else this.#ofOne.set(from, ofOne)
    }
    return {
      add: (bytes) => {
        if ((this.#ofOne.get(from) ?? 0) + bytes > this.limits.ofOneMax) throw unread(tooMuch())
        if (this.#ofAll + bytes > this.limits.ofAllMax) {
          throw unread(serviceUnavailable('Too many large bodies are under way; send it again.', retryAfterSeconds))
        }
        change(bytes)
      },
      end: () => {
        if (held > 0) change(-held)
      },
    }
  }
}
