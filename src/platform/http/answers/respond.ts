/**
 * Puts an answer on the wire with the headers that all answers carry. JSON, which nearly every answer is, is built here:
 * copying a ready set of headers is cheaper than naming each one on every request. Everything else (streams, files, text)
 * is left to Elysia.
 */
import { securityHeaders } from './headers.ts'
import { JsonText } from './json-text.ts'

/** The part of Elysia's context that describes the answer. */
export interface ResponseSettings {
  status?: number | string
  headers: Record<string, unknown>
  cookie?: unknown
}

const isJson = (answer: unknown): boolean =>
  typeof answer === 'object' && answer !== null && (answer.constructor === Object || Array.isArray(answer))

/** The answer, or what Elysia is to make of it. Takes the settings over when the answer is complete. */
export type Respond = (answer: unknown, set: ResponseSettings, requestId: string) => unknown

export function responder(publicUrl: string): Respond {
  const common = securityHeaders(publicUrl)
  const empty = new Headers(common)
  const json = new Headers({ ...common, 'content-type': 'application/json;charset=utf-8' })

  return (answer, set, requestId) => {
    const isEmpty = answer === undefined || answer === null
    const ready = answer instanceof JsonText
    if (set.cookie || !(isEmpty || ready || isJson(answer))) {
      set.headers = { ...common, ...set.headers, 'x-request-id': requestId }
      return answer
    }
    const headers = isEmpty ? empty : json
    const response = new Response(isEmpty ? null : ready ? answer.text : JSON.stringify(answer), {
      status: Number(set.status ?? 200),
      headers,
    })
    for (const name in set.headers) {
      const value = set.headers[name]
      // several cookies are several headers
      if (Array.isArray(value)) for (const one of value) response.headers.append(name, String(one))
      else response.headers.set(name, String(value))
    }
    response.headers.set('x-request-id', requestId)
    // nothing is left for Elysia to add
    set.headers = {}
    set.status = 200
    return response
  }
}
