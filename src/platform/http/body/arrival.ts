/**
 * Receives the bytes of a request within bounds of size and time. A body has 15 seconds, plus one second for each 64 KiB
 * received, so that a large body over a slow line succeeds and a trickling one is refused. Source: contract 0, "Strings";
 * docs/api.md, "Starting a run".
 */

import { bodyBroken, bodyTooSlow, payloadTooLarge } from '../answers/errors.ts'
import type { Upload } from './uploads.ts'

/** The slowest pace at which a body may arrive. */
export interface Pace {
  /** Milliseconds after the headers that a body may take without sending anything. */
  graceMs: number
  /** This many received bytes add one second. */
  bytesPerSecond: number
}

export const defaultPace: Pace = { graceMs: 15_000, bytesPerSecond: 64 * 1024 }

type Bytes = Uint8Array<ArrayBuffer>

/** Bodies up to this size are read in one piece, which is cheaper than a stream. */
const smallBytesMax = 64 * 1024
/**
 * The interval at which all open bodies are checked together: a timer for each costs more than reading most of them.
 */
const lookEveryMs = 250
/** A check that is this late shows that this process was suspended, which is not the client's fault. */
const awayMs = 1_000

const open = new Set<Deadline>()
/** The time of the next check, by `performance.now`; undefined while no body is open. */
let lookDueAt: number | undefined

function look() {
  const now = performance.now()
  const lateMs = now - (lookDueAt as number)
  for (const deadline of open) deadline.look(now, lateMs > awayMs ? lateMs : 0)
  lookDueAt = undefined
  if (open.size > 0) lookLater()
}

function lookLater() {
  lookDueAt = performance.now() + lookEveryMs
  setTimeout(look, lookEveryMs).unref()
}

/** Calls `late` once the body has fallen behind its pace. */
class Deadline {
  #startedAt = performance.now()
  #received = 0

  constructor(
    private readonly pace: Pace,
    private readonly late: () => void,
  ) {
    open.add(this)
    if (lookDueAt === undefined) lookLater()
  }

  /** Records received bytes. */
  add(bytes: number): void {
    this.#received += bytes
  }

  end(): void {
    open.delete(this)
  }

  /** `excusedMs` does not count. */
  look(now: number, excusedMs: number): void {
    const { graceMs, bytesPerSecond } = this.pace
    this.#startedAt += excusedMs
    if (now < this.#startedAt + graceMs + (this.#received / bytesPerSecond) * 1000) return
    open.delete(this)
    this.late()
  }
}

/** Whether the body is so small that it is read in one piece and not counted. */
export function isSmall(request: Request): boolean {
  const announced = request.headers.get('content-length')
  return announced !== null && Number(announced) <= smallBytesMax
}

/** Reads a small body in one piece. */
const receiveWhole = (request: Request, pace: Pace): Promise<Bytes> =>
  new Promise((resolve, reject) => {
    const deadline = new Deadline(pace, () => reject(bodyTooSlow(pace)))
    request.arrayBuffer().then(
      (bytes) => {
        deadline.end()
        resolve(new Uint8Array(bytes))
      },
      (cause) => {
        deadline.end()
        reject(bodyBroken(cause))
      },
    )
  })

const brokenOff = (cause: unknown): never => {
  throw bodyBroken(cause)
}

/** Passes on each piece of the body as it arrives. Throws as `receiveBytes` does, and what `take` throws. */
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
    // ends the pending read
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
    // the rest is not needed
    reader.cancel().catch(() => {})
    throw error
  } finally {
    deadline.end()
  }
}

/**
 * The bytes of the body. Throws `payload_too_large` (413), `malformed_request` (400) for a body that ends early or falls
 * behind its pace, and for large bodies the errors of `upload`.
 */
export function receiveBytes(
  request: Request,
  bytesMax: number,
  pace: Pace = defaultPace,
  upload?: Upload,
): Promise<Bytes> {
  const announced = request.headers.get('content-length')
  // the server delivers no more than the announced length; without one the bytes are counted
  if (announced !== null && Number(announced) <= Math.min(bytesMax, smallBytesMax)) return receiveWhole(request, pace)
  return receivePieces(request, bytesMax, pace, upload)
}

async function receivePieces(
  request: Request,
  bytesMax: number,
  pace: Pace,
  upload: Upload | undefined,
): Promise<Bytes> {
  const pieces: Bytes[] = []
  await receive(request, bytesMax, pace, (piece) => void pieces.push(piece), upload)
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
}
