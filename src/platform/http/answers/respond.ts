/**
 * Builds the response with the headers that all answers carry. JSON, by far the most common case, is built here: copying a
 * prepared set of headers is cheaper than setting each one. Streams, files and text are left to Elysia.
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

/** The response, or a value that Elysia converts. Clears the settings when the response is complete. */
type Respond = (answer: unknown, set: ResponseSettings, requestId: string) => unknown

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
      // each cookie is a header of its own
      if (Array.isArray(value)) for (const one of value) response.headers.append(name, String(one))
      else response.headers.set(name, String(value))
    }
    response.headers.set('x-request-id', requestId)
    // Elysia has nothing to add
    set.headers = {}
    set.status = 200
    return response
  }
}
