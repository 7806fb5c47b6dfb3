/**
 * A client for load: one keep-alive TCP connection, one request at a time, bodies with as few copies as possible. It
 * supports what the servers here use of HTTP/1.1: a length, chunks, or no body.
 */
import type { Socket } from 'bun'

interface Answer {
  status: number
  body: Buffer
}

/** Called with each piece of a body as it arrives, in order. */
type OnBody = (piece: Buffer) => void

interface Pending {
  onBody: OnBody | undefined
  pieces: Buffer[]
  resolve(answer: Answer): void
  reject(cause: Error): void
}

type Expecting = 'head' | 'sized' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer'

const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const nothing: Buffer = Buffer.alloc(0)

export class Connection {
  #socket: Socket | undefined
  #unsent = nothing
  #pending: Pending | undefined
  #rest = nothing
  #expecting: Expecting = 'head'
  #left = 0
  #status = 0

  private constructor() {}

  /** Connects to a server on this machine. Throws when no server listens. */
  static async open(port: number): Promise<Connection> {
    const connection = new Connection()
    connection.#socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: (_socket, bytes) => connection.#take(bytes),
        drain: () => connection.#flush(),
        close: () => connection.#fail(new Error('The server closed the connection.')),
        error: (_socket, cause) => connection.#fail(cause),
      },
    })
    return connection
  }

  /** Sends a whole request; the previous one must have been answered. With `onBody` the answer's body is left empty. */
  request(bytes: Uint8Array, onBody?: OnBody): Promise<Answer> {
    if (this.#pending) throw new Error('The connection is busy.')
    return new Promise((resolve, reject) => {
      this.#pending = { onBody, pieces: [], resolve, reject }
      this.#unsent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      this.#flush()
    })
  }

  close() {
    const socket = this.#socket
    this.#socket = undefined
    socket?.terminate()
  }

  #flush() {
    if (this.#unsent.length === 0) return
    const sent = this.#socket?.write(this.#unsent) ?? 0
    this.#unsent = sent < this.#unsent.length ? this.#unsent.subarray(Math.max(0, sent)) : nothing
  }

  #fail(cause: Error) {
    const pending = this.#pending
    this.#pending = undefined
    pending?.reject(cause)
  }

  #take(data: Buffer) {
    const bytes = this.#rest.length === 0 ? data : Buffer.concat([this.#rest, data])
    this.#rest = nothing
    let at = 0
    while (at < bytes.length) {
      const next = this.#step(bytes, at)
      if (next === at) break
      at = next
    }
    if (at < bytes.length) this.#rest = Buffer.from(bytes.subarray(at))
  }

  /** Continues from a position; the same position again means that more bytes are needed. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#expecting) {
      case 'head':
        return this.#takeHead(bytes, at)
      case 'sized':
      case 'chunk': {
        const end = Math.min(bytes.length, at + this.#left)
        this.#left -= end - at
        this.#give(bytes.subarray(at, end))
        if (this.#left === 0) {
          if (this.#expecting === 'sized') this.#finish()
          else this.#expecting = 'chunkEnd'
        }
        return end
      }
      case 'chunkSize': {
        const end = bytes.indexOf(lineEnd, at)
        if (end < 0) return at
        this.#left = Number.parseInt(bytes.toString('latin1', at, end), 16)
        this.#expecting = this.#left === 0 ? 'trailer' : 'chunk'
        return end + 2
      }
      case 'chunkEnd':
      case 'trailer': {
        if (bytes.length < at + 2) return at
        if (this.#expecting === 'trailer') this.#finish()
        else this.#expecting = 'chunkSize'
        return at + 2
      }
    }
  }

  #takeHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(headEnd, at)
    if (end < 0) return at
    const head = bytes.toString('latin1', at, end)
    this.#status = Number(head.slice(9, 12))
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    this.#left = Number(length ?? 0)
    if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) this.#expecting = 'chunkSize'
    else if (this.#left > 0) this.#expecting = 'sized'
    else this.#finish()
    return end + headEnd.length
  }

  #give(piece: Buffer) {
    const pending = this.#pending
    if (!pending) return
    if (pending.onBody) pending.onBody(piece)
    else pending.pieces.push(piece)
  }

  #finish() {
    this.#expecting = 'head'
    const pending = this.#pending
    this.#pending = undefined
    if (!pending) return
    const { pieces } = pending
    const body = pieces.length === 1 ? (pieces[0] as Buffer) : pieces.length === 0 ? nothing : Buffer.concat(pieces)
    pending.resolve({ status: this.#status, body })
  }
}

const encoder = new TextEncoder()

/** The bytes of a request; `body` is sent as JSON. */
export function requestBytes(
  method: 'GET' | 'POST',
  path: string,
  { key, body }: { key?: string; body?: unknown } = {},
): Uint8Array {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [`${method} ${path} HTTP/1.1`, 'host: 127.0.0.1']
  if (key !== undefined) lines.push(`authorization: Bearer ${key}`)
  if (body !== undefined) {
    lines.push('content-type: application/json', `content-length: ${encoder.encode(text).length}`)
  }
  return encoder.encode(`${lines.join('\r\n')}\r\n\r\n${text}`)
}
