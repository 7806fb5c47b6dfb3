/** A vendor's server on a local port, and steps that call it. */
import { afterAll } from 'bun:test'
import { vendors } from '../../../src/platform/models/vendors.ts'
import { streamStep } from '../../../src/runs/providers/call.ts'
import type { StepFinish, StepPart, StepRequest } from '../../../src/runs/providers/step.ts'
import type { Wire } from './wire.ts'

export const apiKey = 'test-credential-0123456789'

/** The requests to the vendor. */
export interface Asked {
  method: string
  /** Including the query. */
  path: string
  headers: Headers
  body: Record<string, unknown>
}

/** A server that answers each request with the next reply, and repeats the last one. */
export function startVendor(...replies: ((request: Request) => Response | Promise<Response>)[]) {
  const asked: Asked[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = (await request.json()) as Record<string, unknown>
      asked.push({ method: request.method, path: pathname + search, headers: request.headers, body })
      return replies[Math.min(asked.length, replies.length) - 1]!(request)
    },
  })
  const vendor = { asked, url: `http://127.0.0.1:${server.port}/v1`, port: server.port!, stop: () => server.stop(true) }
  afterAll(vendor.stop)
  return vendor
}

/** A stream of the given frames, each in a packet of its own. */
export const streaming = (frames: string[]) => () =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        const frame = frames.shift()
        if (frame === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(frame))
      },
    }),
    { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
  )

/** Sends the frames, then nothing more, and never ends. */
export const hanging = (sent: string[]) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(sent.join('')))
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

/** A TCP server that answers a request with raw bytes and then closes the connection. */
export function startCutting(bytes: string[], how: 'close' | 'reset') {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        for (const piece of bytes) socket.write(piece)
        socket.flush()
        if (how === 'reset') socket.terminate()
        else socket.end()
      },
    },
  })
  afterAll(() => server.stop(true))
  return `http://127.0.0.1:${server.port}/v1`
}

/** The head of a streamed answer, and one piece of its body. */
export const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
export const chunked = (frame: string) => `${Buffer.byteLength(frame).toString(16)}\r\n${frame}\r\n`

/** A request for a step that reaches `url` as the wire is chosen: by override, or at the vendor's own address. */
export function stepRequest(wire: Wire, url: string, changes: Partial<StepRequest> = {}): StepRequest {
  const provider = wire === 'openaiChat' ? 'openai' : wire
  return {
    provider,
    model: vendors[provider].defaultModel,
    apiKey,
    ...(wire === 'openai' ? { fetch: rerouted(url) } : { baseUrl: url }),
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello?' }],
    tools: [],
    signal: new AbortController().signal,
    attempt: 1,
    ...changes,
  }
}

/** Forwards calls of the vendors' own addresses to a local server; a header names the vendor's host. */
export const rerouted = (url: string) =>
  ((input: string, init: RequestInit) => {
    const { host, pathname, search } = new URL(input)
    const headers = new Headers(init.headers)
    headers.set('x-vendor-host', host)
    return fetch(new URL(pathname + search, url), { ...init, headers })
  }) as unknown as typeof fetch

interface Collected {
  parts: StepPart[]
  text: string
  reasoning: string
  finish: StepFinish
}

export async function collect(request: StepRequest): Promise<Collected> {
  const parts: StepPart[] = []
  for await (const part of streamStep(request)) parts.push(part)
  const joined = (type: 'text' | 'reasoning') =>
    parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
  return { parts, text: joined('text'), reasoning: joined('reasoning'), finish: parts.at(-1) as StepFinish }
}

/** The exception of a step, or undefined. */
export async function thrownBy(request: StepRequest): Promise<unknown> {
  try {
    await collect(request)
    return undefined
  } catch (thrown) {
    return thrown
  }
}
