/**
 * How the bytes of a request arrive: never more of them than a route takes, and never slower than a server can wait for. A
 * body has 15 seconds, and one second more for each 64 KiB that have come, so that a large body over a slow line gets
 * through and one that trickles does not. Source: contract 0, "Strings"; docs/api.md, "Starting a run".
 */

import { bodyBroken, bodyTooSlow, payloadTooLarge } from '../answers/errors.ts'
import type { Upload } from './uploads.ts'

/** The pace that a body has to keep. */
export interface Pace {
  /** How long a body may take that brings nothing, in milliseconds from its headers. */
  graceMs: number
  /** Each so many bytes that have come are worth another second. */
  bytesPerSecond: number
}

export const defaultPace: Pace = { graceMs: 15_000, bytesPerSecond: 64 * 1024 }

type Bytes = Uint8Array<ArrayBuffer>

/** Bodies up to this size are taken in one piece, which is cheaper than a stream. */
const smallBytesMax = 64 * 1024
/** A timer that fires so late tells that this process was away: the client is not blamed for that. */
const awayMs = 1_000

/** Calls `late` once the body has fallen behind its pace. */
class Deadline {
  #startedAt = performance.now()
  #received = 0
  #timer: Timer | undefined

  constructor(
    private readonly pace: Pace,
    private readonly late: () => void,
  ) {
    this.#arm()
  }

  /** So many bytes have come. */
  add(bytes: number): void {
    this.#received += bytes
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #arm(): void {
    const { graceMs, bytesPerSecond } = this.pace
    const dueAt = this.#startedAt + graceMs + (this.#received / bytesPerSecond) * 1000
    const look = () => {
      const behind = performance.now() - dueAt
      if (behind > awayMs) this.#startedAt += behind
      const allowed = this.#startedAt + graceMs + (this.#received / bytesPerSecond) * 1000
      if (performance.now() < allowed) this.#arm()
      else this.late()
    }
    this.#timer = setTimeout(look, Math.max(0, Math.ceil(dueAt - performance.now())))
  }
}

/** A small body in one piece. */
async function receiveWhole(request: Request, pace: Pace): Promise<Bytes> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>()
  const deadline = new Deadline(pace, () => reject(bodyTooSlow(pace)))
  try {
    return new Uint8Array(await Promise.race([request.arrayBuffer().catch(brokenOff), tooLate]))
  } finally {
    deadline.end()
  }
}

const brokenOff = (cause: unknown): never => {
  throw bodyBroken(cause)
}

/** Hands on each piece of the body as it comes. Throws as `receiveBytes` does, and what `take` throws. */
export async function receive(
  request: Request,
  bytesMax: number,
  pace: Pace,
  take: (piece: Bytes) => void | Promise<void>,
  upload?: Upload,
): Promise<void> {
  const announced = request.headers.get('content-length')
  if (announced !== null && Number(announced) > bytesMax) throw payloadTooLarge(bytesMax)
  if (!request.body) return
  const held = announced === null ? 0 : Number(announced)
  if (held > smallBytesMax) await upload?.add(held)
  const reader = (request.body as ReadableStream<Bytes>).getReader()
  let isLate = false
  const deadline = new Deadline(pace, () => {
    isLate = true
    // ends the read that waits
    reader.cancel().catch(() => {})
  })
  let received = 0
  let counted = 0
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(brokenOff)
      if (isLate) throw bodyTooSlow(pace)
      if (done) return
      received += value.byteLength
      deadline.add(value.byteLength)
      if (received > bytesMax) throw payloadTooLarge(bytesMax)
      if (announced === null && received > smallBytesMax) {
        await upload?.add(received - counted)
        counted = received
      }
      await take(value)
    }
  } catch (error) {
    // the rest is of no interest
    reader.cancel().catch(() => {})
    throw error
  } finally {
    deadline.end()
  }
}

/**
 * The body as it came. Throws `payload_too_large` (413), and `malformed_request` (400) for a body that breaks off or falls
 * behind its pace; for large ones what `upload` throws.
 */
export async function receiveBytes(
  request: Request,
  bytesMax: number,
  pace: Pace = defaultPace,
  upload?: Upload,
): Promise<Bytes> {
  const announced = request.headers.get('content-length')
  // with a length the server itself hands out no more than that; without one the bytes are counted as they come
  if (announced !== null && Number(announced) <= Math.min(bytesMax, smallBytesMax)) return receiveWhole(request, pace)
  const pieces: Bytes[] = []
  await receive(request, bytesMax, pace, (piece) => void pieces.push(piece), upload)
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}
