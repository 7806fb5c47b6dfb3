/** Watches what the console sends, and answers in the server's place where a test wants it. */
import type { Fetch } from '../../../src/console/api/transport.ts'

export interface Sent {
  method: string
  path: string
  body: unknown
  headers: Headers
}

/** Goes between console and server; keeps in `sent` what changes something. */
export const watchingInto =
  (sent: Sent[], answer: (request: Sent) => Response | undefined = () => undefined) =>
  (next: Fetch): Fetch =>
  async (url, init) => {
    const request = {
      method: init.method ?? 'GET',
      path: new URL(url).pathname,
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
      headers: new Headers(init.headers),
    }
    if (request.method !== 'GET') sent.push(request)
    return answer(request) ?? next(url, init)
  }

/** An error as the API answers it. */
export const errorAnswer = (status: number, code: string, message: string, details = {}): Response =>
  Response.json({ error: { code, message, requestId: 'req_1', details } }, { status })
